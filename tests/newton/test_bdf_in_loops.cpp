// Gear's method in stiff closed loops: the evaluations of all formulations, and the same motion.
#include <catch2/catch.hpp>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr const char* parallelogram = R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: l1, position: [0, 0, 0], mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.08, yy: 0.001, zz: 0.08}}
  - {name: l2, position: [1, 0, 0], mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.08, yy: 0.001, zz: 0.08}}
@third_link@
  - {name: bar, position: [0, -1, 0], mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.17, zz: 0.17}}
  - {name: w, position: [0.5, -1, 0], mass: 0.1, center_of_mass: [0, -0.1, 0],
     inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  - {name: A, type: revolute, base: ground, moving: l1, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.6}}
  - {name: B, type: revolute, base: ground, moving: l2, position: [1, 0, 0], axis: [0, 0, 1]}
@third_pivot@
  - {name: D, type: revolute, base: l1, moving: bar, position: [0, -1, 0], axis: [0, 0, 1]}
  - {name: E, type: revolute, base: l2, moving: bar, position: [1, -1, 0], axis: [0, 0, 1]}
@third_pin@
  - {name: G, type: revolute, base: bar, moving: w, position: [0.5, -1, 0], axis: [0, 0, 1]}
forces:
  - {name: k, type: joint-spring-damper, joint: G, stiffness: 1.0e+5, damping: 10}
)";

/// The parallelogram; with a third link its constraints are redundant in the plane too, and it has more than 60 states.
std::string model(bool third) {
  std::string text = parallelogram;
  const auto put = [&](std::string_view place, std::string_view line) {
    text.replace(text.find(place), place.size(), third ? line : std::string_view());
  };
  put("@third_link@",
      "  - {name: l3, position: [0.5, 0, 0], mass: 1, center_of_mass: [0, -0.5, 0],"
      " inertia: {xx: 0.08, yy: 0.001, zz: 0.08}}");
  put("@third_pivot@",
      "  - {name: C, type: revolute, base: ground, moving: l3, position: [0.5, 0, 0], axis: [0, 0, 1]}");
  put("@third_pin@", "  - {name: F, type: revolute, base: l3, moving: bar, position: [0.5, -1, 0], axis: [0, 0, 1]}");
  return text;
}

struct Run {
  host::RunRecord record;
  double angle = 0;  ///< of the first pivot at the end, rad
};

Run run(const host::System& system, const Formulation& formulation, std::string_view integrator, double tolerance) {
  struct Last final : host::RowSink {
    void row(double, const Observation& now) override { angle = now.q[0]; }
    double angle = 0;
  } last;
  const auto solver = solver_for(system, formulation);
  host::RunSettings settings = run_settings(integrator);
  settings.duration = 2;
  settings.output_interval = 0.5;
  settings.relative_tolerance = settings.absolute_tolerance = tolerance;
  host::RowSink* const sinks[] = {&last};
  host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  return {std::move(record), last.angle};
}

}  // namespace

TEST_CASE("implicit methods get over a stiff hinge in a closed loop in every formulation") {
  const bool third = GENERATE(false, true);
  INFO((third ? "with a third link" : "one loop"));
  const auto system = system_from_text(model(third));
  const auto formulations = formulations_for(*system);
  const auto riccati = std::ranges::find_if(formulations, [](const Formulation* f) { return f->name() == "riccati"; });
  REQUIRE(riccati != formulations.end());
  const Run exact = run(*system, **riccati, "dop853", 1e-11), reference = run(*system, **riccati, "cvode-bdf", 1e-6);
  REQUIRE(exact.record.end == host::End::done);
  REQUIRE(reference.record.end == host::End::done);
  for (const Formulation* formulation : formulations) {
    INFO(std::string(formulation->name()));
    const Run now = run(*system, *formulation, "cvode-bdf", 1e-6);
    INFO(now.record.failure);
    CHECK(now.record.end == host::End::done);
    // Some 200 steps with errors of a tolerance each.
    CHECK(std::abs(now.angle - exact.angle) < 1e-4);
    // In absolute coordinates a step's error moves bodies that are pinned to each other apart: twice to four times.
    const bool is_absolute = formulation->name() == "cartesian" || formulation->name() == "hierarchy";
    CHECK(now.record.evaluations <= (is_absolute ? 5 : 2) * reference.record.evaluations);
    const Run radau = run(*system, *formulation, "radau5", 1e-6);
    CHECK(std::abs(radau.angle - exact.angle) < 1e-5);
    CHECK(radau.record.rejected_steps < radau.record.steps / 4);
  }
}
