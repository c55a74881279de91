// Accelerations that part bodies from one another are told: forces may be in balance all the same.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "framework/host/evaluation/joint_check.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const char* rods = R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
  - {name: lower, position: [0.6, 0, 0], mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
joints:
  - {name: top, type: revolute, base: ground, moving: upper, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 3}}
  - {name: elbow, type: spherical, base: upper, moving: lower, position: [0.6, 0, 0], initial: {velocity: [1, -2, 0.5]}}
)";

/// Ten rods of 1 kg and 1 m on ball joints, at rest: the model of transfer_product_chain.yaml.
std::string chain(int count) {
  return fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
chains:
  - name: rod
    count: {}
    body: {{mass: 1, center_of_mass: [0.3535533905932738, 0, -0.3535533905932738], inertia: {{xx: 0.0421666666666667, yy: 0.0833333333333333, zz: 0.0421666666666667, xz: 0.0411666666666667}}}}
    joint: {{type: spherical}}
    base: ground
    start: [0, 0, 0]
    step: [0.7071067811865476, 0, -0.7071067811865476]
)",
                     count);
}

const Formulation* riccati_for(const host::System& system) {
  for (const Formulation* f : formulations_for(system))
    if (f->name() == "riccati") return f;
  FAIL("there is no riccati");
  return nullptr;
}

/// The check of joints behind the balance, which finds the motions for both.
struct Joints {
  Joints(const host::System& system, Solver& solver) : balance(system.view()), joints(system.view(), solver, balance) {}
  void check(const Observation& now) {
    balance.check(0, now);
    joints.check(0, now);
  }
  Balance balance;
  host::JointCheck joints;
};

}  // namespace

TEST_CASE("a wrong acceleration of a body parts it from its joint, whose name is told; right ones do not") {
  const auto system = system_from_text(rods);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    Joints right(*system, *solver), wrong(*system, *solver);
    right.check(store.now());
    CHECK(right.joints.largest() < 1e-12);
    CHECK(right.joints.warning().empty());
    store.now().bodies[1].acceleration.y += 0.1;
    wrong.check(store.now());
    CHECK(wrong.joints.largest() > 1e-3);
    CHECK(wrong.joints.largest() < 0.1);
    CHECK(wrong.joints.warning().find("at joint `elbow`") != std::string::npos);
  }
}

TEST_CASE("a body that its joint holds still under a load has accelerations of rounding, and no doubt is raised") {
  const std::string text = R"(
polyform: 1
gravity: [0, 0, 0]
bodies: [{name: b, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}]
joints: [{name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}]
forces: [{name: p, type: point-force, body: b, point: [0, 0.3, 0], force: [0, 7, 0], moment: [1, 2, 5]}]
)";
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    host::SolverCheck right(system->view(), *solver);
    right.check(0, store.now());
    CHECK(right.report().warning.empty());
    // Alone, the load would turn the body with 5 / 0.1 rad/s²: a thousandth of it is no rounding.
    store.now().bodies[0].angular_acceleration.z += 0.05;
    Joints wrong(*system, *solver);
    CHECK_THROWS(wrong.check(store.now()));
  }
}

TEST_CASE("the product of transfer matrices says what it has lost of its digits") {
  for (const auto& [count, told] : {std::pair{3, false}, {8, false}, {12, true}}) {
    const auto system = system_from_text(chain(count));
    const auto solver = solver_for(*system, *riccati_for(*system), {{"algorithm", "transfer-product"}});
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    Joints check(*system, *solver);
    check.check(store.now());
    INFO(count << " " << check.joints.largest());
    // The error of the root's joint is what the accelerations there are, which should be none.
    const double parted = norm(store.now().bodies[0].acceleration);
    CHECK(check.joints.largest() >= 0.01 * parted / 9.81);
    CHECK(check.joints.warning().empty() != told);
  }
}
