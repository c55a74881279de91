// Forces between bodies that are no neighbours, and closed loops.
#include <fmt/format.h>

#include "framework/host/simulation/simulate.hpp"
#include "newton_check.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Four rods in a row with a ball, a slide and pins between them.
std::string row(const std::string& forces) {
  std::string text = "polyform: 1\nname: row\ngravity: [1, -9.81, 2]\nbodies:\n";
  for (int i = 0; i < 4; ++i)
    text += fmt::format(
        "  - {{name: b{}, position: [{}, 0, 0], mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: {{xx: 0.1, yy: 0.2, zz: 0.2}}}}\n",
        i, i);
  text +=
      "joints:\n  - {name: j0, type: revolute, base: ground, moving: b0, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  - {name: j1, type: spherical, base: b0, moving: b1, position: [1, 0, 0]}\n"
      "  - {name: j2, type: prismatic, base: b1, moving: b2, position: [2, 0, 0], axis: [0, 0.6, 0.8]}\n"
      "  - {name: j3, type: revolute, base: b2, moving: b3, position: [3, 0, 0], axis: [0, 1, 0]}\n";
  return text + forces;
}

/// A four-bar linkage whose coupler has a stiff spring to ground, and stiff springs in two of its pins, one of them
/// cut.
const std::string linkage = R"(polyform: 1
name: linkage
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, position: [0, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.083, yy: 0.001, zz: 0.083}}
  - {name: coupler, position: [0, 1, 0], mass: 1, center_of_mass: [1, 0.2, 0], inertia: {xx: 0.01, yy: 0.33, zz: 0.33}}
  - {name: rocker, position: [2, 0, 0], mass: 1, center_of_mass: [0, 0.7, 0], inertia: {xx: 0.083, yy: 0.001, zz: 0.083}}
  - {name: weight, position: [1, 1.2, 0], mass: 0.01, center_of_mass: [0.1, 0, 0], inertia: {xx: 1e-5, yy: 1e-4, zz: 1e-4}}
joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: b, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: c, type: spherical, base: coupler, moving: rocker, position: [2, 1.4, 0]}
  - {name: d, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1]}
  - {name: e, type: revolute, base: coupler, moving: weight, position: [1, 1.2, 0], axis: [0, 0, 1]}
forces:
  - {name: soft, type: joint-spring-damper, joint: a, stiffness: 20}
  - {name: pin, type: joint-spring-damper, joint: e, stiffness: 1e4, damping: 1}
  - {name: line, type: spring-damper, a: {body: weight, point: [0.1, 0, 0]}, b: {body: rocker, point: [0.1, 0.5, 0]}, stiffness: 50, damping: 30}
simulation: {duration: 1}
)";

host::RunRecord run(const host::System& system, std::string_view formulation, std::string_view integrator,
                    double tolerance, std::vector<double>& q) {
  struct Last final : host::RowSink {
    void row(double, const Observation& now) override { q.assign(now.q.begin(), now.q.end()); }
    std::vector<double> q;
  } last;
  for (const Formulation* f : formulations_for(system)) {
    if (f->name() != formulation) continue;
    const auto solver = solver_for(system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = 1;
    settings.relative_tolerance = settings.absolute_tolerance = tolerance;
    host::RowSink* const sinks[] = {&last};
    const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    q = last.q;
    return record;
  }
  FAIL("the formulation is not there");
  return {};
}

}  // namespace

TEST_CASE("forces across the tree are in Newton's matrix") {
  NewtonCheck springs(row(R"(forces:
  - {name: e, type: spring-damper, a: {body: b0, point: [0.1, 0.5, 0]}, b: {body: b3, point: [0, 0.1, 0.7]}, stiffness: 1e5, damping: 20}
  - {name: f, type: spring-damper, a: {body: b3, point: [0.1, 0.5, 0.3]}, b: {body: b1, point: [0, 0.1, 0.7]}, stiffness: 1e4, damping: 50}
  - {name: g, type: rotational-spring-damper, a: {body: b0, point: [0, 0, 0]}, b: {body: b2, point: [0, 0, 0]}, axes: [[1, 0, 0], [0, 1, 0]], stiffness: 1e4, damping: 3}
  - {name: h, type: spring-damper, a: {body: ground, point: [2, 3, 0]}, b: {body: b2, point: [0, 0.1, 0.7]}, stiffness: 1e5, damping: 50}
)"));
  CHECK(springs.residual(1e-4) < 1e-4);
  CHECK(springs.residual(0.01) < 1e-2);
  CHECK(springs.residual({0.01, 0.007}) < 1e-2);
}

TEST_CASE("a loop with stiff couplings takes few evaluations and moves as in other formulations") {
  const auto system = system_from_text(linkage);
  std::vector<double> stiff, other, explicitly;
  const host::RunRecord implicit = run(*system, "riccati", "radau5", 1e-6, stiff);
  const host::RunRecord plain = run(*system, "riccati", "dopri5", 1e-6, explicitly);
  run(*system, "cartesian", "radau5", 1e-7, other);
  CHECK(implicit.evaluations < plain.evaluations / 4);
  REQUIRE(stiff.size() == other.size());
  for (std::size_t i = 0; i < stiff.size(); ++i) {
    CHECK(std::abs(stiff[i] - other[i]) < 1e-5);
    CHECK(std::abs(stiff[i] - explicitly[i]) < 1e-5);
  }
}
