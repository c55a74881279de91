#include "polyform/solvers/newton/linearized_tree.hpp"

#include <algorithm>

namespace polyform {

namespace {

Mat3 to_frame(const Mat3& R, const Sym3& inertia) { return R * inertia.full() * transpose(R); }

}  // namespace

LinearizedTree::LinearizedTree(const SystemView& view, const Vec3& origin)
    : view_(view), kinematics_(view), derivatives_(view, origin), bodies_(view.bodies.size()), body_M_(bodies_.size()),
      body_G_(bodies_.size()), body_K_(bodies_.size()), H_(view.nv_tree),
      turning_(view.nv_tree), to_P_(view.bodies.size()), accelerations_(view.frames()), wrenches_(view.bodies.size()) {
  std::uint32_t square = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const JointData& joint = view.joints[i];
    Body& b = bodies_[i];
    b.parent = static_cast<std::int32_t>(joint.inboard());
    b.v = static_cast<std::uint32_t>(joint.v_offset);
    b.count = static_cast<std::uint32_t>(joint.nv);
    b.square = square;
    b.reversed = joint.reversed;
    square += b.count * b.count;
  }
  stiffness_.resize(square);
  damping_.resize(square);
  turn_rate_.resize(square);
  plan_forces();
  std::size_t rows = 0;
  for (const JointData& cut : view.cut_joints()) rows += 6 - cut.nv;
  rows_.resize(rows);
  cuts_.resize(view.cut_joints().size());
  cut_q_.resize(view.nq);
  cut_v_.resize(view.nv);
}

void LinearizedTree::to_velocity_steps(const JointData& joint, const double* q, const double* step,
                                       double* out) noexcept {
  if (joint.nq == joint.nv && joint.kernel == nullptr) {
    std::copy_n(step, joint.nv, out);
    return;
  }
  // The least-squares solution of N δ = step, column by column at right angles (those of a quaternion are).
  double columns[6][most_joint_positions], rest[most_joint_positions];
  std::copy_n(step, joint.nq, rest);
  double triangle[6][6]{};
  for (std::size_t k = 0; k < joint.nv; ++k) {
    double direction[6]{};
    direction[k] = 1;
    joint_position_rates(joint, q, direction, columns[k]);
    for (std::size_t l = 0; l < k; ++l) {
      double along = 0;
      for (std::size_t c = 0; c < joint.nq; ++c) along += columns[l][c] * columns[k][c];
      triangle[l][k] = along;
      for (std::size_t c = 0; c < joint.nq; ++c) columns[k][c] -= along * columns[l][c];
    }
    double size = 0;
    for (std::size_t c = 0; c < joint.nq; ++c) size += columns[k][c] * columns[k][c];
    triangle[k][k] = std::sqrt(size);
    for (std::size_t c = 0; c < joint.nq; ++c) columns[k][c] /= triangle[k][k] > 0 ? triangle[k][k] : 1;
  }
  for (std::size_t k = joint.nv; k-- > 0;) {
    double along = 0;
    for (std::size_t c = 0; c < joint.nq; ++c) along += columns[k][c] * rest[c];
    for (std::size_t l = k + 1; l < joint.nv; ++l) along -= triangle[k][l] * out[l];
    out[k] = triangle[k][k] > 0 ? along / triangle[k][k] : 0;
  }
}

void LinearizedTree::evaluate(const TreeMoment& now) noexcept {
  place(now);
  derivatives_.evaluate(now.time, kinematics_.frames(), now.q, now.v, now.x);
  if (!cuts_.empty()) find_rows(now);
  add_forces();
  find_joint_wrenches();
}

void LinearizedTree::place(const TreeMoment& now) noexcept {
  kinematics_.evaluate(now.q.data(), now.v.data());
  kinematics_.accelerations(now.vdot.data(), accelerations_);
  const std::span<const BodyMotion> frames = kinematics_.bodies();
  std::ranges::fill(stiffness_, 0.0);
  std::ranges::fill(damping_, 0.0);
  std::ranges::fill(turn_rate_, 0.0);
  for (Coupling& c : couplings_) c = {};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const JointMotion& motion = kinematics_.joints()[i];
    Body& b = bodies_[i];
    const BodyMotion& base = motion_of(joint.base, frames);
    to_P_[i] = frames[i].R * (joint.reversed ? joint.p_base : joint.p_moving);
    const Vec3 P = frames[i].p + to_P_[i];
    const auto parent = static_cast<std::size_t>(b.parent);
    b.r = b.parent < 0 ? Vec3{} : P - frames[parent].p - to_P_[parent];
    // F has the axes of the base body. Backwards, P is the origin of F, at d from that of M, and all signs turn.
    const Vec3 d = joint.reversed ? -(base.R * motion.p_FM) : Vec3{};
    const double sign = joint.reversed ? -1.0 : 1.0;
    for (std::uint32_t k = 0; k < b.count; ++k) {
      const Vec3 angular = base.R * motion.H[k].angular;
      H_[b.v + k] = sign * Spatial{angular, base.R * motion.H[k].linear + cross(angular, d)};
    }
    std::size_t k = 0;
    for (const Primitive& p : joint.primitives) {
      if (p.kind == Primitive::Kind::ball) {
        const Mat3 turn = skew(Vec3{now.v[b.v + k], now.v[b.v + k + 1], now.v[b.v + k + 2]});
        for (std::size_t row = 0; row < 3; ++row)
          for (std::size_t column = 0; column < 3; ++column)
            turn_rate_[b.square + (k + row) * b.count + k + column] = turn(row, column);
      }
      k += p.kind == Primitive::Kind::ball ? 3 : 1;
    }
    add_inertia(i, frames[i], accelerations_[i]);
  }
}

/// Begins M, G, K and the wrench of a body with its inertia.
void LinearizedTree::add_inertia(std::size_t i, const BodyMotion& frame, const Spatial& acceleration) noexcept {
  const BodyData& data = view_.bodies[i];
  Six<double>&M = body_M_[i], &G = body_G_[i], &K = body_K_[i];
  const Vec3& arm = to_P_[i];
  const Vec3 &omega = frame.V.angular, &alpha = acceleration.angular;
  const Vec3 center = frame.R * data.center_of_mass - arm, c = data.mass * center;
  const Sym3 unit = unit_mass_inertia(center);
  Mat3 J = to_frame(frame.R, data.inertia);
  J += data.mass * unit.full();
  const Vec3 a = acceleration.linear + cross(alpha, arm) + cross(omega, cross(omega, arm)) - view_.gravity;
  const Vec3 spin = J * omega, moment = J * alpha + cross(omega, spin);
  const Vec3 wc = cross(omega, c), cdd = cross(alpha, c) + cross(omega, wc);
  const Mat3 w = skew(omega);
  M = {};
  M.add(0, 0, J);
  M.add(0, 3, skew(c));
  M.add(3, 0, skew(c), -1);
  M.add(3, 3, data.mass * Mat3::identity());
  G = {};
  G.add(0, 0, w * J);
  G.add(0, 0, J * w, -1);
  G.add(0, 0, skew(spin), -1);
  G.add(3, 0, skew(wc), -2);
  K = {};
  K.add(0, 0, skew(moment), -1);
  K.add(0, 0, skew(a) * skew(c));
  K.add(3, 0, skew(cdd), -1);
  wrenches_[i] = {moment + cross(c, a), data.mass * a + cdd};
}

void LinearizedTree::find_joint_wrenches() noexcept {
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    Body& b = bodies_[i];
    const Spatial& w = wrenches_[i];
    b.force = w.linear;
    for (std::uint32_t k = 0; k < b.count; ++k) {
      const Spatial& H = H_[b.v + k];
      turning_[b.v + k] = cross(H.angular, w.angular) + cross(H.linear, w.linear);
    }
    if (b.parent < 0) continue;
    wrenches_[static_cast<std::size_t>(b.parent)] += Spatial{w.angular + cross(b.r, w.linear), w.linear};
  }
}

}  // namespace polyform
