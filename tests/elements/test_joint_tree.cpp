// Joints in the tree, carrying the moving body or, reversed, the base body.
#include <catch2/catch.hpp>

#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

/// A joint that carries its outboard body along with a moving inboard body.
struct Carried {
  JointData joint;
  SmoothMotion inboard;
  Coordinates c;
  std::array<double, 6> vdot{};

  Carried(const JointData& from, bool reversed, Random& random)
      : joint(from), inboard(random), c(random_coordinates(from, random)) {
    joint.reversed = reversed;
    for (double& x : vdot) x = random.uniform(-3, 3);
  }
  BodyMotion outboard(double t) const {
    BodyMotion out;
    outboard_motion(joint, motion(joint, advanced(joint, c, vdot, t)), inboard.at(t), out);
    return out;
  }
};

}  // namespace

TEST_CASE("velocity and acceleration of the outboard body are the rates of its pose, in either direction") {
  for (const std::string_view name : joint_names)
    for (const bool reversed : {false, true}) {
      INFO(name << (reversed ? ", reversed" : ""));
      Random random(41);
      for (int i = 0; i < 20; ++i) {
        const JointCase made(name, random);
        const Carried s(made.joint(), reversed, random);
        const BodyMotion out = s.outboard(0);
        const Spatial twist{angular_velocity(out.R, rate([&](double t) { return s.outboard(t).R; })),
                            rate([&](double t) { return s.outboard(t).p; })};
        CHECK(distance(out.V, twist) < 1e-8);
        const Spatial acceleration = outboard_acceleration(s.joint, motion(s.joint, s.c), s.inboard.at(0),
                                                           s.inboard.acceleration(0), out, s.vdot.data());
        CHECK(distance(acceleration, rate([&](double t) { return s.outboard(t).V; })) < 1e-7);
      }
    }
}

TEST_CASE("a reversed joint describes the same motion from the other side") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(42);
    for (int i = 0; i < 20; ++i) {
      const JointCase made(name, random);
      const Carried s(made.joint(), false, random);
      const JointMotion m = motion(s.joint, s.c);
      const BodyMotion base = s.inboard.at(0), moving = s.outboard(0);
      const Spatial base_acceleration = s.inboard.acceleration(0);
      const Spatial moving_acceleration =
          outboard_acceleration(s.joint, m, base, base_acceleration, moving, s.vdot.data());
      JointData reversed = s.joint;
      reversed.reversed = true;
      BodyMotion back;
      outboard_motion(reversed, m, moving, back);
      CHECK(distance(back, base) < 1e-12);
      CHECK(distance(outboard_acceleration(reversed, m, moving, moving_acceleration, back, s.vdot.data()),
                     base_acceleration) < 1e-11);
    }
  }
}

}  // namespace polyform::test
