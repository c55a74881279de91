// Modules whose fields follow formulas of the state and signals, against closed forms and against models that say the
// same without a module.
#include <fmt/format.h>

#include <cmath>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

namespace {

constexpr double kt = 0.05, resistance = 2, inductance = 0.004, inertia = 0.003, damping = 0.001, ratio = 3,
                 rotor = 1e-4;

/// A wheel and its motor; `rest` follows the voltage and the constant of the back EMF.
std::string wheel(const std::string& voltage, double back_emf, double ohm, const std::string& rest) {
  return fmt::format(R"yaml(
gravity: [0, 0, 0]
bodies:
  - {{name: wheel, mass: 1, inertia: {{xx: 1, yy: 1, zz: {}}}}}
joints:
  - {{name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: bearing, type: joint-spring-damper, joint: axle, stiffness: 0, damping: {}}}
modules:
  - {{name: motor, type: dc-motor, joint: axle, voltage: {}, resistance: {}, inductance: {}, torque_constant: {},
     back_emf_constant: {}, gear_ratio: {}, rotor_inertia: {}}}
{}
simulation: {{duration: 0.5, integrator: dop853, tolerance: {{relative: 1e-11, absolute: 1e-13}},
  output_interval: 0.05}}
)yaml",
                     inertia, damping, voltage, ohm, inductance, kt, back_emf, ratio, rotor, rest);
}

/// The same circuit as a signal, whose current gives a torque: no module.
std::string wheel_by_signals(const std::string& voltage, const std::string& rest) {
  return fmt::format(R"yaml(
gravity: [0, 0, 0]
bodies:
  - {{name: wheel, mass: 1, inertia: {{xx: 1, yy: 1, zz: {}}}}}
joints:
  - {{name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: bearing, type: joint-spring-damper, joint: axle, stiffness: 0, damping: {}}}
  - {{name: motor, type: joint-force, joint: axle, effort: {{expression: "{} * signal(current)"}}}}
signals:
  - {{name: current, type: integrator, input: "({} - {} * signal(current) - {} * v(axle)) / {}"}}
{}
simulation: {{duration: 0.5, integrator: dop853, tolerance: {{relative: 1e-11, absolute: 1e-13}},
  output_interval: 0.05}}
)yaml",
                     inertia + ratio * ratio * rotor, damping, ratio * kt, voltage, resistance, ratio * kt, inductance,
                     rest);
}

void check_same(const Table& rows, const Table& other, const std::string& current) {
  REQUIRE(rows.rows.size() == other.rows.size());
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    CHECK(rows.at(r, "axle.v") == Approx(other.at(r, "axle.v")).margin(1e-7));
    CHECK(rows.at(r, "motor.current") == Approx(other.at(r, current)).margin(1e-7));
  }
}

Table rows_of_text(const std::string& text) {
  const Workshop shop;
  return rows_of(shop.write("model.yaml", "polyform: 1\n" + text), "reduced");
}

}  // namespace

TEST_CASE("a voltage that falls with the speed is a larger constant of the back EMF") {
  const Table other = rows_of_text(wheel("24", kt + 0.1 / ratio, resistance, ""));
  in_formulations_of(wheel("{expression: \"24 - 0.1 * v(axle)\"}", kt, resistance, ""),
                     [&](const Table& rows) { check_same(rows, other, "motor.current"); });
}

TEST_CASE("a voltage that falls with the motor's own current is a larger resistance") {
  const Table other = rows_of_text(wheel("12", kt, resistance + 6, ""));
  in_formulations_of(wheel("{expression: \"6 * (2 - channel(motor.current))\"}", kt, resistance, ""),
                     [&](const Table& rows) { check_same(rows, other, "motor.current"); });
}

TEST_CASE("a controller of the speed with a limit drives a motor as it drives the same circuit without a module") {
  const std::string pid = "{name: u, type: pid, input: \"60 - v(axle)\", kp: 0.8, ki: 12, lower: -24, upper: 24}";
  const Table other = rows_of_text(wheel_by_signals("signal(u)", "  - " + pid));
  in_formulations_of(wheel("{expression: \"signal(u)\"}", kt, resistance, "signals:\n  - " + pid),
                     [&](const Table& rows) {
                       check_same(rows, other, "signal.current");
                       CHECK(rows.at(1, "signal.u") == Approx(other.at(1, "signal.u")).margin(1e-6));
                     });
}

TEST_CASE("a sampled controller drives a motor as it drives the same circuit without a module") {
  const std::string sampler = "{name: u, type: sampler, interval: 0.02, input: \"0.9 * (60 - v(axle))\"}";
  const Table other = rows_of_text(wheel_by_signals("signal(u)", "  - " + sampler));
  const Table rows = rows_of_text(wheel("{expression: \"signal(u)\"}", kt, resistance, "signals:\n  - " + sampler));
  check_same(rows, other, "signal.current");
}

TEST_CASE("two motors and a force follow one signal, and an acceleration follows a formula") {
  // The law v' = -4 q moves each slide as cos(2 t), the motors turn in opposite directions.
  in_formulations_of(R"yaml(
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: c, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jc, type: prismatic, base: ground, moving: c, position: [0, 0, 0], axis: [1, 0, 0], initial: {position: 1}}
modules:
  - {name: ma, type: dc-motor, joint: ja, voltage: {expression: "signal(u)"}, resistance: 1, inductance: 0.01,
     torque_constant: 0.1}
  - {name: law, type: acceleration-law, joint: jc, acceleration: {expression: "-4 * q(jc)"}}
  - {name: mb, type: dc-motor, joint: jb, voltage: {expression: "-signal(u)"}, resistance: 1, inductance: 0.01,
     torque_constant: 0.1}
signals:
  - {name: u, type: transfer-function, input: "1", numerator: [5], denominator: [0.1, 1]}
simulation: {duration: 1, integrator: dop853, tolerance: {relative: 1e-11, absolute: 1e-13}, output_interval: 0.1}
)yaml",
                     [](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         const double t = rows.at(r, "time");
                         CHECK(rows.at(r, "jc.q") == Approx(std::cos(2 * t)).margin(1e-8));
                         CHECK(rows.at(r, "signal.u") == Approx(5 * (1 - std::exp(-10 * t))).margin(1e-8));
                         CHECK(rows.at(r, "ja.v") == Approx(-rows.at(r, "jb.v")).margin(1e-9));
                       }
                       CHECK(rows.at(rows.rows.size() - 1, "ma.current") > 1);
                     });
}

TEST_CASE("what a module cannot take or tell is refused before the run") {
  const Workshop shop;
  const auto refusal = [&](const std::string& text) {
    const Outcome outcome = shop.run({"check", shop.write("model.yaml", "polyform: 1\n" + text)});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal(wheel("{expression: \"channel(motor.gear_torque)\"}", kt, resistance, "")),
             Contains("outputs and multipliers of modules follow from accelerations"));
  CHECK_THAT(refusal(wheel("{expression: \"channel(motor.curent)\"}", kt, resistance, "")),
             Contains("no state 'curent'") && Contains("'current'"));
  CHECK_THAT(refusal(wheel("{expression: \"a(axle)\"}", kt, resistance, "")), Contains("reads an acceleration"));
  CHECK_THAT(refusal(R"yaml(
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - name: pair
    type: coupled
    modules:
      - {name: m, type: dc-motor, joint: ja, voltage: 1, resistance: 1, inductance: 0.01, torque_constant: 0.1}
    constraints:
      - {name: held, terms: {m.current: 1}, value: {expression: "v(ja)"}}
)yaml"),
             Contains("the module differentiates it in time"));
}

TEST_CASE("a motor under control holds its speed under a load") {
  in_formulations(shipped("motor_speed_control"), [](const Table& rows) {
    const std::size_t last = rows.rows.size() - 1;
    CHECK(rows.at(last, "axle.v") == Approx(60).epsilon(1e-4));
    CHECK(rows.at(last, "motor.current") == Approx((0.3 + 0.001 * 60) / (3 * 0.05)).epsilon(1e-3));
    CHECK(rows.at(last, "signal.voltage") == Approx(2 * 2.4 + 0.05 * 3 * 60).epsilon(1e-3));
  });
}
