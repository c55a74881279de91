// Flexible bodies in the view and at the start: nodes, freedoms, loops closed around given deformations.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A parallelogram of 1 m links drawn at 60 degrees whose coupler is a beam.
std::string beam_parallelogram(const std::string& coupler, const std::string& a = "") {
  return R"(
polyform: 1
bodies:
  - {name: a, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: b, type: flexible-beam, position: [0.5, 0.8660254037844386, 0], length: 1, linear_density: 1, bending_stiffness: 10, )" +
         coupler + R"(}
  - {name: c, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: A, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1])" +
         a + R"(}
  - {name: B, type: revolute, base: a, moving: b, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: c, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: b, moving: c, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
)";
}

/// A beam pinned to ground at both ends.
std::string bridge(const std::string& more) {
  return R"(
polyform: 1
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 10, modes: 2, boundary: clamped-free)" +
         more + R"(}
joints:
  - {name: left, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: right, type: revolute, base: ground, moving: beam, position: [1, 0, 0], axis: [0, 0, 1]}
)";
}

}  // namespace

TEST_CASE("joints and markers at one point share a node, and none is made at a clamp") {
  const Assembled model(R"(
polyform: 1
bodies:
  - {name: beam, type: flexible-beam, position: [1, 2, 3], orientation: {axis: [0, 1, 0], angle: 0.3}, length: 1, linear_density: 1, bending_stiffness: 10, modes: 2, boundary: clamped-free, modal_position: [0.3, 0]}
joints:
  - {name: clamp, type: fixed, base: ground, moving: beam, position: [1, 2, 3]}
forces:
  - {name: one, type: spring-damper, a: {body: beam, point: [1, 0, 0]}, b: {body: ground, point: [0, 0, 0]}, stiffness: 1}
  - {name: two, type: point-force, body: beam, point: [1, 0, 0], force: [0, 1, 0], moment: [0, 0, 0], axes: body}
  - {name: three, type: point-force, body: beam, point: [0.5, 0, 0], force: [0, 1, 0], moment: [0, 0, 0], axes: body}
)");
  CHECK(model.messages().empty());
  const SystemView& view = model.system->view();
  REQUIRE(view.nodes.size() == 2);
  CHECK(view.joints[0].moving_frame == frame_of(view.joints[0].moving));
  CHECK(norm(view.joints[0].p_moving) < 1e-15);
  CHECK(view.nodes[0].point.x == 1);
  CHECK(view.nodes[1].point.x == 0.5);
  const ElementInstance& spring = view.forces[0].instances[0];
  CHECK(spring.markers[0].frame == frame_index(1));
  CHECK(norm(spring.markers[0].point) == 0);
  // The place as drawn is that of the undeformed body.
  CHECK(norm(spring.drawn[0].position - Vec3{1 + std::cos(0.3), 2, 3 - std::sin(0.3)}) < 1e-15);
  CHECK(model.system->count_constraints().degrees_of_freedom == 2);
  CHECK(model.system->initial_state().eta[0] == 0.3);
}

TEST_CASE("an attachment beside a flexible body is an error that names both") {
  std::string text = bridge("");
  text.replace(text.find("[1, 0, 0]"), 9, "[1, 0.2, 0]");
  const Assembled model(text);
  CHECK(model.system == nullptr);
  CHECK_THAT(model.messages(), Catch::Contains("joints[1]") &&
                                   Catch::Contains("joint `right` cannot be attached to the flexible body `beam` at "
                                                   "[1, 0.2, 0] m in the body's axes"));
}

TEST_CASE("modes count as freedoms and take part in loops") {
  const Assembled planar(beam_parallelogram("modes: 3, boundary: pinned-pinned"));
  CHECK(planar.messages().empty());
  const host::ConstraintCount count = planar.system->count_constraints();
  CHECK(count.degrees_of_freedom == 4);
  CHECK(count.redundant == 3);
  // Rigid, a beam pinned to ground at both ends would have one redundant row more; bending to the side leaves the ends
  // at their distance to first order, and so does not help.
  const Assembled pinned(bridge(""));
  const host::ConstraintCount of_bridge = pinned.system->count_constraints();
  CHECK(of_bridge.degrees_of_freedom == 2);
  CHECK(of_bridge.redundant == 4);
}

TEST_CASE("a loop is closed around a given deformation") {
  const Assembled model(
      beam_parallelogram("modes: 2, boundary: clamped-free, modal_position: [0.1, 0.02], modal_velocity: [0.5, -1]",
                         ", initial: {position: 0.2, velocity: 1}"));
  CHECK(model.messages().empty());
  const ConstStateView state = model.system->initial_state();
  CHECK(state.eta[0] == 0.1);
  CHECK(state.eta[1] == 0.02);
  CHECK(state.etadot[0] == 0.5);
  CHECK(state.etadot[1] == -1);
  CHECK(model.q("A") == Approx(0.2).epsilon(1e-12));
  CHECK(model.v("A") == Approx(1).epsilon(1e-12));
  CHECK(model.open().first < 1e-10);
  CHECK(model.open().second < 1e-10);
}

TEST_CASE("a deformation that no pose of the loop allows is released, with a warning") {
  // Clamped at one end and pinned at the other: both modes are 1 at the tip and of equal mass, so that the nearest pair
  // with the tip in its place is half of the first and minus half of it of the second.
  std::string text = bridge(", modal_position: [0.1, 0], modal_velocity: [0, 3]");
  text.replace(text.find("revolute"), 8, "fixed");
  text.replace(text.find(", axis: [0, 0, 1]"), 17, "");
  const Assembled model(text);
  INFO(model.messages());
  REQUIRE(model.system != nullptr);
  CHECK_THAT(model.messages(), Catch::Contains("the loops do not allow the given deformation of body `beam`") &&
                                   Catch::Contains("the loops do not allow the given modal velocity of body `beam`"));
  const ConstStateView state = model.system->initial_state();
  CHECK(state.eta[0] == Approx(0.05).epsilon(1e-9));
  CHECK(state.eta[1] == Approx(-0.05).epsilon(1e-9));
  CHECK(state.etadot[0] == Approx(-1.5).epsilon(1e-9));
  CHECK(state.etadot[1] == Approx(1.5).epsilon(1e-9));
  CHECK(model.open().first < 1e-10);
  CHECK(model.open().second < 1e-10);
}

TEST_CASE("velocities of a flexible body are those of its frame origin and hold undeformed") {
  const Assembled model(R"(
polyform: 1
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 10, modes: 1, boundary: free-free, mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, modal_position: [0.1], modal_velocity: [2], velocity: [1, 0, 0], angular_velocity: [0, 0, 3]}
joints:
  - {name: flight, type: free, base: ground, moving: beam, position: [0, 0, 0]}
)");
  CHECK(model.messages().empty());
  const ConstStateView state = model.system->initial_state();
  CHECK(state.v[0] == Approx(1));
  CHECK(std::abs(state.v[1]) < 1e-14);
  CHECK(state.v[5] == Approx(3));
  CHECK(state.etadot[0] == 2);
}
