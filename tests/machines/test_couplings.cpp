// Gears, belts, screws, cams, rods, shafts and curves against closed forms.
#include <algorithm>
#include <cmath>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

TEST_CASE("a gear train runs up as its inertia on the motor shaft says, with the forces of teeth and belt") {
  in_formulations(shipped("gear_train"), [](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double t = rows.at(r, "time"), q = 0.5 * 93.75 * t * t;
      CHECK(rows.at(r, "motor_bearing.q") == Approx(q).margin(1e-9));
      CHECK(rows.at(r, "shaft_bearing.q") == Approx(-q / 3).margin(1e-9));
      CHECK(rows.at(r, "flywheel_bearing.q") == Approx(-q / 6).margin(1e-9));
      // The multiplier pushes the teeth apart along both coordinates: against the motor.
      CHECK(rows.at(r, "gears.tooth_force") == Approx(-35.15625).epsilon(1e-8));
      CHECK(std::abs(rows.at(r, "belt.force")) == Approx(78.125).epsilon(1e-8));
    }
  });
}

TEST_CASE("a differential gives both shafts the same torque, and its cage their mean") {
  const double torque = 100 / (2 + 0.05 * (1 / 0.8 + 1 / 1.2) / 2);
  in_formulations(shipped("differential_axle"), [&](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double half = 0.5 * std::pow(rows.at(r, "time"), 2);
      CHECK(rows.at(r, "left_bearing.q") == Approx(torque / 0.8 * half).margin(1e-9));
      CHECK(rows.at(r, "right_bearing.q") == Approx(torque / 1.2 * half).margin(1e-9));
      CHECK(rows.at(r, "cage_bearing.q") == Approx(torque * (1 / 0.8 + 1 / 1.2) / 2 * half).margin(1e-9));
      CHECK(rows.at(r, "differential.torque") == Approx(torque).epsilon(1e-8));
    }
  });
}

TEST_CASE("a planetary gear keeps Willis's equation and shares its torques by the radii") {
  // Ring held by a stiff law would hide its torque: all three turn. Tooth force from the equations of motion.
  const double rs = 0.03, rr = 0.09, Js = 0.002, Jr = 0.03, Jc = 0.05, T = 4;
  // Js as = T + rs f, Jr ar = rr f, Jc ac = -(rs + rr) f, rs as + rr ar = (rs + rr) ac.
  const double f = -rs * T / Js / (rs * rs / Js + rr * rr / Jr + (rs + rr) * (rs + rr) / Jc);
  in_formulations_of(R"(
bodies:
  - {name: sun, mass: 1, inertia: {xx: 0.002, yy: 0.002, zz: 0.002}}
  - {name: ring, mass: 1, inertia: {xx: 0.03, yy: 0.03, zz: 0.03}}
  - {name: carrier, mass: 1, inertia: {xx: 0.05, yy: 0.05, zz: 0.05}}
joints:
  - {name: s, type: revolute, base: ground, moving: sun, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: r, type: revolute, base: ground, moving: ring, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: c, type: revolute, base: ground, moving: carrier, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: set, type: planetary-gear, sun: s, ring: r, carrier: c, sun_radius: 0.03, ring_radius: 0.09}
forces:
  - {name: motor, type: joint-force, joint: s, effort: 4}
simulation: {duration: 0.5, integrator: dopri5, output_interval: 0.1}
)",
                     [&](const Table& rows) {
                       const std::size_t last = rows.rows.size() - 1;
                       const double half = 0.5 * 0.25;
                       CHECK(rows.at(last, "s.q") == Approx((T + rs * f) / Js * half).epsilon(1e-8));
                       CHECK(rows.at(last, "r.q") == Approx(rr * f / Jr * half).epsilon(1e-8));
                       CHECK(rows.at(last, "c.q") == Approx(-(rs + rr) * f / Jc * half).epsilon(1e-8));
                       CHECK(rows.at(last, "set.tooth_force") == Approx(f).epsilon(1e-8));
                     });
}

TEST_CASE("a gear counts from the body that takes part in both joints, and welded bodies are one") {
  // Wheel of 0.05 m on an arm rolls on one of 0.1 m that stands: it turns by 1 + 0.1/0.05 angles of the arm.
  const double arm = 3 / (0.2 + 0.5 * 0.15 * 0.15 + 0.003 * 9) / 2;
  // Two wheels in a housing of two bodies welded to each other and to ground.
  const double wheel = 3 / (0.003 + 0.02 / 4) / 2;
  in_formulations_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 2, inertia: {xx: 1, yy: 1, zz: 0.2}}
  - {name: planet, position: [0.15, 0, 0], mass: 0.5, inertia: {xx: 1, yy: 1, zz: 0.003}}
  - {name: box, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: lid, position: [1, 0, 0], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 0.003}}
  - {name: b, position: [1, 0, 0], mass: 1, inertia: {xx: 1, yy: 1, zz: 0.02}}
joints:
  - {name: turn, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: roll, type: revolute, base: arm, moving: planet, position: [0.15, 0, 0], axis: [0, 0, 1]}
  - {name: weld, type: fixed, base: box, moving: lid, position: [0, 0, 0]}
  - {name: foot, type: fixed, base: ground, moving: box, position: [0, 0, 0]}
  - {name: in, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: out, type: revolute, base: lid, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: rolling, type: gear, joint: turn, other_joint: roll, radius: 0.1, other_radius: 0.05, sense: same}
  - {name: geared, type: gear, joint: in, other_joint: out, radius: 0.1, other_radius: 0.2}
forces:
  - {name: on_arm, type: joint-force, joint: turn, effort: 3}
  - {name: on_wheel, type: joint-force, joint: in, effort: 3}
simulation: {duration: 0.4, integrator: dopri5, output_interval: 0.1}
)",
                     [&](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         const double t = rows.at(r, "time");
                         CHECK(rows.at(r, "turn.q") == Approx(arm * t * t).margin(1e-8));
                         CHECK(rows.at(r, "roll.q") == Approx(2 * arm * t * t).margin(1e-8));
                         CHECK(rows.at(r, "in.q") == Approx(wheel * t * t).margin(1e-8));
                         CHECK(rows.at(r, "out.q") == Approx(-wheel / 2 * t * t).margin(1e-8));
                       }
                     });
}

TEST_CASE("a screw in one cylindrical joint, and a rack on its pinion, fall as their inertia lets them") {
  const double lead = 0.02, m = 2, J = 0.001, k = lead / (2 * pi);
  const double falling = g * m / (m + J / (k * k)), rolling = g * 3 / (3 + 0.02 / 0.01);
  in_formulations_of(R"(
bodies:
  - {name: nut, mass: 2, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
  - {name: wheel, position: [1, 0, 0], mass: 1, inertia: {xx: 0.02, yy: 0.02, zz: 0.02}}
  - {name: bar, position: [1.1, 0, 0], mass: 3, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: thread, type: cylindrical, base: ground, moving: nut, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: axle, type: revolute, base: ground, moving: wheel, position: [1, 0, 0], axis: [0, 1, 0]}
  - {name: guide, type: prismatic, base: ground, moving: bar, position: [1.1, 0, 0], axis: [0, 0, -1]}
constraints:
  - {name: screw, type: screw-thread, slide: thread, turn: thread, lead: 0.02}
  - {name: rack, type: rack-and-pinion, pinion: axle, rack: guide, radius: 0.1}
simulation: {duration: 0.5, integrator: dopri5, output_interval: 0.1}
)",
                     [&](const Table& rows) {
                       const std::size_t last = rows.rows.size() - 1;
                       CHECK(rows.at(last, "thread.q[0]") == Approx(-falling / 8).epsilon(1e-8));
                       CHECK(rows.at(last, "thread.q[1]") == Approx(-falling / 8 / k).epsilon(1e-8));
                       CHECK(rows.at(last, "guide.q") == Approx(rolling / 8).epsilon(1e-8));
                       CHECK(rows.at(last, "axle.q") == Approx(rolling / 8 / 0.1).epsilon(1e-8));
                       // The thread holds what does not fall.
                       CHECK(std::abs(rows.at(last, "screw.force")) == Approx(m * (g - falling)).epsilon(1e-8));
                     });
}

TEST_CASE("a constant-velocity joint turns its shafts alike, a cardan joint by tan out = tan in cos") {
  in_formulations(shipped("bent_shafts"), [](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double in = 3 * rows.at(r, "time");
      CHECK(rows.at(r, "smooth_in.q") == Approx(in).margin(1e-8));
      CHECK(rows.at(r, "smooth_out.q[1]") == Approx(in).margin(1e-7));
      const double turned = rows.at(r, "rough_in.q");
      const double out = std::atan2(std::sin(turned) * std::cos(pi / 6), std::cos(turned));
      const double error = rows.at(r, "rough_out.q[1]") - out;
      CHECK(std::abs(error - 2 * pi * std::round(error / (2 * pi))) < 1e-7);
    }
  });
}

TEST_CASE("an Oldham coupling turns two parallel shafts alike, however far apart") {
  in_formulations_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: first, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: disc, position: [0.01, 0, 0], mass: 0.5, inertia: {xx: 0.001, yy: 0.001, zz: 0.002}}
  - {name: second, position: [0.01, 0.015, 0], mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: in, type: revolute, base: ground, moving: first, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: tongue, type: prismatic, base: first, moving: disc, position: [0.01, 0, 0], axis: [1, 0, 0]}
  - {name: groove, type: prismatic, base: disc, moving: second, position: [0.01, 0.015, 0], axis: [0, 1, 0]}
  - {name: out, type: revolute, base: ground, moving: second, position: [0.01, 0.015, 0], axis: [0, 0, 1], cut: true}
constraints:
  - {name: drive, type: prescribed-motion, joint: in, motion: {polynomial: [0, 4]}}
simulation: {duration: 2, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: 0.1}
)",
                     [](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         const double angle = 4 * rows.at(r, "time");
                         CHECK(rows.at(r, "out.q") == Approx(angle).margin(1e-8));
                         // The middle of the disc runs on the circle over the distance of the shafts, twice as fast.
                         const double x = rows.at(r, "disc.x") - 0.005, y = rows.at(r, "disc.y") - 0.0075;
                         CHECK(std::hypot(x, y) == Approx(0.5 * std::hypot(0.01, 0.015)).epsilon(1e-7));
                       }
                     });
}

namespace {

/// Slopes and curvatures at the rows of the periodic cubic spline through the points of a table whose last row is the
/// first: from the continuity of the slopes, by elimination over all unknowns.
struct RowsOfSpline {
  RowsOfSpline(const std::vector<double>& x, const std::vector<double>& y) {
    const std::size_t n = x.size() - 1;
    std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0.0));
    const auto width = [&](std::size_t k) { return x[k % n + 1] - x[k % n]; };
    const auto chord = [&](std::size_t k) { return (y[k % n + 1] - y[k % n]) / width(k); };
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t before = (k + n - 1) % n;
      m[k][before] += width(before);
      m[k][k] += 2 * (width(before) + width(k));
      m[k][(k + 1) % n] += width(k);
      m[k][n] = 6 * (chord(k) - chord(before));
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const double f = m[i][k] / m[k][k];
        for (std::size_t j = k; j <= n; ++j) m[i][j] -= f * m[k][j];
      }
    for (std::size_t k = 0; k < n; ++k) curvature.push_back(m[k][n] / m[k][k]);
    for (std::size_t k = 0; k < n; ++k)
      slope.push_back(chord(k) - width(k) * (2 * curvature[k] + curvature[(k + 1) % n]) / 6);
  }
  std::vector<double> slope, curvature;
};

}  // namespace

TEST_CASE("a cam lifts its valve by its table, with the force of the spring, its damper and the valve's inertia") {
  const std::vector<double> angles{0,          pi / 4,     pi / 2,     2 * pi / 3, 5 * pi / 6, pi,
                                   7 * pi / 6, 4 * pi / 3, 3 * pi / 2, 7 * pi / 4, 2 * pi};
  const std::vector<double> lifts{0, 0, 0, 0.002, 0.0068, 0.009, 0.0068, 0.002, 0, 0, 0};
  const RowsOfSpline curve(angles, lifts);
  in_formulations(shipped("valve_train"), [&](const Table& rows) {
    for (std::size_t k = 0; k < 5; ++k) {
      const std::size_t row = 40 + 10 * k;  // 2.0944 + k 0.5236 rad at 0.05236 rad a row
      const double lift = lifts[3 + k], speed = 100 * curve.slope[3 + k];
      CHECK(rows.at(row, "bearing.q") == Approx(angles[3 + k]).epsilon(1e-8));
      CHECK(rows.at(row, "guide.q") == Approx(lift).margin(1e-9));
      // The tables of the model: from 220 N on by 30 N/mm, from 6 mm on by 50 N/mm; 30 N s/m up, 15 N s/m down.
      const double spring = lift < 0.006 ? 220 + 30000 * lift : 400 + 50000 * (lift - 0.006);
      const double damper = speed > 0 ? 15 * speed : 30 * speed;
      const double inertia = 0.12 * curve.curvature[3 + k] * 100 * 100;
      CHECK(rows.at(row, "cam.force") == Approx(spring + damper + inertia).epsilon(1e-7));
    }
  });
}

TEST_CASE("a bead on a wire keeps its energy and stays on the wire") {
  in_formulations(shipped("bead_on_a_wire"), [](const Table& rows) {
    const std::size_t last = rows.rows.size() - 1;
    for (std::size_t r = 0; r <= last; ++r) {
      const double square =
          std::pow(rows.at(r, "bead.vx"), 2) + std::pow(rows.at(r, "bead.vy"), 2) + std::pow(rows.at(r, "bead.vz"), 2);
      CHECK(square == Approx(2 * g * (1 - rows.at(r, "bead.z"))).margin(1e-7));
    }
    CHECK(rows.at(last, "wire.q[0]") > 2);
  });
}

TEST_CASE("a bead on a closed ring swings as the pendulum that it is") {
  std::string curve;
  for (int k = 0; k < 96; ++k)
    curve += (k == 0 ? "" : ", ") + ("[" + std::to_string(std::sin(2 * pi * k / 96)) + ", 0, " +
                                     std::to_string(-std::cos(2 * pi * k / 96)) + "]");
  // From 1 rad the period is 4 K(sin 0.5) √(l/g) by the arithmetic-geometric mean.
  double a = 1, b = std::cos(0.5);
  for (int k = 0; k < 10; ++k) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 2 * pi / a / std::sqrt(g);
  in_formulations_of(
      "bodies:\n  - {name: bead, position: [0, 0, -1], mass: 1, inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}}\n"
      "joints:\n  - {name: ring, type: point-on-curve, base: ground, moving: bead, position: [0, 0, -1], "
      "closed: true, curve: [" +
          curve +
          "], initial: {position: [1, 1, 0, 0, 0]}}\n"
          "simulation: {duration: " +
          std::to_string(2 * period) +
          ", integrator: dopri5, "
          "tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: " +
          std::to_string(0.5 * period) + "}\n",
      [&](const Table& rows) {
        CHECK(rows.at(2, "ring.q[0]") == Approx(rows.at(0, "ring.q[0]")).margin(2e-5));
        CHECK(rows.at(1, "ring.q[0]") == Approx(-rows.at(0, "ring.q[0]")).margin(2e-5));
      });
}

TEST_CASE("a distance rod is the rod of a pendulum, with its tension") {
  in_formulations_of(R"(
bodies:
  - {name: ball, position: [0.6, 0, -0.8], mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: loose, type: free, base: ground, moving: ball}
constraints:
  - {name: rod, type: distance-rod, a: {body: ground}, b: {body: ball}}
simulation: {duration: 2, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: 0.1}
)",
                     [](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         const double x = rows.at(r, "ball.x"), z = rows.at(r, "ball.z");
                         CHECK(std::hypot(x, z) == Approx(1).epsilon(1e-8));
                         // Tension 2 (v² + g cos) with v² = 2 g (cos − cos 0).
                         CHECK(rows.at(r, "rod.force") == Approx(-2 * g * (3 * -z - 2 * 0.8)).margin(1e-5));
                       }
                     });
}

TEST_CASE("what is wrong with couplings is told with its place") {
  const Workshop shop;
  const auto told = [&](const std::string& constraint, const std::string& joints = {}) {
    const std::string model = shop.write(
        "m.yaml",
        "polyform: 1\nbodies:\n"
        "  - {name: p, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n  - {name: c, mass: 1, inertia: {xx: 1, yy: 1, zz: "
        "1}}\n  - {name: d, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
        "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: "
        "1}}\n"
        "joints:\n  - {name: turn, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: slide, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}\n" +
            joints + "constraints:\n  - {name: c, " + constraint + "}\n");
    const Outcome outcome = shop.run({"check", model});
    CHECK(outcome.code == 2);
    return outcome.err + outcome.out;
  };
  CHECK_THAT(told("type: gear, joint: turn, other_joint: slide, radius: 1, other_radius: 1"),
             Catch::Contains("the joint has no angle whose rate is a velocity of the joint"));
  CHECK_THAT(told("type: gear, joint: turn, other_joint: turn, radius: 1, other_radius: 1"),
             Catch::Contains("the joint is coupled to itself"));
  CHECK_THAT(told("type: belt, pulleys: [turn], radii: 1"), Catch::Contains("two pulleys at least"));
  CHECK_THAT(told("type: cam-profile, cam: turn, follower: slide, profile: [[0, 0], [1, 1], [2, 1], [3, 0.5]]"),
             Catch::Contains("begins with the lift 0 and ends with 0.5"));
  CHECK_THAT(told("type: cam-profile, cam: turn, follower: slide, profile: [[0, 0], [2, 1], [1, 1], [3, 0]]"),
             Catch::Contains("do not increase from row 2 to row 3"));
  const std::string planet =
      "  - {name: wheel, type: revolute, base: b, moving: p, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  - {name: own, type: revolute, base: ground, moving: c, position: [0, 0, 0], axis: [0, 0, 1]}\n";
  const char* const loose = "no body takes part in this joint and in all before it";
  CHECK_THAT(told("type: gear, joint: own, other_joint: wheel, radius: 1, other_radius: 1", planet),
             Catch::Contains(loose));
  CHECK_THAT(told("type: belt, pulleys: [turn, own, wheel], radii: 1", planet), Catch::Contains(loose));
  CHECK_THAT(told("type: planetary-gear, sun: own, carrier: turn, ring: wheel, sun_radius: 1, ring_radius: 2", planet),
             Catch::Contains("is based on another body than the first one"));
  const std::string lifted =
      planet + "  - {name: lift, type: prismatic, base: p, moving: d, position: [0, 0, 0], axis: [0, 0, 1]}\n";
  CHECK_THAT(told("type: cam-profile, cam: own, follower: lift, profile: [[0, 0], [1, 1], [2, 1], [3, 0]]", lifted),
             Catch::Contains("no body takes part in both joints"));
  CHECK_THAT(told("type: distance-rod, a: {body: a}, b: {body: a}"), Catch::Contains("fixed in the same body"));
}
