// What holds the steps of an explicit integrator down.
#include <fmt/format.h>

#include "framework/host/simulation/simulate.hpp"
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

TEST_CASE("a mode of a flexible body is named as what holds explicit steps down") {
  const auto system = system_from_file(POLYFORM_MODELS "/stiff_beam.yaml");
  CHECK_THAT(run(*system, "riccati", "dopri5", 0.1).choices, StartsWith("mode 39 of body `beam` at 7"));
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
