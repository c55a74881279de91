// The sweep over a tree with flexible bodies: positions against velocities against accelerations, by differences.
#include <catch2/catch.hpp>

#include "flexible_systems.hpp"
#include "polyform/mechanics/constraint.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// q̇ = N v along a motion of constant v̇ and η̈, by steps small against the differences.
State advanced(const SystemView& view, State s, std::span<const double> vdot, std::span<const double> etaddot,
               double time) {
  constexpr int steps = 40;
  const double h = time / steps;
  std::vector<double> rates(view.nq);
  for (int i = 0; i < steps; ++i) {
    // The midpoint rule: its error is that of the third power of h.
    State mid = s;
    const auto move = [&](const State& at, State& to, double by) {
      for (const JointData& joint : view.joints)
        joint_position_rates(joint, at.q.data() + joint.q_offset, at.v.data() + joint.v_offset,
                             rates.data() + joint.q_offset);
      for (std::size_t k = 0; k < view.nq; ++k) to.q[k] = s.q[k] + by * rates[k];
      for (std::size_t k = 0; k < view.nv; ++k) to.v[k] = s.v[k] + by * vdot[k];
      for (std::size_t k = 0; k < view.modes; ++k) {
        to.eta[k] = s.eta[k] + by * at.etadot[k];
        to.etadot[k] = s.etadot[k] + by * etaddot[k];
      }
    };
    move(s, mid, 0.5 * h);
    State next = s;
    move(mid, next, h);
    s = next;
  }
  return s;
}

}  // namespace

TEST_CASE("frames of a tree with a flexible body move as their rates say", "[tree]") {
  SpatialChain chain;
  const SystemView& view = chain.m.view();
  REQUIRE(view.nodes.size() == 2);
  const State now = chain.state();
  const std::vector<double> vdot{1, -2, 0.5, 0.3, 2, -1, 0.7}, etaddot{3, -2, 1};
  const double h = 1e-4;
  const auto frames_at = [&](double t) {
    const State s = advanced(view, now, vdot, etaddot, t);
    TreeKinematics tree(view);
    tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
    return std::vector<BodyMotion>(tree.frames().begin(), tree.frames().end());
  };
  const auto before = frames_at(-h), after = frames_at(h);
  TreeKinematics tree(view);
  tree.evaluate(now.q.data(), now.v.data(), now.eta.data(), now.etadot.data());
  std::vector<Spatial> accelerations(view.frames());
  tree.accelerations(vdot.data(), accelerations, etaddot.data());
  std::vector<Quat> orientations(view.frames());
  tree.orientations(now.q.data(), orientations, now.eta.data());
  for (std::size_t i = 0; i < view.frames(); ++i) {
    CAPTURE(i);
    const BodyMotion& m = tree.frames()[i];
    CHECK(norm(m.V.linear - (0.5 / h) * (after[i].p - before[i].p)) < 1e-6);
    const Vec3 turn = rotation_vector(quaternion_of(times_transpose(after[i].R, before[i].R)));
    CHECK(norm(m.V.angular - (0.5 / h) * turn) < 1e-6);
    CHECK(norm(accelerations[i].linear - (0.5 / h) * (after[i].V.linear - before[i].V.linear)) < 1e-5);
    CHECK(norm(accelerations[i].angular - (0.5 / h) * (after[i].V.angular - before[i].V.angular)) < 1e-5);
    const Mat3 R = rotation_matrix(orientations[i]);
    for (std::size_t k = 0; k < 9; ++k) CHECK(std::abs(R.m[k] - m.R.m[k]) < 1e-14);
  }
}

TEST_CASE("a joint holds the sections that it is attached to", "[tree]") {
  SpatialChain chain;
  const SystemView& view = chain.m.view();
  const State s = chain.state();
  TreeKinematics tree(view);
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
  for (const JointData& joint : view.joints) {
    JointConstraint c;
    double q[8], v[6];
    std::copy_n(s.q.data() + joint.q_offset, joint.nq, q);
    joint_constraint(joint, motion_of(joint.base_frame, tree.frames()), motion_of(joint.moving_frame, tree.frames()), q,
                     v, c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      CHECK(std::abs(c.residual[r]) < 1e-14);
      CHECK(std::abs(dot(c.T[r], c.relative.twist)) < 1e-14);
    }
    CHECK(distance({q, joint.nq}, std::span(s.q).subspan(joint.q_offset, joint.nq)) < 1e-14);
    CHECK(distance({v, joint.nv}, std::span(s.v).subspan(joint.v_offset, joint.nv)) < 1e-13);
  }
}
