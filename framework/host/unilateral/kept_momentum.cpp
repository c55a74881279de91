#include "framework/host/unilateral/kept_momentum.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/unilateral/inertia_islands.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

using Column = Eigen::Matrix<double, 6, 1>;

void put(Column& out, const Vec3& angular, const Vec3& linear) {
  out << angular.x, angular.y, angular.z, linear.x, linear.y, linear.z;
}

/// The inertia of a rigid body about a point, c: from there to its centre of mass.
void put_inertia(Eigen::Matrix<double, 6, 6>& out, double mass, const Sym3& J, const Vec3& c) {
  const Mat3 across = skew(c), own = J.full();
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      double squares = 0;
      for (std::size_t k = 0; k < 3; ++k) squares += across(a, k) * across(b, k);
      out(i, j) = own(a, b) + mass * squares;
      out(i, j + 3) = mass * across(a, b);
      out(i + 3, j) = mass * across(b, a);
      out(i + 3, j + 3) = i == j ? mass : 0;
    }
}

/// Up to six rows and columns.
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

/// The inverse of a symmetric matrix that is positive definite; else out stays as it is.
void invert(const Small& D, Small& out) {
  // Of the diagonal: what has less inertia has none but for rounding.
  constexpr double least_pivot = 1e-12;
  const Index n = D.rows();
  if (n == 0 || !(D.diagonal().minCoeff() > 0)) return;
  const Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1> scales =
      D.diagonal().cwiseSqrt().cwiseInverse();
  const Small scaled = scales.asDiagonal() * D * scales.asDiagonal();
  const Eigen::LLT<Small> factors(scaled);
  const Small L = factors.matrixL();
  if (factors.info() != Eigen::Success || !(L.diagonal().cwiseAbs2().minCoeff() > least_pivot)) return;
  const Small found = factors.solve(Small::Identity(n, n));
  out = scales.asDiagonal() * found * scales.asDiagonal();
}

/// Whether a body that nothing holds has the same kinetic energy however it is turned.
bool is_like_sphere(const BodyData& body) {
  const Sym3& J = body.inertia;
  return J.xx == J.yy && J.yy == J.zz && J.xy == 0 && J.xz == 0 && J.yz == 0 &&
         dot(body.center_of_mass, body.center_of_mass) == 0;
}

}  // namespace

KeptMomentum::KeptMomentum(const SystemView& view, Solver& solver)
    : view_(view),
      solver_(solver),
      kinds_(ask<SecondOrderSystem>(solver)->kinds()),
      q_(view.nq),
      v_(view.nv),
      eta_(view.modes),
      etadot_(view.modes),
      x_(view.states),
      discrete_(view.discrete),
      tree_(view),
      takes_part_(view.bodies.size(), 1),
      origins_(view.bodies.size()),
      kept_(view.bodies.size()),
      bodies_(view.bodies.size()),
      before_(solver.state_size()),
      after_(solver.state_size()) {
  leave_out();
}

void KeptMomentum::leave_out() {
  const InertiaIslands islands(view_);
  std::vector<char> is_left_out(islands.count(), 0);
  std::vector<std::size_t> count(islands.count(), 0);
  const auto leave = [&](BodyIndex body) {
    if (!is_ground(body)) is_left_out[islands.of(frame_of(body))] = 1;
  };
  for (const FlexibleData& flexible : view_.flexible) leave(flexible.body);
  for (const ModuleInstances& group : view_.modules) {
    for (const ElementInstance& instance : group.instances)
      for (const Marker& marker : instance.markers) leave(marker.body);
    for (const JointIndex joint : group.joints) {
      leave(view_.joints[at(joint)].base);
      leave(view_.joints[at(joint)].moving);
    }
  }
  const auto island = [&](std::size_t b) { return islands.of(static_cast<FrameIndex>(b)); };
  for (std::size_t b = 0; b < view_.bodies.size(); ++b) ++count[island(b)];
  for (std::size_t b = 0; b < view_.bodies.size(); ++b)
    if (is_left_out[island(b)] != 0 || (count[island(b)] == 1 && is_like_sphere(view_.bodies[b]))) takes_part_[b] = 0;
  any_takes_part_ = std::ranges::find(takes_part_, 1) != takes_part_.end();
}

Status KeptMomentum::find_motions(std::span<const double> y) {
  if (solver_.decode(y.first(before_.size()), state()) != Status::ok) return Status::failed;
  tree_.evaluate(q_.data(), v_.data(), eta_.data(), etadot_.data());
  return Status::ok;
}

Status KeptMomentum::take(std::span<const double> y) {
  if (!any_takes_part_) return Status::ok;
  if (find_motions(y) != Status::ok) return Status::failed;
  for (std::size_t b = 0; b < kept_.size(); ++b) {
    const BodyMotion& motion = tree_.bodies()[b];
    kept_[b].velocity = motion.V.linear + cross(motion.V.angular, motion.R * view_.bodies[b].center_of_mass);
    kept_[b].turning = transpose_times(motion.R, motion.V.angular);
  }
  return Status::ok;
}

/// The momenta that the bodies lack, their inertia, and the freedoms of their joints. False if they lack nothing.
bool KeptMomentum::find_impulses() {
  bool any = false;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (takes_part_[b] == 0) continue;
    const JointData& joint = view_.joints[b];
    const BodyData& data = view_.bodies[b];
    const BodyMotion& motion = tree_.bodies()[b];
    origins_[b] = is_ground(joint.inboard()) ? motion.p : origins_[at(joint.inboard())];
    Body& body = bodies_[b];
    const Vec3 arm = motion.R * data.center_of_mass, centre = motion.p + arm - origins_[b];
    const Sym3 J = rotate(motion.R, data.inertia);
    put_inertia(body.inertia, data.mass, J, centre);
    const Vec3 velocity = kept_[b].velocity - (motion.V.linear + cross(motion.V.angular, arm));
    const Vec3 turning = motion.R * kept_[b].turning - motion.V.angular;
    any = any || dot(velocity, velocity) > 0 || dot(turning, turning) > 0;
    const Vec3 momentum = data.mass * velocity;
    put(body.impulse, J * turning + cross(centre, momentum), momentum);
    const BodyMotion& base = motion_of(joint.base_frame, tree_.frames());
    const BodyMotion& moving = motion_of(joint.moving_frame, tree_.frames());
    const Vec3 place = moving.p + moving.R * joint.p_moving - origins_[b];
    const double sign = joint.reversed ? -1 : 1;
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const Spatial& H = tree_.joints()[b].H[k];
      const Vec3 angular = sign * (base.R * H.angular), linear = sign * (base.R * H.linear);
      Column column;
      put(column, angular, linear + cross(place, angular));
      body.S.col(static_cast<Index>(k)) = column;
    }
  }
  return any;
}

/// From the tips inward: an inboard body has to take what the joint of its outboard body does not allow.
void KeptMomentum::eliminate() {
  for (std::size_t b = bodies_.size(); b-- > 0;) {
    if (takes_part_[b] == 0) continue;
    const JointData& joint = view_.joints[b];
    Body& body = bodies_[b];
    const auto n = static_cast<Index>(joint.nv);
    const auto S = body.S.leftCols(n);
    const Small along = (body.inertia * S).transpose();
    const Small D = along * S;
    Small inverse = Small::Zero(n, n);
    invert(D, inverse);
    body.gain.topRows(n) = inverse * along;
    body.change.head(n) = inverse * (S.transpose() * body.impulse);
    if (is_ground(joint.inboard())) continue;
    Body& inboard = bodies_[at(joint.inboard())];
    inboard.inertia += body.inertia - along.transpose() * body.gain.topRows(n);
    inboard.impulse += body.impulse - along.transpose() * body.change.head(n);
  }
}

/// From the roots outward.
void KeptMomentum::change_velocities() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (takes_part_[b] == 0) continue;
    const JointData& joint = view_.joints[b];
    Body& body = bodies_[b];
    const auto n = static_cast<Index>(joint.nv);
    body.twist.setZero();
    if (!is_ground(joint.inboard())) body.twist = bodies_[at(joint.inboard())].twist;
    body.change.head(n) -= body.gain.topRows(n) * body.twist;
    body.twist += body.S.leftCols(n) * body.change.head(n);
    for (std::size_t k = 0; k < joint.nv; ++k) v_[joint.v_offset + k] += body.change[static_cast<Index>(k)];
  }
}

Status KeptMomentum::give(double t, std::span<double> y) {
  if (!any_takes_part_) return Status::ok;
  if (find_motions(y) != Status::ok) return Status::failed;
  if (!find_impulses()) return Status::ok;
  if (encode_at(t, solver_, as_const(state()), before_) != Status::ok) return Status::failed;
  eliminate();
  change_velocities();
  if (encode_at(t, solver_, as_const(state()), after_) != Status::ok) return Status::failed;
  // What nothing has changed keeps each bit.
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (kinds_[i] == StateKind::velocity && after_[i] != before_[i]) y[i] = after_[i];
  return Status::ok;
}

}  // namespace polyform::host::inline unilateral
