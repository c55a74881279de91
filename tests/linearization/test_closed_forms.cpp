// Linear models against closed forms, by every formulation.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double tolerance = 1e-10;  ///< relative; the figures reached are about 1e-13

void check_frequencies(const host::System& system, std::vector<double> expected) {
  std::sort(expected.begin(), expected.end());
  const std::vector<LinearCase> all = linearize_all(system);
  REQUIRE(all.size() >= 2);
  for (const LinearCase& c : all) {
    INFO(c.formulation->name());
    const std::vector<double> found = frequencies(c.modes);
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k] == Approx(expected[k]).epsilon(tolerance));
  }
}

}  // namespace

TEST_CASE("a damped pendulum at any angle has the matrices of its equation") {
  // J q'' = -m g l cos q - k q - c q' + u, the rod drawn horizontal
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: rod, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.2, zz: 0.2}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.4, velocity: 1.5}}
forces:
  - {name: spring, type: joint-spring-damper, joint: pin, stiffness: 3, damping: 0.25}
  - {name: motor, type: joint-force, joint: pin, effort: {sine: {amplitude: 2, frequency: 1}}}
)");
  const double J = 0.2 + 2 * 0.25, mgl = 2 * 9.81 * 0.5, q = 0.4;
  for (const LinearCase& c : linearize_all(*system, {}, {"pin.q", "pin.fy"})) {
    INFO(c.formulation->name());
    const host::Linearization& l = c.linear;
    REQUIRE(l.states.size() == 2);
    CHECK(l.states[0].name == "pin.q");
    CHECK(l.states[1].unit == "rad/s");
    REQUIRE(l.inputs.size() == 1);
    CHECK(l.inputs[0].name == "motor.effort");
    CHECK(l.A.value(0, 0) == Approx(0).margin(1e-14));
    CHECK(l.A.value(0, 1) == Approx(1).epsilon(tolerance));
    CHECK(l.A.value(1, 0) == Approx((mgl * std::sin(q) - 3) / J).epsilon(tolerance));
    CHECK(l.A.value(1, 1) == Approx(-0.25 / J).epsilon(tolerance));
    CHECK(l.B.value(1, 0) == Approx(1 / J).epsilon(tolerance));
    CHECK(l.C.value(0, 0) == Approx(1).epsilon(tolerance));
    // fy = m g + m l (q'' cos q - q'^2 sin q)
    CHECK(l.D.value(1, 0) == Approx(2 * 0.5 * std::cos(q) / J).epsilon(tolerance));
    CHECK(l.C.value(1, 1) == Approx(2 * 0.5 * (-0.25 / J * std::cos(q) - 2 * 1.5 * std::sin(q))).epsilon(tolerance));
    CHECK(l.A.error.maxCoeff() < 1e-11);
  }
}

TEST_CASE("two hanging rods swing at the square roots of (3 -+ 6/sqrt 7) g/l") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: a, mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.08333333333333333, yy: 0.001, zz: 0.08333333333333333}}
  - {name: b, position: [0, -1, 0], mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.08333333333333333, yy: 0.001, zz: 0.08333333333333333}}
joints:
  - {name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: r, type: revolute, base: a, moving: b, position: [0, -1, 0], axis: [0, 0, 1]}
)");
  check_frequencies(*system, {std::sqrt(9.81 * (3 - 6 / std::sqrt(7.0))), std::sqrt(9.81 * (3 + 6 / std::sqrt(7.0)))});
}

TEST_CASE("a chain of masses, springs and dampers has its closed-form frequencies and damping ratios") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: c, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: p, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: r, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: s, type: prismatic, base: b, moving: c, position: [0, 0, 0], axis: [1, 0, 0]}
forces:
  - {name: f, type: joint-spring-damper, joint: p, stiffness: 5000, damping: 1}
  - {name: g, type: joint-spring-damper, joint: r, stiffness: 5000, damping: 1}
  - {name: h, type: joint-spring-damper, joint: s, stiffness: 5000, damping: 1}
)");
  for (const LinearCase& c : linearize_all(*system)) {
    INFO(c.formulation->name());
    REQUIRE(c.modes.all.size() == 3);
    for (std::size_t j = 0; j < 3; ++j) {
      const double w = 2 * std::sqrt(5000 / 2.0) * std::sin((2.0 * static_cast<double>(j) + 1) * M_PI / 14);
      CHECK(c.modes.all[j].natural_frequency() == Approx(w).epsilon(tolerance));
      CHECK(c.modes.all[j].damping_ratio() == Approx(w / 5000 / 2).epsilon(tolerance));
    }
  }
}

TEST_CASE("a sleeping top nutates and precesses at the roots of A p^2 - C s p + m g h") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: top, mass: 2, center_of_mass: [0, 0, 0.3], inertia: {xx: 0.02, yy: 0.02, zz: 0.03}}
joints:
  - {name: ball, type: spherical, base: ground, moving: top, position: [0, 0, 0], initial: {velocity: [0, 0, 100]}}
)");
  const double A = 0.02 + 2 * 0.09, Cs = 0.03 * 100, mgh = 2 * 9.81 * 0.3, root = std::sqrt(Cs * Cs - 4 * A * mgh);
  for (const LinearCase& c : linearize_all(*system)) {
    INFO(c.formulation->name());
    CHECK(c.modes.zero_eigenvalues == 2);  // the angle of the spin, and its speed
    const std::vector<double> found = frequencies(c.modes);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == Approx((Cs - root) / (2 * A)).epsilon(1e-9));
    CHECK(found[1] == Approx((Cs + root) / (2 * A)).epsilon(tolerance));
  }
}

TEST_CASE("a parallelogram four-bar on a spring swings as one coordinate, whatever is redundant in its loop") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 3, center_of_mass: [0, 0.25, 0], inertia: {xx: 0.0625, yy: 0.001, zz: 0.0625}}
  - {name: b, position: [0, 0.5, 0], mass: 4, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.3, zz: 0.3}}
  - {name: c, position: [1, 0, 0], mass: 3, center_of_mass: [0, 0.25, 0], inertia: {xx: 0.0625, yy: 0.001, zz: 0.0625}}
joints:
  - {name: A, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, base: a, moving: b, position: [0, 0.5, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: b, moving: c, position: [1, 0.5, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: c, position: [1, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: f, type: joint-spring-damper, joint: A, stiffness: 40}
)");
  check_frequencies(*system, {std::sqrt(40 / (2 * (0.0625 + 3 * 0.0625) + 4 * 0.25))});
}

TEST_CASE("a clamped beam vibrates at the frequencies of its modes") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, length: 2, linear_density: 3, bending_stiffness: 700, modes: 3, boundary: clamped-free, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: clamp, type: fixed, base: ground, moving: beam, position: [0, 0, 0]}
)");
  const double unit = std::sqrt(700 / 3.0) / 4;
  check_frequencies(*system,
                    {1.8751040687119611 * 1.8751040687119611 * unit, 4.694091132974174 * 4.694091132974174 * unit,
                     7.854757438237612 * 7.854757438237612 * unit});
}

TEST_CASE("a mass on springs in a turning frame has the frequencies w0 + W and w0 - W") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: mass, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: turn, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: table, type: planar, base: hub, moving: mass, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}
forces:
  - {name: springs, type: joint-spring-damper, joint: table, stiffness: [200, 200, 900]}
constraints:
  - {name: drive, type: prescribed-motion, joint: turn, motion: {polynomial: [0, 3]}}
)");
  check_frequencies(*system, {7, 13, 30});  // 30: the mass turns by itself
}

TEST_CASE("a rolling disc runs straight with the closed-form frequency of leaning and steering") {
  // with the spin w: lambda^2 = -(C (C + m r^2) w^2 - A m g r) / (A (A + m r^2))
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: disc, position: [0, 0, 0.5], mass: 2, inertia: {xx: 0.125, yy: 0.25, zz: 0.125}, velocity: [3, 0, 0], angular_velocity: [0, 6, 0]}
constraints:
  - {name: contact, type: rolling-disc, body: disc, axis: [0, 1, 0], radius: 0.5}
)");
  const double A = 0.125, C = 0.25, mr2 = 0.5, w = 6, mgr = 2 * 9.81 * 0.5;
  check_frequencies(*system, {std::sqrt((C * (C + mr2) * w * w - A * mgr) / (A * (A + mr2)))});
}

TEST_CASE("a link with a motor has the matrices of circuit and shaft, the rotor's speed following the link") {
  // L i' = V - R i - ke n w,  (I + n^2 J) w' = kt n i - n^2 c w
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: link, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.15}}
joints:
  - {name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
modules:
  - {name: motor, type: dc-motor, joint: pin, voltage: {constant: 6}, resistance: 1.5, inductance: 0.03,
     torque_constant: 0.4, back_emf_constant: 0.5, gear_ratio: 3, rotor_inertia: 0.002, friction: 0.004, current: 1}
)");
  const double inertia = 0.15 + 9 * 0.002;
  const std::vector<LinearCase> all = linearize_all(*system, {}, {"pin.v", "motor.current"});
  REQUIRE(all.size() >= 2);
  for (const LinearCase& c : all) {
    INFO(c.formulation->name());
    const host::Linearization& l = c.linear;
    REQUIRE(l.states.size() == 4);  // pin.q, pin.v, motor.current, motor.angle
    CHECK(l.states[2].name == "motor.current");
    CHECK(l.states[2].unit == "A");
    REQUIRE(l.inputs.size() == 1);
    CHECK(l.inputs[0].name == "motor.voltage");
    CHECK(l.A.value(1, 1) == Approx(-9 * 0.004 / inertia).epsilon(tolerance));
    CHECK(l.A.value(1, 2) == Approx(0.4 * 3 / inertia).epsilon(tolerance));
    CHECK(l.A.value(2, 1) == Approx(-0.5 * 3 / 0.03).epsilon(tolerance));
    CHECK(l.A.value(2, 2) == Approx(-1.5 / 0.03).epsilon(tolerance));
    CHECK(l.B.value(2, 0) == Approx(1 / 0.03).epsilon(tolerance));
    CHECK(l.C.value(1, 2) == Approx(1).epsilon(tolerance));
  }
}

// x'' = (-k x + 2 k y) / m, y'' = (k x - 4 k y) / m: w^2 = (5 -+ sqrt 17) k / 2 m
TEST_CASE("two sliders have their frequencies in micrograms and in tons") {
  for (const double mass : {1e-10, 1.0, 1e10}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: {0}, inertia: {{xx: {0}, yy: {0}, zz: {0}}}}}
  - {{name: b, mass: {0}, inertia: {{xx: {0}, yy: {0}, zz: {0}}}}}
joints:
  - {{name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0]}}
  - {{name: r, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}}
forces:
  - {{name: ks, type: joint-spring-damper, joint: s, stiffness: 100}}
  - {{name: kr, type: joint-spring-damper, joint: r, stiffness: 200}}
)",
                                                     mass));
    const double unit = std::sqrt(50 / mass);
    check_frequencies(*system, {std::sqrt(5 - std::sqrt(17.0)) * unit, std::sqrt(5 + std::sqrt(17.0)) * unit});
  }
}

// A chain of n masses m on springs k, free at its end: ω = 2 √(k/m) sin((2 j − 1) π / (4 n + 2)), j = 1 … n.
TEST_CASE("a long chain of masses has the frequencies of the wave along it, in a few evaluations per state") {
  constexpr std::size_t n = 150;
  constexpr double k = 1e6, m = 0.5;
  std::string text = fmt::format(R"(
polyform: 1
chains:
  - {{name: row, count: {}, base: ground, start: [0, 0, 0], step: [0.1, 0, 0],
     joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}}}
forces:
)",
                                 n, m);
  for (std::size_t i = 0; i < n; ++i)
    text +=
        fmt::format("  - {{name: s{}, type: joint-spring-damper, joint: \"row[{}].joint\", stiffness: {}}}\n", i, i, k);
  const auto system = system_from_text(text);
  const std::vector<const Formulation*> formulations = formulations_for(*system);
  const auto found = std::ranges::find_if(formulations, [](const auto* f) { return f->name() == "riccati"; });
  const LinearCase c = linearize_at(*system, **found, initial_point(*system), {"none"}, {"none"});
  const std::vector<double> all = frequencies(c.modes);
  REQUIRE(all.size() == n);
  for (std::size_t j = 1; j <= n; ++j) {
    const double angle = static_cast<double>(2 * j - 1) * std::numbers::pi / static_cast<double>(4 * n + 2);
    CHECK(all[j - 1] == Approx(2 * std::sqrt(k / m) * std::sin(angle)).epsilon(1e-9));
  }
  CHECK(c.linear.evaluations <= 16 * c.linear.states.size());
}
