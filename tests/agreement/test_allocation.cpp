// Nothing allocates after compile, in any formulation.
#include <catch2/catch.hpp>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A loop of two rods and a beam, with forces on the beam.
constexpr const char* flexible_loop = R"(
polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
  - {name: beam, type: flexible-beam, position: [0, 1, 0], length: 1, linear_density: 1, bending_stiffness: 20,
     modes: 3, boundary: pinned-pinned, modal_position: [0.02, 0.01, 0]}
  - {name: c, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
joints:
  - {name: A, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: B, type: revolute, base: a, moving: beam, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: beam, moving: c, position: [1, 1, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: c, position: [1, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: spring, type: spring-damper, a: {body: beam, point: [0.5, 0, 0]}, b: {body: ground, point: [0.5, 2, 0]},
     stiffness: 30, damping: 1}
)";

/// Welded bodies with forces in their own axes.
constexpr const char* welded = R"(
polyform: 1
bodies:
  - {name: hub, mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: boom, position: [1, 0, 0], orientation: {rpy: [0, 0, 1]}, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: weld, type: fixed, base: hub, moving: boom, position: [1, 0, 0]}
forces:
  - {name: push, type: point-force, body: boom, point: [1, 0, 0], force: [1, 2, 3], axes: body}
)";

}  // namespace

TEST_CASE("derivative, correct, observe, encode and decode make no allocation") {
  for (const std::string& text :
       {random_model({.seed = 5, .bodies = 12, .loops = 0}), random_model({.seed = 5, .bodies = 12, .loops = 2}),
        std::string(flexible_loop), std::string(welded)}) {
    const auto system = system_from_text(text);
    std::vector<std::pair<const Formulation*, SolverOptions>> all;
    for (const Formulation* formulation : formulations_for(*system)) {
      all.push_back({formulation, {}});
      if (formulation->name() == "particles") all.push_back({formulation, {{"equations", "sparse"}}});
    }
    for (const auto& [formulation, options] : all) {
      INFO("formulation " << formulation->name() << (options.empty() ? "" : ", sparse") << ", model " << text);
      const std::size_t before_compile = allocations();
      const auto solver = solver_for(*system, *formulation, options);
      CHECK(allocations() > before_compile);  // the counter sees what plugins do
      std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
      host::ObservationStore store(system->view());
      Correction correction;
      const std::size_t before = allocations();
      const Status status[] = {solver->derivative(0, y, rate), solver->correct(0, y, correction),
                               solver->observe(0, y, store.now()), solver->encode(system->initial_state(), y),
                               solver->decode(y, store.now().state())};
      const std::size_t after = allocations();
      CHECK(after == before);
      for (const Status s : status) CHECK(s == Status::ok);
    }
  }
}
