// The constraint side that follows from a joint's motion subspace.
#include <catch2/catch.hpp>

#include "polyform/mechanics/constraint.hpp"
#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

/// A joint in motion: two bodies that respect it, with their accelerations.
struct Moving {
  BodyMotion base, moving;
  Spatial base_acceleration, moving_acceleration;
  std::array<double, 6> vdot{};
  Coordinates c;

  Moving(const JointData& joint, Random& random) : c(random_coordinates(joint, random)) {
    const SmoothMotion carrier(random);
    base = carrier.at(0);
    base_acceleration = carrier.acceleration(0);
    for (double& x : vdot) x = random.uniform(-3, 3);
    const JointMotion m = motion(joint, c);
    outboard_motion(joint, m, base, moving);
    moving_acceleration = outboard_acceleration(joint, m, base, base_acceleration, moving, vdot.data());
  }
};

/// The motion after a small rigid displacement of a body: rotation about and translation of its frame origin.
BodyMotion displaced(const BodyMotion& body, const Spatial& by) {
  BodyMotion out = body;
  out.R = rotation_matrix(from_rotation_vector(by.angular)) * body.R;
  out.p += by.linear;
  return out;
}

}  // namespace

TEST_CASE("the complement of every joint's motion subspace is orthonormal and orthogonal to it") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(31);
    for (int i = 0; i < 20; ++i) {
      const JointCase made(name, random);
      const std::size_t nv = made.joint().nv;
      const JointMotion m = motion(made.joint(), random_coordinates(made.joint(), random));
      Spatial T[6];
      const std::size_t rows = complement(m.H, nv, T);
      REQUIRE(rows == 6 - nv);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < nv; ++k) CHECK(std::abs(dot(T[r], m.H[k])) < 1e-14);
        for (std::size_t s = 0; s < rows; ++s) CHECK(std::abs(dot(T[r], T[s]) - (r == s ? 1 : 0)) < 1e-14);
      }
    }
  }
}

TEST_CASE("the constraint of every joint holds for motions in the joint, and finds its coordinates") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(32);
    for (int i = 0; i < 20; ++i) {
      const JointCase made(name, random);
      const JointData& joint = made.joint();
      const Moving s(joint, random);
      Coordinates found = s.c;
      JointConstraint constraint;
      joint_constraint(joint, s.base, s.moving, found.q.data(), found.v.data(), constraint);
      const Spatial relative =
          relative_acceleration(joint, s.base, s.base_acceleration, s.moving, s.moving_acceleration);
      Spatial in_joint = constraint.motion.bias;
      for (std::size_t k = 0; k < joint.nv; ++k) in_joint += s.vdot[k] * constraint.motion.H[k];
      CHECK(distance(relative, in_joint) < 1e-11);
      for (std::size_t k = 0; k < joint.nq; ++k) CHECK(found.q[k] == Approx(s.c.q[k]).margin(1e-11));
      for (std::size_t k = 0; k < joint.nv; ++k) CHECK(found.v[k] == Approx(s.c.v[k]).margin(1e-12));
      REQUIRE(constraint.rows == 6 - joint.nv);
      for (std::size_t r = 0; r < constraint.rows; ++r) {
        CHECK(std::abs(constraint.residual[r]) < 1e-12);
        CHECK(std::abs(dot(constraint.T[r], constraint.relative.twist)) < 1e-12);
        CHECK(std::abs(dot(constraint.T[r], relative - constraint.motion.bias)) < 1e-11);
        const ConstraintRow row = constraint_row(joint, s.base, s.moving, constraint.T[r]);
        CHECK(std::abs(dot(row.moving, s.moving.V) + dot(row.base, s.base.V)) < 1e-12);
      }
    }
  }
}

TEST_CASE("the velocity rows of every joint are the derivative of its position rows") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(33);
    for (int i = 0; i < 20; ++i) {
      const JointCase made(name, random);
      const JointData& joint = made.joint();
      const Moving s(joint, random);
      const Spatial direction{random.vector(1), random.vector(1)};
      const double size = 1e-6;
      Coordinates found = s.c;
      JointConstraint exact, off;
      joint_constraint(joint, s.base, s.moving, found.q.data(), found.v.data(), exact);
      joint_constraint(joint, s.base, displaced(s.moving, size * direction), found.q.data(), found.v.data(), off);
      // T turns a little with the displaced joint: compare in one basis.
      Spatial error;
      for (std::size_t r = 0; r < off.rows; ++r) error += off.residual[r] * off.T[r];
      for (std::size_t r = 0; r < exact.rows; ++r) {
        const ConstraintRow row = constraint_row(joint, s.base, s.moving, exact.T[r]);
        CHECK(dot(exact.T[r], error) / size == Approx(dot(row.moving, direction)).margin(1e-4));
      }
    }
  }
}

TEST_CASE("an effort's wrench does the effort's work and none against the joint") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(34);
    const JointCase made(name, random);
    const JointData& joint = made.joint();
    const JointMotion m = motion(joint, random_coordinates(joint, random));
    std::array<double, 6> effort{};
    for (double& x : effort) x = random.uniform(-5, 5);
    const Spatial w = effort_wrench(m, joint.nv, effort.data());
    for (std::size_t k = 0; k < joint.nv; ++k) CHECK(dot(m.H[k], w) == Approx(effort[k]).margin(1e-12));
    Spatial T[6];
    const std::size_t rows = complement(m.H, joint.nv, T);
    for (std::size_t r = 0; r < rows; ++r) CHECK(std::abs(dot(T[r], w)) < 1e-12);
  }
}

}  // namespace polyform::test
