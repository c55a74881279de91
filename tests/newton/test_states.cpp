// First-order states in a loop with the motion: of forces, of signals and of what these drive.
#include <fmt/format.h>

#include "framework/host/simulation/simulate.hpp"
#include "newton_check.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Three bodies in a row with a pin, a slide and a pin, at rest. Little or nothing accelerates them, so that directions
/// of joints hardly turn, which the matrix leaves out.
std::string row(const std::string& rest) {
  std::string text = "polyform: 1\nname: row\ngravity: [0, 0, 0]\nbodies:\n";
  for (int i = 0; i < 3; ++i)
    text += fmt::format(
        "  - {{name: b{}, position: [{}, 0, 0], mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: {{xx: 0.1, yy: 0.2, zz: "
        "0.2}}}}\n",
        i, i);
  return text +
         "joints:\n"
         "  - {name: j0, type: revolute, base: ground, moving: b0, position: [0, 0, 0], axis: [0, 0, 1]}\n"
         "  - {name: j1, type: prismatic, base: b0, moving: b1, position: [1, 0, 0], axis: [0, 0.6, 0.8]}\n"
         "  - {name: j2, type: revolute, base: b1, moving: b2, position: [2, 0, 0], axis: [0, 1, 0]}\n" +
         rest;
}

/// Two lags, one after the other, of what a formula reads; the last one's name: `name`b.
std::string lags(const std::string& name, const std::string& input) {
  return fmt::format(
      "  - {{name: {0}a, type: transfer-function, input: \"{1}\", numerator: [1], denominator: [1e-4, 0.02, 1]}}\n"
      "  - {{name: {0}b, type: transfer-function, input: \"signal({0}a)\", numerator: [0.1, 1], denominator: [0.003, "
      "1]}}\n",
      name, input);
}

std::string cylinder(const std::string& name, const std::string& a, const std::string& b) {
  return fmt::format(
      "  - {{name: {}, type: hydraulic-cylinder, a: {{body: {}}}, b: {{body: {}}}, piston_area: 2e-3, rod_area: 8e-4, "
      "stroke: 2.8, retracted_length: 0.4, dead_volume: 2e-4, outlet: 1e-9, friction: 20000, pressure: 1e3}}\n",
      name, a, b);
}

/// What oil does when its piston moves by 1 m, Pa: the size of pressures against displacements.
constexpr double pressures = 1e9;

void check_exact(NewtonCheck& check, double size_of_states = 1) {
  for (const double gamma : {1e-5, 1e-4, 1e-3, 0.01}) {
    INFO("gamma " << gamma);
    const double turning = gamma > 1e-3 ? 0.02 : 1e-3;
    CHECK(check.residual(gamma, size_of_states) < turning);
    CHECK(check.residual({gamma, 0.7 * gamma}, size_of_states) < turning);
  }
}

/// A crank, a coupler and a rocker. A signal reads joints of the tree and of the cut, and acts in one of them; gravity
/// in m/s², unit: of the signal, N m.
std::string linkage(const std::string& joint, double gravity, double unit = 1) {
  return fmt::format(R"_(polyform: 1
name: linkage
gravity: [0, -{}, 0]
signals:
  - {{name: f, type: transfer-function, input: "{}*q(a)-{}*v(d)", numerator: [1], denominator: [1e-4, 1]}}
)_",
                     gravity, -2000 / unit, 200 / unit) +
         R"_(bodies:
  - {name: crank, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.083, yy: 0.001, zz: 0.083}}
  - {name: coupler, position: [0, 1, 0], mass: 1, center_of_mass: [1, 0.2, 0], inertia: {xx: 0.01, yy: 0.33, zz: 0.33}}
  - {name: rocker, position: [2, 0, 0], mass: 1, center_of_mass: [0, 0.7, 0],
     inertia: {xx: 0.083, yy: 0.001, zz: 0.083}}
joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: b, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: c, type: spherical, base: coupler, moving: rocker, position: [2, 1.4, 0]}
  - {name: d, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: h, type: hydraulic-cylinder, a: {body: ground, point: [1, -0.5, 0]}, b: {body: coupler, point: [1, 0.2, 0]},
     piston_area: 2e-3, stroke: 2.8, retracted_length: 0.4, dead_volume: 2e-4, outlet: 1e-9, friction: 20000,
     pressure: 1e3}
  - {name: u, type: joint-force, joint: )_" +
         joint + fmt::format(", effort: {{expression: \"{}*signal(f)\"}}}}\nsimulation: {{duration: 2}}\n", unit);
}

/// Those of a run of 2 s.
std::size_t evaluations(const host::System& system, std::string_view formulation, std::string_view integrator) {
  for (const Formulation* f : formulations_for(system)) {
    if (f->name() != formulation) continue;
    const auto solver = solver_for(system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = 2;
    settings.relative_tolerance = 1e-7;
    settings.absolute_tolerance = 1e-9;
    const host::RunRecord record = host::simulate(system, *solver, settings, {}, {});
    REQUIRE(record.end == host::End::done);
    return record.evaluations;
  }
  FAIL("the formulation is not there");
  return 0;
}

}  // namespace

TEST_CASE("states of forces on a body, between neighbours and across the tree are in Newton's matrix") {
  const std::string formulation = GENERATE("riccati", "reduced");
  const std::string forces = GENERATE(cylinder("u", "ground, point: [-0.5, 1, 0]", "b0, point: [0.3, 0.1, 0]"),
                                      cylinder("u", "b0, point: [0.2, 0.4, 0]", "b1, point: [0.5, 0.1, 0]"),
                                      cylinder("u", "b2, point: [0.2, 0.4, 0]", "b1, point: [0, 1.1, 0]"),
                                      cylinder("u", "ground, point: [1, 1, 0]", "b2, point: [0.2, 0.1, 0]") +
                                          cylinder("w", "b0, point: [0.4, 0.3, 0.2]", "b2, point: [0.3, 0.1, 0]"));
  INFO(formulation << ":\n" << forces);
  NewtonCheck check(row("forces:\n" + forces), formulation);
  check_exact(check, pressures);
}

TEST_CASE("signals with states in a loop with the motion are in Newton's matrix") {
  const std::string formulation = GENERATE("riccati", "reduced");
  const std::string signals = GENERATE(
      // each joint by itself
      "  - {name: c0, type: pid, input: \"-q(j0)\", kp: 80, ki: 100, kd: 20, filter: 1e-3}\n" +
          lags("c1", "-30*q(j1)-4*v(j1)") + lags("c2", "-10*q(j2)-v(j2)"),
      // across the joints, and by motions of bodies
      "  - {name: c0, type: pid, input: \"-q(j2)\", kp: 80, ki: 100, kd: 20, filter: 1e-3}\n" +
          lags("c1", "-30*q(j0)-4*v(j1)+signal(c0)") + lags("c2", "-10*(y(b2)-y(b1))-vx(b1)+signal(c1b)"));
  INFO(formulation << ":\n" << signals);
  NewtonCheck check(row("signals:\n" + signals +
                        "forces:\n"
                        "  - {name: u0, type: joint-force, joint: j0, effort: {expression: \"signal(c0)\"}}\n"
                        "  - {name: u1, type: joint-force, joint: j1, effort: {expression: \"signal(c1b)\"}}\n"
                        "  - {name: u2, type: joint-force, joint: j2, effort: {expression: \"2*signal(c2b)\"}}\n"),
                    formulation);
  check_exact(check);
}

TEST_CASE("a signal that drives the flow of a cylinder is in Newton's matrix") {
  NewtonCheck check(
      row("signals:\n  - {name: p, type: pid, input: \"-1e9*q(j2)\", kp: 2, ki: 10, kd: 0.1, filter: 1e-3}\n" +
          lags("c", "signal(p)") +
          "forces:\n"
          "  - {name: u, type: hydraulic-cylinder, a: {body: b1, point: [0, 1, 0]}, b: {body: b2, point: "
          "[0.4, 0.1, 0]}, piston_area: 2e-3, stroke: 2.8, retracted_length: 0.4, dead_volume: 2e-4, flow: "
          "{expression: \"1e-12*signal(cb)\"}, outlet: 1e-9, friction: 20000, pressure: 1e3}\n"));
  check_exact(check, pressures);
}

TEST_CASE("more controllers than a border holds stay at the cost of the sweep") {
  // 30 links, each with a controller of its own: 90 states in one element.
  std::string text =
      "polyform: 1\nname: arm\ngravity: [0, 0, 0]\nchains:\n"
      "  - {name: r, count: 30, base: ground, start: [0, 0, 0], step: [0.1, 0, 0], joint: {type: revolute, axis: [0, 0, "
      "1]}, body: {mass: 0.1, center_of_mass: [0.05, 0, 0], inertia: {xx: 1e-4, yy: 1e-3, zz: 1e-3}}}\n"
      "signals:\n";
  std::string forces = "forces:\n";
  for (int i = 0; i < 30; ++i) {
    text += lags(fmt::format("c{}", i), fmt::format("-{}*q(r[{}].joint)-0.3*v(r[{}].joint)", 30 + i, i, i));
    forces += fmt::format(
        "  - {{name: u{}, type: joint-force, joint: \"r[{}].joint\", effort: {{expression: \"signal(c{}b)\"}}}}\n", i,
        i, i);
  }
  NewtonCheck check(text + forces);
  for (const double gamma : {1e-3, 0.02}) {
    CHECK(check.residual(gamma) < 1e-4);
    CHECK(check.residual({gamma, 0.7 * gamma}) < 1e-4);
  }
}

TEST_CASE("states in a closed loop are in Newton's matrix") {
  const std::string joint = GENERATE("a", "d"), formulation = GENERATE("riccati", "reduced");
  INFO(formulation << ", signal at " << joint);
  NewtonCheck check(linkage(joint, 0, 1e-6), formulation);
  for (const double gamma : {1e-4, 1e-3, 0.01}) {
    INFO("gamma " << gamma);
    CHECK(check.residual_in_loops(gamma, pressures) < 1e-3);
    CHECK(check.residual_in_loops({gamma, 0.7 * gamma}, pressures) < 1e-3);
  }
}

TEST_CASE("states in a closed loop take few evaluations") {
  const std::string joint = GENERATE("a", "d");
  const auto system = system_from_text(linkage(joint, 9.81));
  // Without what the states do it was 6583 with the signal at a, 4875 at d. A full matrix takes 58: the steps become so
  // long that turning joints count.
  CHECK(evaluations(*system, "riccati", "radau5") < 650);
  CHECK(evaluations(*system, "reduced", "radau5") < 650);
}

TEST_CASE("a controller with a fast filter takes as few evaluations as with a full matrix") {
  const auto system = system_from_text(R"_(polyform: 1
name: slider
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
          initial: {position: 0.2}}]
signals: [{name: c, type: pid, input: "0.5-q(j)", kp: 80, ki: 100, kd: 20, filter: 1e-5}]
forces: [{name: u, type: joint-force, joint: j, effort: {expression: "signal(c)"}}]
simulation: {duration: 2, output_interval: 0.02}
)_");
  for (const std::string_view integrator : {"radau5", "cvode-bdf", "generalized-alpha"}) {
    INFO(std::string(integrator));
    const std::size_t full = evaluations(*system, "thompson", integrator);
    CHECK(evaluations(*system, "riccati", integrator) < 3 * full / 2);
    CHECK(evaluations(*system, "reduced", integrator) < 3 * full / 2);
  }
}
