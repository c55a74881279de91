#include "polyform/solvers/newton/linearized_tree.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

namespace {

Mat3 to_frame(const Mat3& R, const Sym3& inertia) { return R * inertia.full() * transpose(R); }

}  // namespace

TreeBlocks::TreeBlocks(const SystemView& view)
    : bodies(view.bodies.size()), M(bodies.size()), G(bodies.size()), K(bodies.size()), to_P(bodies.size()),
      wrenches(bodies.size()) {
  std::uint32_t square = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const JointData& joint = view.joints[i];
    Body& b = bodies[i];
    b.parent = static_cast<std::int32_t>(joint.inboard());
    b.v = static_cast<std::uint32_t>(joint.v_offset);
    b.count = static_cast<std::uint32_t>(joint.nv);
    b.square = square;
    b.reversed = joint.reversed;
    square += b.count * b.count;
  }
  stiffness.resize(square);
  damping.resize(square);
  turn_rate.resize(square);
}

TreeBlocks::Pattern TreeBlocks::cut_pattern(const JointData& cut, std::span<const BodyMotion> frames,
                                            const Spatial& t) const noexcept {
  const ConstraintRow row = constraint_row(cut, motion_of(cut.base, frames), motion_of(cut.moving, frames), t);
  Pattern out;
  const auto put = [&](std::size_t k, BodyIndex b, const Spatial& w) {
    if (is_ground(b)) return;
    out.body[k] = static_cast<std::uint32_t>(at(b));
    out.wrench[k] = {w.angular - cross(to_P[at(b)], w.linear), w.linear};
  };
  put(0, cut.base, row.base);
  put(1, cut.moving, row.moving);
  return out;
}

LinearizedTree::LinearizedTree(const SystemView& view, const Vec3& origin)
    : view_(view), kinematics_(view), blocks_(view), forces_(view, origin, blocks_), H_(view.nv_tree),
      turning_(view.nv_tree), accelerations_(view.frames()) {
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
    joint_position_step(joint, q, direction, columns[k]);
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
  if (!cuts_.empty()) find_rows(now);
  forces_.add(now, kinematics_.frames(), cuts_);
  find_joint_wrenches();
}

void LinearizedTree::place(const TreeMoment& now) noexcept {
  kinematics_.evaluate(now.q.data(), now.v.data());
  kinematics_.accelerations(now.vdot.data(), accelerations_);
  const std::span<const BodyMotion> frames = kinematics_.bodies();
  std::ranges::fill(blocks_.stiffness, 0.0);
  std::ranges::fill(blocks_.damping, 0.0);
  std::ranges::fill(blocks_.turn_rate, 0.0);
  for (Coupling& c : blocks_.couplings) c = {};
  for (std::size_t i = 0; i < blocks_.bodies.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const JointMotion& motion = kinematics_.joints()[i];
    Body& b = blocks_.bodies[i];
    const BodyMotion& base = motion_of(joint.base, frames);
    blocks_.to_P[i] = frames[i].R * (joint.reversed ? joint.p_base : joint.p_moving);
    const Vec3 P = frames[i].p + blocks_.to_P[i];
    const auto parent = static_cast<std::size_t>(b.parent);
    b.r = b.parent < 0 ? Vec3{} : P - frames[parent].p - blocks_.to_P[parent];
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
            blocks_.turn_rate[b.square + (k + row) * b.count + k + column] = turn(row, column);
      }
      k += p.kind == Primitive::Kind::ball ? 3 : 1;
    }
    add_inertia(i, frames[i], accelerations_[i]);
  }
}

/// Begins M, G, K and the wrench of a body with its inertia.
void LinearizedTree::add_inertia(std::size_t i, const BodyMotion& frame, const Spatial& acceleration) noexcept {
  const BodyData& data = view_.bodies[i];
  Six<double>&M = blocks_.M[i], &G = blocks_.G[i], &K = blocks_.K[i];
  const Vec3& arm = blocks_.to_P[i];
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
  blocks_.wrenches[i] = {moment + cross(c, a), data.mass * a + cdd};
}

void LinearizedTree::find_joint_wrenches() noexcept {
  for (std::size_t i = blocks_.bodies.size(); i-- > 0;) {
    Body& b = blocks_.bodies[i];
    const Spatial& w = blocks_.wrenches[i];
    b.force = w.linear;
    for (std::uint32_t k = 0; k < b.count; ++k) {
      const Spatial& H = H_[b.v + k];
      turning_[b.v + k] = cross(H.angular, w.angular) + cross(H.linear, w.linear);
    }
    if (b.parent < 0) continue;
    blocks_.wrenches[static_cast<std::size_t>(b.parent)] += Spatial{w.angular + cross(b.r, w.linear), w.linear};
  }
}

/// The rows of the cut joints, and what these transmit as loads.
void LinearizedTree::find_rows(const TreeMoment& now) noexcept {
  const std::span<const BodyMotion> frames = kinematics_.bodies();
  std::ranges::copy(now.q, cut_q_.begin());
  std::size_t next = 0;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const BodyMotion &base = motion_of(cut.base, frames), &moving = motion_of(cut.moving, frames);
    JointConstraint& c = cuts_[i];
    joint_constraint(cut, base, moving, cut_q_.data() + cut.q_offset, cut_v_.data() + cut.v_offset, c);
    for (std::size_t r = 0; r < c.rows; ++r) rows_[next++] = blocks_.cut_pattern(cut, frames, c.T[r]);
    const Vec3 M = moving.p + moving.R * cut.p_moving;
    const auto load = [&](BodyIndex b, double sign) {
      if (is_ground(b)) return;
      const Spatial w = sign * now.cut[i];
      const Vec3 s = M - frames[at(b)].p - blocks_.to_P[at(b)];
      blocks_.wrenches[at(b)] -= Spatial{w.angular + cross(s, w.linear), w.linear};
    };
    load(cut.moving, 1);
    load(cut.base, -1);
  }
}

}  // namespace polyform
