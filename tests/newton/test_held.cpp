// What holds the steps of an explicit integrator down.
#include <fmt/format.h>

#include "framework/host/simulation/simulate.hpp"
#include "polyform/helpers/time_scale.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

#include <catch2/catch.hpp>

using namespace polyform;
using namespace polyform::test;

namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

host::RunRecord run(const host::System& system, std::string_view formulation, std::string_view integrator,
                    double duration) {
  for (const Formulation* f : formulations_for(system)) {
    if (f->name() != formulation) continue;
    const auto solver = solver_for(system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = settings.output_interval = duration;
    settings.relative_tolerance = 1e-5;
    settings.absolute_tolerance = 1e-7;
    return host::simulate(system, *solver, settings, {}, {});
  }
  FAIL("the formulation is not there");
  return {};
}

/// A pendulum whose weight hangs on a stiff damped slide.
std::string pendulum(double stiffness) {
  return fmt::format(R"(polyform: 1
name: pendulum
gravity: [0, -9.81, 0]
bodies:
  - {{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.01, yy: 0.08, zz: 0.08}}}}
  - {{name: weight, position: [1, 0, 0], mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: slide, type: prismatic, base: rod, moving: weight, position: [1, 0, 0], axis: [1, 0, 0]}}
forces:
  - {{name: soft, type: joint-spring-damper, joint: pin, stiffness: 1}}
  - {{name: rubber, type: joint-spring-damper, joint: slide, stiffness: {0}, damping: {1}}}
)",
                     stiffness, stiffness / 1e3);
}

}  // namespace

TEST_CASE("a run names the force that holds explicit steps down, and its rate") {
  const std::string formulation = GENERATE("riccati", "cartesian", "particles");
  // x'' = -1e8 x - 1e5 x': the rates are those of s² + 1e5 s + 1e8, -9.9e4 and -1e3.
  const auto system = system_from_text(pendulum(1e8));
  const host::RunRecord held = run(*system, formulation, "dopri5", 0.3);
  INFO(held.failure << held.choices);
  CHECK_THAT(held.choices, StartsWith("force `rubber` at 9."));
  CHECK_THAT(held.choices, Contains("--integrator auto or radau5"));
}

// The largest eigenvalue of the linear model is -1377.3 ± 68853 i, 68867 rad/s.
TEST_CASE("a mode of a flexible body is named as what holds explicit steps down") {
  const auto system = system_from_file(POLYFORM_MODELS "/stiff_beam.yaml");
  CHECK_THAT(run(*system, "riccati", "dopri5", 0.1).choices, StartsWith("mode 39 of body `beam` at 6.9e+04"));
}

TEST_CASE("steps that accuracy chooses are not said to be held") {
  CHECK(run(*system_from_text(pendulum(100)), "riccati", "dopri5", 20).choices.empty());
  CHECK(run(*system_from_file(POLYFORM_MODELS "/heavy_top.yaml"), "riccati", "dopri5", 5).choices.empty());
  // An implicit method is not held.
  CHECK(run(*system_from_text(pendulum(1e8)), "riccati", "radau5", 2).choices.empty());
}

TEST_CASE("auto names the element that made it change") {
  const host::RunRecord changed = run(*system_from_text(pendulum(1e8)), "riccati", "auto", 2);
  CHECK_THAT(changed.choices, Contains("force `rubber` at 9."));
}

// A unit mass on a stiff spring beside a soft one: s² + 2 z w s + w² has roots of the size w up to z = 1, and then the
// larger one is w (z + √(z² − 1)).
TEST_CASE("the time scale of a system is its largest eigenvalue, whatever the damping") {
  const double w = GENERATE(1e2, 1e4, 1e6);
  const double z = GENERATE(0.0, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 10.0, 100.0);
  const auto derivative = [&](std::span<const double> y, std::span<double> ydot) {
    ydot[0] = y[2], ydot[1] = y[3];
    ydot[2] = -w * w * (y[0] - 0.01) - 2 * z * w * y[2] + 3 * y[1] - 9.81;
    ydot[3] = -100 * y[1] - 2 * y[3];
    return true;
  };
  const std::vector<double> y = {0.011, 0.2, 1, 0.5};
  const double expected = z < 1 ? w : w * (z + std::sqrt(z * z - 1));
  TimeScale scale(4, 0);
  scale.start();
  CAPTURE(w, z);
  // Differences part the double root of z = 1 by the root of their rounding.
  for (int round = 0; round < 10; ++round)
    CHECK(scale.measure(y, derivative) == Approx(expected).epsilon(z == 1 ? 0.05 : 0.002));
}

// A mass that is free, and then touches a spring of 1e4 rad/s. In flight the power method keeps the one slow motion,
// -1/s of y₂, and nothing of the others.
TEST_CASE("a motion that becomes fast after all was slow is found by a new start") {
  double stiffness = 0;
  const auto derivative = [&](std::span<const double> y, std::span<double> ydot) {
    ydot[0] = y[1], ydot[1] = -stiffness * y[0] - 9.81, ydot[2] = -y[2];
    return true;
  };
  const std::vector<double> y = {1, 1, 1};
  TimeScale scale(3, 0);
  scale.start();
  for (int round = 0; round < 10; ++round) scale.measure(y, derivative);
  CHECK(scale.measure(y, derivative) == Approx(1).epsilon(1e-3));
  stiffness = 1e8;
  scale.start();
  CHECK(scale.measure(y, derivative) == Approx(1e4).epsilon(1e-3));
}

// A ball of 1 kg falls by 5 mm to 0.1 m onto 1e7 N/m and rolls on, with friction that is regularised at 1 mm/s: µ N / v
// over the inertia felt at the contact is some 1e4 rad/s, from the first touch on. In flight nothing is fast.
TEST_CASE("auto finds a contact that is stiff after a flight") {
  const double height = GENERATE(0.005, 0.02, 0.1);
  const auto system = system_from_text(fmt::format(R"yaml(polyform: 1
gravity: [0, 0, -9.81]
ground: {{geometry: [{{type: box, size: [20, 20, 1], position: [0, 0, -0.5]}}]}}
bodies: [{{name: b, mass: 1, position: [0, 0, {}], velocity: [1, 0, 0], inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}},
  geometry: [{{type: sphere, radius: 0.1}}]}}]
joints: [{{name: j, type: free, base: ground, moving: b}}]
forces: [{{name: c, type: contact, a: b, b: ground, stiffness: 1e7, restitution: 0.3,
  friction: {{static: 0.3, dynamic: 0.3, velocity: 1e-3}}}}]
)yaml",
                                                   0.1 + height));
  const host::RunRecord chosen = run(*system, "riccati", "auto", 2), implicit = run(*system, "riccati", "radau5", 2);
  INFO(chosen.choices);
  CHECK_THAT(chosen.choices, Contains("radau5 for") && Contains("force `c` at"));
  CHECK(static_cast<double>(chosen.evaluations) < 2.5 * static_cast<double>(implicit.evaluations) + 1000);
}

// Two masses: of a slide with w = 1e4 rad/s and half of the critical damping, and of one that creeps.
TEST_CASE("the rate of what holds explicit steps is that of a damped vibration, and of the faster of two elements") {
  const auto model = [](double k1, double c1, double k2, double c2) {
    return system_from_text(fmt::format(R"(polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: ja, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: jb, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: first, type: joint-spring-damper, joint: ja, stiffness: {}, damping: {}}}
  - {{name: second, type: joint-spring-damper, joint: jb, stiffness: {}, damping: {}}}
)",
                                        k1, c1, k2, c2));
  };
  const std::string formulation = GENERATE("riccati", "cartesian");
  CHECK_THAT(run(*model(1e8, 1e4, 1e4, 1e2), formulation, "dop853", 0.3).choices,
             StartsWith("force `first` at 1e+04 rad/s"));
  // −2e4 rad/s beside 1e4 rad/s without damping.
  CHECK_THAT(run(*model(1e8, 0, 1e4, 2e4), formulation, "dop853", 0.3).choices,
             StartsWith("force `second` at 2e+04 rad/s"));
  CHECK_THAT(run(*model(1e8, 0, 1e4, 2e3), formulation, "dop853", 0.3).choices,
             StartsWith("force `first` at 1e+04 rad/s"));
}

// ẋ = -1e6 x + … is the fast one of the two signals; the force that they drive is soft.
TEST_CASE("a signal that is fast by itself is named as what holds explicit steps down") {
  const std::string formulation = GENERATE("riccati", "cartesian", "reduced");
  const auto system = system_from_text(R"yaml(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
  initial: {position: 0.2}}]
signals:
  - {name: slow, type: transfer-function, input: "-q(j)", numerator: [1], denominator: [1, 1]}
  - {name: quick, type: transfer-function, input: "-q(j)-v(j)", numerator: [1], denominator: [1e-6, 1]}
forces: [{name: u, type: joint-force, joint: j, effort: {expression: "signal(slow)+signal(quick)"}}]
)yaml");
  CHECK_THAT(run(*system, formulation, "dopri5", 0.02).choices, StartsWith("signal `quick` at 1e+06"));
}

// 1e6 / 2 per second by the force `brake`; the signal needs a second.
TEST_CASE("of forces that follow signals the one that is stiff is named") {
  const auto system = system_from_text(R"yaml(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
  initial: {position: 0.2}}]
signals: [{name: slow, type: transfer-function, input: "-q(j)", numerator: [1], denominator: [1, 1]}]
forces:
  - {name: soft, type: joint-force, joint: j, effort: {expression: "signal(slow)"}}
  - {name: brake, type: joint-force, joint: j, effort: {expression: "signal(slow)-1e6*v(j)"}}
)yaml");
  CHECK_THAT(run(*system, "riccati", "dopri5", 0.05).choices, StartsWith("force `brake` at 5e+05"));
}

// R/L = 2e6 per second.
TEST_CASE("a module whose states are fast by themselves is named as what holds explicit steps down") {
  const std::string formulation = GENERATE("riccati", "cartesian");
  const auto system = system_from_text(R"yaml(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: w, mass: 1, inertia: {xx: 0.002, yy: 0.002, zz: 0.003}}]
joints: [{name: j, type: revolute, base: ground, moving: w, position: [0, 0, 0], axis: [0, 0, 1]}]
modules: [{name: mo, type: dc-motor, joint: j, voltage: {sine: {amplitude: 12, frequency: 1.0}}, resistance: 2,
  inductance: 1e-06, torque_constant: 0.05, gear_ratio: 3, rotor_inertia: 1e-05}]
)yaml");
  CHECK_THAT(run(*system, formulation, "dopri5", 0.01).choices, StartsWith("module `mo` at 2e+06"));
}
