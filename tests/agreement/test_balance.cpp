// The imbalance that the host finds in what solvers give: rounding where they are right, the size of the error where
// not.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "framework/host/evaluation/balance_check.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// The largest imbalance of each formulation that takes the system, at its initial state; all must be below the
/// tolerance.
void require_balance(const host::System& system, double tolerance) {
  Balance balance(system.view());
  REQUIRE(balance.good());
  for (const Formulation* formulation : formulations_for(system)) {
    host::ObservationStore store(system.view());
    const auto solver = solver_for(system, *formulation);
    std::vector<double> y(solver->state_size());
    if (solver->encode(system.initial_state(), y) != Status::ok || solver->observe(0, y, store.now()) != Status::ok)
      continue;  // the solver's own word
    const Imbalance& imbalance = balance.check(0, store.now());
    std::string parts;
    for (const double p : balance.bodies()) parts += fmt::format(" {:.1e}", p);
    INFO(formulation->name() << ": " << imbalance.name << " of" << parts);
    CHECK(imbalance.part < tolerance);
  }
}

const char* rods = R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
  - {name: lower, position: [0.6, 0, 0], mass: 1, center_of_mass: [0.2, 0.1, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
joints:
  - {name: shoulder, type: spherical, base: ground, moving: upper, position: [0, 0, 0], initial: {velocity: [0.3, 1, -0.4]}}
  - {name: elbow, type: revolute, base: upper, moving: lower, position: [0.6, 0, 0], axis: [0, 1, 0], initial: {velocity: 2}}
forces:
  - {name: motor, type: joint-force, joint: elbow, effort: 0.7}
)";

}  // namespace

TEST_CASE("no shipped model is out of balance in any formulation") {
  for (const auto& file : std::filesystem::directory_iterator(POLYFORM_MODELS)) {
    if (file.path().extension() != ".yaml") continue;
    const std::string name = file.path().stem().string();
    if (name == "branch_100002_dof") continue;       // takes long; its smaller sister is here
    if (name == "transfer_product_chain") continue;  // shows how digits are lost
    INFO(name);
    require_balance(*system_from_file(file.path().string()), 0.01 * host::warned_imbalance);
  }
}

TEST_CASE("no random model is out of balance in any formulation") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomModelSettings settings;
    settings.seed = seed;
    settings.bodies = 3 + static_cast<int>(seed % 9);
    settings.loops = static_cast<int>(seed % 4);
    settings.loops_are_redundant = seed % 8 == 5;
    INFO("seed " << seed);
    require_balance(*system_from_text(random_model(settings)), 0.01 * host::warned_imbalance);
  }
}

TEST_CASE("a wrong acceleration is an imbalance of its size, and the body is named") {
  const auto system = system_from_text(rods);
  Balance balance(system->view());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::ObservationStore store(system->view());
    const auto solver = solver_for(*system, *formulation);
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(balance.check(0, store.now()).part < 1e-12);
    // Body and joint alike, so that the accelerations fit and only the forces do not.
    const std::size_t elbow = system->view().joints[0].name == "elbow" ? 0 : 1;
    const double turn = 0.01 * norm(store.now().bodies[elbow].angular_acceleration);
    store.now().acceleration[system->view().joints[elbow].v_offset] += turn;
    store.now().bodies[elbow].angular_acceleration += Vec3{0, turn, 0};
    const Imbalance& imbalance = balance.check(0, store.now());
    CHECK(imbalance.name == "lower");
    CHECK(imbalance.part > 2e-4);  // relative to gravity and all that acts, not to the turning alone
    CHECK(imbalance.part < 2e-2);
  }
}

TEST_CASE("a wrong acceleration of a body that nothing holds is an imbalance, though no joint carries anything") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: stone, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
joints:
  - {name: flight, type: free, base: ground, moving: stone, initial: {velocity: [1, 0, 2, 3, 1, -2]}}
)");
  Balance balance(system->view());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::ObservationStore store(system->view());
    const auto solver = solver_for(*system, *formulation);
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(balance.check(0, store.now()).part < 1e-12);
    store.now().bodies[0].acceleration += Vec3{0, 0.1, 0};
    const Imbalance& imbalance = balance.check(0, store.now());
    CHECK(imbalance.name == "stone");
    CHECK(imbalance.part > 1e-3);
  }
}

TEST_CASE("a wrong reaction is an imbalance, and its body is named") {
  const auto system = system_from_text(rods);
  Balance balance(system->view());
  for (const Formulation* formulation : formulations_for(*system)) {
    host::ObservationStore store(system->view());
    const auto solver = solver_for(*system, *formulation);
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    const std::size_t elbow = system->view().joints[0].name == "elbow" ? 0 : 1;
    store.now().reactions[elbow].linear += Vec3{0, 0.01 * norm(store.now().reactions[elbow].linear), 0};
    const Imbalance& imbalance = balance.check(0, store.now());
    CHECK((imbalance.name == "lower" || imbalance.name == "upper"));
    CHECK(imbalance.part > 2e-4);  // relative to gravity and all that acts, not to the turning alone
  }
}

namespace {

/// Of a system at rest no formulation is out of balance, and nothing is said of it. Rounding of the state, one time or
/// another, leaves one acceleration or another.
void require_rest(const host::System& system) {
  for (const Formulation* formulation : formulations_for(system)) {
    INFO(formulation->name());
    host::ObservationStore store(system.view());
    const auto solver = solver_for(system, *formulation);
    std::vector<double> y = initial_vector(system, *solver);
    host::BalanceCheck check(system.view(), *solver);
    for (const double nudge : {0.0, 1e-16, -3e-16, 1e-15, -1e-14}) {
      for (double& value : y) value *= 1 + nudge;
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      REQUIRE_NOTHROW(check.check(0, store.now()));
    }
    CHECK(check.report().warning == "");
  }
}

}  // namespace

// 12 V at 2 Ω drive 6 A, which hold 0.5 × 6 N m against the spring at 0.03 rad: what is left of the accelerations is
// rounding of two efforts that cancel each other.
TEST_CASE("a motor that holds a spring at rest is in balance, and nothing is said of it") {
  const auto system = system_from_text(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: wheel, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [1, 0, 0], initial: {position: 0.03}}
modules:
  - {name: motor, type: dc-motor, joint: shaft, torque_constant: 0.5, resistance: 2, inductance: 0.01, voltage: 12, current: 6, rotor_inertia: 1e-5}
forces:
  - {name: spring, type: joint-spring-damper, joint: shaft, stiffness: 100, damping: 1, rest: 0}
)YAML");
  require_rest(*system);
}

// Without inertia of the rotor nothing but rounding is left of a module whose terms cancel.
TEST_CASE("a motor without rotor inertia that holds a weight at rest is in balance") {
  for (const double constant : {0.3, 0.06})
    for (const double resistance : {0.7, 2.5}) {
      const double current = 4.905 / constant;
      const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: arm, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}}
modules:
  - {{name: motor, type: dc-motor, joint: pin, resistance: {}, inductance: 0.003, torque_constant: {}, current: {}, voltage: {}}}
)YAML",
                                                       resistance, constant, current, resistance * current));
      INFO(constant << " N m/A, " << resistance << " Ohm");
      require_rest(*system);
    }
}
