// Bodies whose joints give them no inertia: rows that tie them to ground do. Every formulation runs them, those by the
// recursion too, whose tree takes such rows as inertia.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const std::string braked_cart = R"(polyform: 1
gravity: [0.3, 0, -9.81]
bodies:
  - {name: cart, mass: 10, inertia: {xx: 1, yy: 1, zz: 1}, position: [0, 0, 0.3]}
  - {name: wheel, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}, position: [0, 0, 0.3]}
joints:
  - {name: slide, type: prismatic, base: ground, moving: cart, position: [0, 0, 0.3], axis: [1, 0, 0], initial: {velocity: 1}}
  - {name: axle, type: revolute, base: cart, moving: wheel, position: [0, 0, 0.3], axis: [0, 1, 0]}
constraints:
  - {name: roll, type: rolling-disc, body: wheel, axis: [0, 1, 0], radius: 0.3}
forces:
  - {name: brake, type: joint-spring-damper, joint: axle, stiffness: 0, damping: 0.5}
)";

/// Checks the acceleration of the only coordinate of a joint in all six formulations.
void require_acceleration(const std::string& text, std::string_view joint, double expected) {
  const auto system = system_from_text(text);
  const std::vector<const Formulation*> formulations = formulations_for(*system);
  CHECK(formulations.size() >= 6);
  for (const Formulation* formulation : formulations) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    for (const JointData& one : system->view().joints)
      if (one.name == joint) CHECK(store.now().acceleration[one.v_offset] == Approx(expected).epsilon(1e-11));
  }
}

}  // namespace

TEST_CASE("a rolling wheel without mass takes the load of its brake to the cart") {
  // m a = m g_x - c v / r².
  require_acceleration(braked_cart, "slide", 0.3 - 0.5 / (10 * 0.3 * 0.3));
}

TEST_CASE("the row of a module on the same tree is no such row: its variables give way") {
  // A rotor of 0.02 kg m² turns by 30 rad per metre of the slide: (m + J n²) a = m g_x - c v / r².
  require_acceleration(braked_cart + R"(modules:
  - {name: drive, type: rotor, joint: slide, inertia: 0.02, ratio: 30}
)",
                       "slide", (10 * 0.3 - 0.5 / (0.3 * 0.3)) / (10 + 0.02 * 30 * 30));
}

TEST_CASE("a tree that is regular as drawn passes the state in which a row alone holds it") {
  // A massless arm with a driven pin carries a point mass on a slide, which passes the pin, where only the drive holds
  // the arm: r'' = omega² r.
  const auto system = system_from_text(R"(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: bead, mass: 2, inertia: {xx: 0, yy: 0, zz: 0}, position: [0.2, 0, 0]}
joints:
  - {name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: slide, type: prismatic, base: arm, moving: bead, position: [0.2, 0, 0], axis: [1, 0, 0], initial: {position: -0.2}}
constraints:
  - {name: drive, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 3]}}
)");
  std::size_t carried = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    if (solver->observe(0, initial_vector(*system, *solver), store.now()) != Status::ok) {
      CHECK_FALSE(solver->failure().empty());  // particles refuse it
      continue;
    }
    ++carried;
    for (const double a : store.now().acceleration) CHECK(std::abs(a) < 1e-9);
  }
  CHECK(carried >= 5);
}

TEST_CASE("a coupler without mass whose end slides on a floor hangs on the row of its cut joint") {
  // It carries no load, so that the crank swings as by itself: I alpha = -m g l.
  require_acceleration(R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: coupler, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}, position: [0.2, 0.1, 0]}
joints:
  - {name: pin, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: knee, type: revolute, base: crank, moving: coupler, position: [0.2, 0.1, 0], axis: [0, 0, 1]}
  - {name: floor, type: point-on-plane, base: ground, moving: coupler, position: [0.7, 0, 0], axis: [0, 1, 0], axis2: [1, 0, 0], cut: true}
)",
                       "pin", -9.81 * 0.1 / 0.02);
}
