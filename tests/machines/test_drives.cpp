// Hydraulic cylinders, belts that slip and synchronous motors against closed forms.
#include <algorithm>
#include <cmath>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

TEST_CASE("a cylinder with a constant flow moves with flow over area, under the pressure of its load") {
  in_formulations(shipped("hydraulic_lift"), [](const Table& rows) {
    CHECK(rows.at(0, "cylinder.pressure") == 2452500);
    CHECK(std::abs(rows.at(0, "guide.a")) < 1e-9);
    CHECK(std::abs(rows.at(9, "guide.v")) < 1e-8);  // before there is a flow
    const std::size_t last = rows.rows.size() - 1;
    // Steady: the chamber of the rod carries what its outlet takes, and the seals their friction.
    const double rod_pressure = 1.2e-3 * 0.1 / 1e-9;
    CHECK(rows.at(last, "guide.v") == Approx(0.1).epsilon(1e-4));
    CHECK(rows.at(last, "cylinder.rod_pressure") == Approx(rod_pressure).epsilon(1e-3));
    CHECK(rows.at(last, "cylinder.pressure") ==
          Approx((500 * 9.81 + 1.2e-3 * rod_pressure + 2000 * 0.1) / 2e-3).epsilon(1e-3));
  });
}

TEST_CASE("oil in a closed cylinder is a spring of bulk modulus, area and volume") {
  // Both chambers with V = 1e-4 + 1e-3 · 0.25 m³ and the area 1e-3 m²: k = 2 β A²/V.
  const double w = std::sqrt(2 * 1.4e9 * 1e-6 / 3.5e-4 / 200);
  in_formulations_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: mass, position: [1, 0, 0], mass: 200, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: guide, type: prismatic, base: ground, moving: mass, position: [1, 0, 0], axis: [1, 0, 0], initial: {velocity: 0.001}}
forces:
  - {name: cylinder, type: hydraulic-cylinder, a: {body: ground}, b: {body: mass}, piston_area: 1e-3, stroke: 0.5, dead_volume: 1e-4,
     pressure: 1e6, rod_pressure: 1e6}
simulation: {duration: 0.1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-13}, output_interval: 0.005}
)",
                     [&](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r)
                         CHECK(rows.at(r, "guide.v") == Approx(0.001 * std::cos(w * rows.at(r, "time"))).margin(2e-7));
                     });
}

TEST_CASE("a piston that passes the end of its stroke ends the run, by flows of time and by formulas") {
  // It rises by 0.1 m/s from 0.1 m + 0.025 m at 1 s on; 8 mm beyond 0.8 m of stroke.
  const Workshop shop;
  const auto ends = [&](const std::string& flow) {
    std::string model = shop.read(shipped("hydraulic_lift"));
    const std::string given = "{ramp: {rate: 4e-4, start: 0.5, end: 1}}";
    REQUIRE(model.find(given) != std::string::npos);
    model.replace(model.find(given), given.size(), flow);
    const Outcome run = shop.run({"run", shop.write("m.yaml", model), "--duration", "12", "--output", "rows.csv",
                                  "--columns", "joints,elements"});
    INFO(run.err);
    CHECK(run.code == 0);
    CHECK_THAT(run.out + run.err, Catch::Contains("piston beyond the end of its stroke"));
    const Table rows = read_table(shop.read("rows.csv"));
    CHECK(rows.at(rows.rows.size() - 1, "cylinder.way") == Approx(0.808).epsilon(1e-6));
    CHECK(rows.at(rows.rows.size() - 1, "time") == Approx(7.83).margin(0.02));
  };
  ends("{ramp: {rate: 4e-4, start: 0.5, end: 1}}");
  ends("{expression: \"4e-4*min(max(t - 0.5, 0), 0.5) + 0*q(guide)\"}");
}

TEST_CASE("motors of a chain refuse links that their joints do not move") {
  const Workshop shop;
  const auto refused = [&](const std::string& links, const std::string& why) {
    std::string model = shop.read(shipped("arm_on_carriage"));
    const std::string given = "[{body: carriage, point: [0, 0, 0.2]}, {body: arm}]";
    REQUIRE(model.find(given) != std::string::npos);
    model.replace(model.find(given), given.size(), links);
    const Outcome run = shop.run({"run", shop.write("m.yaml", model), "--quiet"});
    INFO(links << ": " << run.err);
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Catch::Contains(why));
  };
  refused("[{body: arm}, {body: carriage}]", "link 1 of a computed-torque turns by");
  refused("[{body: carriage}, {body: carriage}]", "link 2 of a computed-torque turns by");
  refused("[{body: carriage}, {body: arm, point: [0.4, 0, 0]}]", "the point of link 2 of a computed-torque moves by");
}

TEST_CASE("motors of a chain tell the acceleration that a gear between its joints makes them miss") {
  // Two wheels with the inertias 2 and 3, geared 1:-1, told 1 and 2: the efforts 2 and 6 turn them with (2 - 6)/5.
  in_formulations_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 2, yy: 2, zz: 2}}
  - {name: b, mass: 1, inertia: {xx: 3, yy: 3, zz: 3}}
joints:
  - {name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: q, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: g, type: gear, joint: p, other_joint: q, radius: 1, other_radius: 1}
forces:
  - {name: m, type: computed-torque, joints: [p], links: [{body: a}], acceleration: [1]}
  - {name: n, type: computed-torque, joints: [q], links: [{body: b}], acceleration: [2]}
simulation: {duration: 0.1, output_interval: 0.05}
)",
                     [](const Table& rows) {
                       CHECK(rows.at(1, "p.a") == Approx(-0.8));
                       CHECK(rows.at(1, "m.missed") == Approx(1.8));
                       CHECK(rows.at(1, "n.missed") == Approx(1.2));
                     });
}

TEST_CASE("a belt slips at Eytelwein's limit and grips again") {
  const double limit = 400 * std::tanh(0.15 * pi);
  in_formulations(shipped("belt_slips"), [&](const Table& rows) {
    bool slipped = false;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      CHECK(std::abs(rows.at(r, "belt.force")) <= limit * (1 + 1e-9));
      const bool slips = rows.at(r, "belt.mode") == 1;
      slipped = slipped || slips;
      if (!slips) continue;
      CHECK(rows.at(r, "belt.force") == Approx(limit));
      CHECK(rows.at(r, "belt.tight") / rows.at(r, "belt.slack") == Approx(std::exp(0.3 * pi)));
      CHECK(rows.at(r, "flywheel_bearing.a") == Approx(0.05 * limit / 0.4).epsilon(1e-9));
    }
    CHECK(slipped);
    CHECK(rows.at(rows.rows.size() - 1, "belt.mode") == 0);
    CHECK(std::abs(rows.at(rows.rows.size() - 1, "belt.slip")) < 0.05);
  });
}

TEST_CASE("a synchronous motor holds its speed under load, at the load angle of its circuit") {
  // Steady state of the circuit with resistance: V cos(…) and V sin(…) from i_d and i_q, solved for the torque.
  const double w = 314.1592653589793, L = 0.02, R = 0.2, psi = 0.9, V = 325, load = 20 + 0.02 * w / 2;
  double angle = 0, torque = 0;
  for (double step = 0.5; step > 1e-13; step *= 0.5) {  // bisection: the torque grows with the angle up to 90°
    const double a = angle + step, vd = -V * std::sin(a), vq = V * std::cos(a);
    // R i_d − w L i_q = v_d, w L i_d + R i_q = v_q − w ψ
    const double determinant = R * R + w * w * L * L, iq = (R * (vq - w * psi) - w * L * vd) / determinant;
    if (1.5 * 2 * psi * iq < load) angle = a, torque = 1.5 * 2 * psi * iq;
  }
  CHECK(torque == Approx(load));
  in_formulations(shipped("synchronous_motor"), [&](const Table& rows) {
    const std::size_t last = rows.rows.size() - 1;
    CHECK(rows.at(last, "bearing.v") == Approx(w / 2).epsilon(1e-6));
    CHECK(rows.at(last, "motor.torque") == Approx(load).epsilon(1e-4));
    CHECK(rows.at(last, "motor.load_angle") == Approx(angle).margin(1e-4));
  });
}
