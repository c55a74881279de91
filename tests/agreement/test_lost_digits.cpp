// Heavy bodies beside very light ones in loops: a solver that has no digits left says that, and blames no constraint.
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("a loop with masses over nine orders of magnitude is solved, or the digits are said to be lost") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0.5, -9.81, 1]
bodies:
  - {name: b0, mass: 8360, position: [-0.393, 0.442, -0.042], center_of_mass: [0.084, -0.144, -0.137], inertia: {xx: 295, yy: 409, zz: 255}}
  - {name: b1, mass: 9.5e-5, position: [-0.82, -0.96, 0.099], center_of_mass: [0.209, -0.077, 0.207], inertia: {xx: 3.4e-6, yy: 4.5e-6, zz: 4.68e-6}}
  - {name: b2, mass: 0.0112, position: [-0.421, 0.98, -0.882], center_of_mass: [-0.132, 0.267, 0.191], inertia: {xx: 0.000423, yy: 0.000391, zz: 0.000391}}
  - {name: b3, mass: 203000, position: [0.041, -0.28, 0.559], center_of_mass: [0.123, -0.113, 0.159], inertia: {xx: 9480, yy: 6110, zz: 7260}}
joints:
  - {name: j0, type: prismatic, base: ground, moving: b0, position: [-0.462, 0.521, -0.097], axis: [0.524, 0.841, 0.132]}
  - {name: j1, type: parallel, base: b0, moving: b1, position: [-0.422, -0.945, 0.217], axis: [-0.44, -0.273, -0.855]}
  - {name: j2, type: spherical, base: b1, moving: b2, position: [-0.09, 1.09, -0.929]}
  - {name: j3, type: spherical, base: b2, moving: b3, position: [0.239, -0.423, 0.606]}
  - {name: c0, type: fixed, base: ground, moving: b1, position: [0.679, 0.416, -0.445]}
  - {name: c1, type: perpendicular, base: b3, moving: b0, position: [-0.756, 0.869, -0.418], axis: [0.381, 0.0621, 0.922], axis2: [0.766, -0.58, -0.278]}
)");
  std::vector<Vec3> first;
  std::size_t solved = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    try {
      host::evaluate(*system, *solver, store);
    } catch (const host::Failure& failure) {
      INFO(failure.message());
      CHECK(failure.message().find("has taken the digits") != std::string::npos);
      continue;
    }
    std::vector<Vec3> found;
    for (const Observation::Body& body : store.now().bodies) found.push_back(body.acceleration);
    if (solved++ == 0) first = found;
    for (std::size_t b = 0; b < found.size(); ++b) CHECK(norm(found[b] - first[b]) < 1e-6 * (10 + norm(first[b])));
  }
  CHECK(solved >= 3);
}
