// What the model gives at the start, and what follows from it.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A parallelogram of links of 1 m drawn at 60 degrees, with something more said of its joints A and D.
std::string parallelogram(const std::string& a, const std::string& d) {
  return R"(
polyform: 1
bodies:
  - {name: a, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: b, position: [0.5, 0.8660254037844386, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: c, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: A, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1])" +
         a + R"(}
  - {name: B, type: revolute, base: a, moving: b, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: c, position: [1, 0, 0], axis: [0, 0, 1])" +
         d + R"(}
  - {name: C, type: revolute, base: b, moving: c, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
)";
}

/// A rod of 1 kg pinned at its end, with a velocity of its own.
std::string pinned_rod(const std::string& velocity, const std::string& joint) {
  return R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1})" +
         velocity + R"(}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1])" +
         joint + R"(}
)";
}

}  // namespace

TEST_CASE("a loop is closed around a given position and rate") {
  const Assembled model(parallelogram(", initial: {position: 0.3, velocity: 1}", ""));
  CHECK(model.messages().empty());
  CHECK(model.q("A") == Approx(0.3).epsilon(1e-13));
  CHECK(model.q("B") == Approx(-0.3).epsilon(1e-10));  // the coupler of a parallelogram stays parallel
  CHECK(model.q("D") == Approx(0.3).epsilon(1e-10));
  CHECK(model.v("A") == Approx(1).epsilon(1e-12));
  CHECK(model.v("B") == Approx(-1).epsilon(1e-9));
  CHECK(model.v("C") == Approx(1).epsilon(1e-9));
  CHECK(model.open().first < 1e-10);
  CHECK(model.open().second < 1e-10);
}

TEST_CASE("of values that contradict a loop the first are kept") {
  const Assembled model(
      parallelogram(", initial: {position: 0.3, velocity: 1}", ", initial: {position: 2.5, velocity: 4}"));
  CHECK(model.q("A") == Approx(0.3).epsilon(1e-12));
  CHECK(model.v("A") == Approx(1).epsilon(1e-12));
  CHECK(model.open().first < 1e-10);
  CHECK(model.open().second < 1e-9);
  CHECK_THAT(model.messages(), Catch::Contains("the loops do not allow the given position of joint `D`"));
  CHECK_THAT(model.messages(), Catch::Contains("the loops do not allow the given rate 4"));
}

TEST_CASE("a prescribed motion that does not allow a given rate is named") {
  const Assembled model(
      parallelogram(", initial: {velocity: 1}", "") +
      "constraints:\n  - {name: drive, type: prescribed-motion, joint: A, motion: {polynomial: [0, 0.5]}}\n");
  CHECK_THAT(model.messages(), Catch::Contains("constraint `drive` does not allow the given rate 1: 0.5 is taken"));
}

TEST_CASE("a rate of one joint sets the loop in motion as drawn") {
  const Assembled model(parallelogram("", ", initial: {velocity: 2}"));
  CHECK(model.messages().empty());
  CHECK(model.v("A") == Approx(2).epsilon(1e-9));
  CHECK(model.q("A") == 0);
}

TEST_CASE("a given rate of a cut joint holds at the position the loop is moved to") {
  // A slider-crank of two links of r = 0.5 m, drawn at 0.5 rad and moved to 1 rad: the slider's rate −1 is the crank's
  // 1 / (2 r sin 1).
  const Assembled model(R"(
polyform: 1
bodies:
  - {name: crank, orientation: {axis: [0, 0, 1], angle: 0.5}, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: rod, position: [0.4387912809451864, 0.2397127693021015, 0], orientation: {axis: [0, 0, 1], angle: -0.5}, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: slider, position: [0.8775825618903728, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.5}}
  - {name: B, type: revolute, base: crank, moving: rod, position: [0.4387912809451864, 0.2397127693021015, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: rod, moving: slider, position: [0.8775825618903728, 0, 0], axis: [0, 0, 1]}
  - {name: D, type: prismatic, base: ground, moving: slider, position: [0.8775825618903728, 0, 0], axis: [1, 0, 0], cut: true, initial: {velocity: -1}}
)");
  CHECK(model.messages().empty());
  CHECK(model.q("A") == Approx(0.5).epsilon(1e-12));
  CHECK(model.v("D") == Approx(-1).epsilon(1e-12));
  CHECK(model.v("A") == Approx(1 / std::sin(1.0)).epsilon(1e-9));
}

TEST_CASE("joint rates follow from the bodies' velocities") {
  const Assembled whole(pinned_rod(", velocity: [0, 1, 0], angular_velocity: [0, 0, 2]", ""));
  CHECK(whole.messages().empty());
  CHECK(whole.v("pin") == Approx(2).epsilon(1e-14));
  const Assembled turning(pinned_rod(", angular_velocity: [0, 0, 2]", ""));  // the velocity follows
  CHECK(turning.messages().empty());
  CHECK(turning.v("pin") == Approx(2).epsilon(1e-14));
}

TEST_CASE("velocities that violate a joint are projected in the inertia metric") {
  // The pin takes an impulse: what is left is the angular momentum about the pin, (J ω + m c v) / (J + m c²).
  const Assembled model(pinned_rod(", velocity: [3, 1, 0], angular_velocity: [0, 0, -1]", ""));
  CHECK_THAT(model.messages(), Catch::Contains("warning") && Catch::Contains("violate the joints"));
  CHECK(model.v("pin") == Approx((0.1 * -1 + 0.5 * 1) / (0.1 + 0.25)).epsilon(1e-9));
}

TEST_CASE("a given joint rate wins over the body's velocity, with a warning") {
  const Assembled model(pinned_rod(", angular_velocity: [0, 0, 2]", ", initial: {velocity: 5}"));
  CHECK(model.v("pin") == 5);
  CHECK_THAT(model.messages(), Catch::Contains("the joint's is taken"));
}

TEST_CASE("wrong numbers of initial values and long quaternions are errors at their place") {
  const Assembled count(pinned_rod("", ", initial: {position: [1, 2]}"));
  CHECK(count.system == nullptr);
  CHECK_THAT(count.messages(), Catch::Contains("model.yaml:6:") && Catch::Contains("joints[0].initial.position") &&
                                   Catch::Contains("2 values given, but joint `pin` has 1 position coordinate"));
  std::string ball = pinned_rod("", ", initial: {position: [1, 0, 0.1, 0]}");
  ball.replace(ball.find("revolute"), 8, "spherical");
  ball.replace(ball.find(", axis: [0, 0, 1]"), 17, "");
  CHECK_THAT(Assembled(ball).messages(), Catch::Contains("quaternion's length differs from 1"));
}

TEST_CASE("a planar loop in space has redundant constraints in all its joints") {
  const Assembled model(parallelogram("", ""));
  const host::ConstraintCount count = model.system->count_constraints();
  CHECK(count.degrees_of_freedom == 1);
  CHECK(count.redundant == 3);
  CHECK(count.redundant_joints == std::vector<std::string>{"A", "B", "D", "C"});
}

TEST_CASE("a loop of ball joints that leaves nothing open has no redundant constraint") {
  std::string text = parallelogram("", "");
  // Spatial four-bar R-S-S-R: one freedom, and the coupler's own rotation.
  for (const char* name : {"B", "C"}) {
    const auto at = text.find(std::string("{name: ") + name + ", type: revolute");
    text.replace(at, 24, std::string("{name: ") + name + ", type: spherical");
    const auto axis = text.find(", axis: [0, 0, 1]", at);
    text.replace(axis, 17, "");
  }
  const Assembled model(text);
  INFO(model.messages());
  REQUIRE(model.system != nullptr);
  const host::ConstraintCount count = model.system->count_constraints();
  CHECK(count.degrees_of_freedom == 2);
  CHECK(count.redundant == 0);
  CHECK(count.redundant_joints.empty());
}
