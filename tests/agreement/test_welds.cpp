// Welded bodies move as one. The results of formulations that merge them must be those of formulations that keep a body
// and rows for every weld, and must obey the equations of motion of each single body.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "polyform/solvers/rigid_groups.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Groups on ground and on moving bodies, welds in both directions, chains of welds, frames without mass, turned axes,
/// springs within a group and beyond it, forces in the axes of welded bodies, and joints of many kinds on these.
const std::string tree = R"(
polyform: 1
gravity: [0.4, -9.81, 1.2]
bodies:
  - {name: mount, position: [0.1, 0.2, -0.3], orientation: {rpy: [0.4, -0.7, 1.1]}, mass: 3, center_of_mass: [0.1, 0,
     0.2],
     inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.02, xz: -0.03, yz: 0.01}}
  - {name: shelf, position: [0.3, 0.2, 0.1], orientation: {rpy: [-1.4, 0.2, 0.5]}, mass: 1, center_of_mass: [0, 0.1, 0],
     inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  - {name: arm, position: [0.5, 0, 0], orientation: {rpy: [0.1, 0.5, -0.4]}, mass: 2, center_of_mass: [0.2, 0.1, 0],
     inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01}}
  - {name: sensor, position: [0.8, 0.2, 0.1], orientation: {rpy: [1.2, -0.3, 2.0]}, mass: 0, inertia: {xx: 0, yy: 0,
     zz: 0}}
  - {name: bracket, position: [0.9, 0.1, -0.2], orientation: {rpy: [-0.6, 0.8, 0.3]}, mass: 0.7,
     center_of_mass: [0, 0.05, 0.1], inertia: {xx: 0.01, yy: 0.02, zz: 0.02, yz: 0.003}}
  - {name: tool, position: [1.2, 0.3, -0.2], orientation: {rpy: [0.9, 0.1, -0.6]}, mass: 0.5, center_of_mass: [0.05,
     0, 0],
     inertia: {xx: 0.004, yy: 0.005, zz: 0.006}}
  - {name: tip, position: [1.3, 0.3, -0.1], orientation: {rpy: [0.2, 0.3, 0.4]}, mass: 0.1, center_of_mass: [0, 0,
     0.02],
     inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
  - {name: knuckle, position: [1.0, 0.5, 0.2], mass: 0.6, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.01, yy: 0.01,
     zz: 0.01}}
  - {name: ball, position: [0.9, -0.3, 0.2], orientation: {rpy: [0, 0.5, 0]}, mass: 0.4, center_of_mass: [0, -0.1, 0],
     inertia: {xx: 0.005, yy: 0.006, zz: 0.005}}
  - {name: pendulum, position: [0.3, -0.4, 0.2], mass: 0.9, center_of_mass: [0, -0.2, 0], inertia: {xx: 0.02,
     yy: 0.01, zz: 0.02}}
  - {name: flyer, position: [0, 2, 0], orientation: {rpy: [0.3, 0.2, 0.1]}, mass: 1, inertia: {xx: 0.1, yy: 0.2,
     zz: 0.3}}
  - {name: pod, position: [0.2, 2, 0.3], orientation: {rpy: [0, 1.2, 0.7]}, mass: 0.8, center_of_mass: [0, 0, 0.1],
     inertia: {xx: 0.02, yy: 0.03, zz: 0.02}}
joints:
  - {name: floor, type: fixed, base: ground, moving: mount, position: [0.1, 0.2, -0.3]}
  - {name: wall, type: fixed, base: shelf, moving: mount, position: [0.2, 0.3, 0]}
  - {name: shoulder, type: revolute, base: mount, moving: arm, position: [0.5, 0, 0], axis: [0.2, 0.5, 0.8],
     initial: {position: 0.4, velocity: 1.5}}
  - {name: glue, type: fixed, base: arm, moving: sensor, position: [0.8, 0.1, 0.1]}
  - {name: bolts, type: fixed, base: bracket, moving: sensor, position: [0.85, 0.15, 0]}
  - {name: slide, type: prismatic, base: bracket, moving: tool, position: [1.1, 0.2, -0.2], axis: [0.3, 0.4, -0.2],
     initial: {position: 0.1, velocity: -0.8}}
  - {name: clamp, type: fixed, base: tool, moving: tip, position: [1.3, 0.2, -0.1]}
  - {name: cross, type: universal, base: knuckle, moving: sensor, position: [1.0, 0.4, 0.2], axis: [1, 0.2, 0],
     axis2: [0, 0.3, 1], initial: {position: [0.2, -0.5], velocity: [1, -2]}}
  - {name: socket, type: spherical, base: bracket, moving: ball, position: [0.9, -0.2, 0.2],
     initial: {position: [0.9, 0.1, -0.3, 0.3], velocity: [0.7, -1.1, 2]}}
  - {name: hook, type: revolute, base: shelf, moving: pendulum, position: [0.3, -0.3, 0.2], axis: [0.5, 0.1, 1],
     initial: {position: -0.3, velocity: 2.5}}
  - {name: strut, type: fixed, base: flyer, moving: pod, position: [0.1, 2, 0.1]}
  - {name: air, type: free, base: ground, moving: flyer,
     initial: {position: [0.1, 0, 0.2, 0.8, 0.2, -0.4, 0.4], velocity: [1, 2, -1, 0.5, -0.7, 1.3]}}
forces:
  - {name: push, type: point-force, body: mount, point: [0.1, 0.2, 0.3], force: [3, -2, 1], moment: [0.5, 0.2, 0.1],
     axes: body}
  - {name: thrust, type: point-force, body: sensor, point: [0.3, 0.1, 0], force: [1, 2, 3], moment: [0.1, -0.4, 0.2],
     axes: body}
  - {name: wind, type: point-force, body: bracket, force: [0.5, 0.5, -1], axes: ground}
  - {name: jet, type: point-force, body: pod, point: [0, 0.1, 0], force: [0, 4, 1], axes: body}
  - {name: inner, type: spring-damper, a: {body: sensor, point: [0, 0.1, 0]}, b: {body: bracket, point: [0.1, 0, 0]},
     stiffness: 300, free_length: 0.1}
  - {name: outer, type: spring-damper, a: {body: bracket, point: [0.1, 0, 0]}, b: {body: shelf, point: [0, 0.2, 0]},
     stiffness: 80, damping: 3}
  - {name: rope, type: spring-damper, a: {body: tip, point: [0, 0, 0.1]}, b: {body: pod, point: [0, 0, 0]},
     stiffness: 5,
     damping: 1}
  - {name: motor, type: joint-force, joint: slide, effort: 2}
)";

/// A loop that goes through frames welded to its bodies, at its cut joint and within, and a triangle of welds.
const std::string loop = R"(
polyform: 1
bodies:
  - {name: crank, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
  - {name: crank_end, position: [0, 1, 0], orientation: {rpy: [0.3, 0.1, 0.8]}, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: coupler, position: [0, 1, 0], mass: 2, center_of_mass: [0.5, 0.1, 0.05], inertia: {xx: 0.01, yy: 0.2,
     zz: 0.2}}
  - {name: coupler_end, position: [1, 1.2, 0], mass: 1e-9, inertia: {xx: 0, yy: 0,
     zz: 0}}
  - {name: rocker, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0.6, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
  - {name: rocker_end, position: [1, 1.2, 0], orientation: {rpy: [1, 0, 0]}, mass: 0.2, inertia: {xx: 0.01, yy: 0.01,
     zz: 0.01}}
  - {name: gusset, position: [0.5, 1.3, 0], mass: 0.3, center_of_mass: [0, 0.1, 0.2], inertia: {xx: 0.01, yy: 0.01,
     zz: 0.01}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: weld1, type: fixed, base: crank, moving: crank_end, position: [0, 1, 0]}
  - {name: B, type: revolute, base: crank_end, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: weld2, type: fixed, base: coupler_end, moving: coupler, position: [1, 1.2, 0]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: weld3, type: fixed, base: rocker, moving: rocker_end, position: [1, 1.2, 0]}
  - {name: C, type: spherical, base: coupler_end, moving: rocker_end, position: [1, 1.2, 0], cut: true}
  - {name: weld4, type: fixed, base: coupler, moving: gusset, position: [0.3, 1.2, 0]}
)";
const std::string triangle =
    R"(  - {name: weld5, type: fixed, base: gusset, moving: coupler_end, position: [0.8, 1.3, 0], cut: true}
)";
const std::string spring = R"(forces:
  - {name: spring, type: spring-damper, a: {body: gusset, point: [0, 0.2, 0]}, b: {body: ground, point: [0.5, 3, 1]},
     stiffness: 30, damping: 1}
)";

void require_single_bodies_in_balance(const std::string& text) {
  const auto system = system_from_text(text);
  const host::State start(system->initial_state());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(host::newton_euler_error(system->view(), start, 0, store.now()) < 1e-10);
  }
}

/// The bodies of a model that are carried, by names.
std::string carried(const std::string& text) {
  const auto system = system_from_text(text);
  const RigidGroups groups(system->view());
  std::string names;
  for (std::size_t i = 0; i < system->view().bodies.size() && !groups.empty(); ++i) {
    if (!groups.is_carried(body_index(i))) continue;
    if (!names.empty()) names += ' ';
    names += system->view().bodies[i].name;
  }
  return names;
}

/// A welded pair on a hinge, with something more.
std::string pair_with(const std::string& more, const std::string& turn = "0") {
  return R"(
polyform: 1
bodies:
  - {name: hub, mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: boom, position: [1, 0, 0], orientation: {rpy: [0, 0, )" +
         turn + R"(]}, mass: 1, inertia: {xx: 0.1,
     yy: 0.1, zz: 0.1}}
  - {name: last, position: [2, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: weld, type: fixed, base: hub, moving: boom, position: [1, 0, 0]}
)" + more;
}

}  // namespace

TEST_CASE("formulations that merge welded bodies agree with those that do not") {
  CHECK(require_agreement(tree) >= 6);
  CHECK(require_agreement(loop + spring) >= 6);
  CHECK(require_agreement(loop + triangle + spring) >= 4);
}

TEST_CASE("the reactions of merged joints balance the motion of every single body") {
  require_single_bodies_in_balance(tree);
  require_single_bodies_in_balance(loop + spring);
}

TEST_CASE("welded bodies are carried unless their own motion, axes or joint is asked for") {
  CHECK(carried(tree) == "mount sensor tip shelf pod");
  CHECK(carried(loop) == "crank_end coupler_end gusset rocker_end");
  CHECK(carried(loop + triangle) == "crank_end rocker_end");
  const std::string hinge =
      "  - {name: end, type: revolute, base: boom, moving: last, position: [2, 0, 0], axis: [0, 1, 0]}\n";
  const std::string socket = "  - {name: end, type: spherical, base: boom, moving: last, position: [2, 0, 0]}\n";
  const std::string turned_about = "  - {name: end, type: spherical, base: last, moving: boom, position: [2, 0, 0]}\n";
  const std::string screw =
      "  - {name: end, type: helical, base: boom, moving: last, position: [2, 0, 0], axis: [1, 0, 0], pitch: 0.1}\n";
  CHECK(carried(pair_with(hinge)) == "boom");
  CHECK(carried(pair_with(hinge, "0.5")) == "boom");
  CHECK(carried(pair_with(socket)) == "boom");
  CHECK(carried(pair_with(socket, "0.5")).empty());
  CHECK(carried(pair_with(turned_about, "0.5")) == "boom");
  CHECK(carried(pair_with(screw)) == "boom");
  CHECK(carried(pair_with(screw, "0.5")).empty());
  CHECK(carried(pair_with(hinge + "constraints:\n  - {name: edge, type: knife-edge, body: boom, "
                                  "edge: [1, 0, 0]}\n"))
            .empty());
}

TEST_CASE("a system that is welded to ground as a whole keeps its bodies") {
  const std::string post = R"(
polyform: 1
bodies:
  - {name: post, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: foot, type: fixed, base: ground, moving: post, position: [0, 0, 0]}
)";
  CHECK(carried(post).empty());
  CHECK(require_agreement(post) >= 6);
}

TEST_CASE("a boom that is welded to a turning hub pulls by its centripetal force and hangs by its weight") {
  // About the upright axis at 3 rad/s: nothing accelerates the turn, so the weld at [1, 0, 0] gives the boom, whose
  // mass centre is at 1.5 m, −m ω² r along x, m g along z, and the weight's moment about the weld.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -10]
bodies:
  - {name: hub, mass: 5, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: boom, position: [1, 0, 0], orientation: {rpy: [0, 0, 1.5707963267948966]}, mass: 2, center_of_mass: [0,
     -0.5, 0],
     inertia: {xx: 0.2, yy: 0.01, zz: 0.2}}
joints:
  - {name: pin, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: weld, type: fixed, base: hub, moving: boom, position: [1, 0, 0]}
)");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    const Spatial& w = store.now().reactions[1];
    const Vec3 force{-2 * 9 * 1.5, 0, 20}, moment{0, -10, 0};
    CHECK(norm(w.linear - force) < 1e-12);
    CHECK(norm(w.angular - moment) < 1e-12);
    CHECK(norm(store.now().bodies[1].acceleration - Vec3{-9, 0, 0}) < 1e-12);
    CHECK(store.now().kinetic_energy == Approx(0.5 * 9 * (1 + 0.2 + 2 * 1.5 * 1.5)).epsilon(1e-14));
  }
}

TEST_CASE("potential energy counts what is welded to ground") {
  const std::string bodies = R"(
polyform: 1
gravity: [0, 0, -10]
bodies:
  - {name: post, position: [0, 0, 2], mass: 3, center_of_mass: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: bob, position: [1, 0, 4], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: foot, type: fixed, base: ground, moving: post, position: [0, 0, 2]}
  - {name: pin, type: revolute, base: post, moving: bob, position: [0, 0, 4], axis: [0, 1, 0]}
)";
  const auto system = system_from_text(bodies);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(store.now().potential_energy == Approx(3 * 10 * 3 + 10 * 4).epsilon(1e-14));
    CHECK(store.now().bodies[0].pose.position.z == 2);
  }
}
