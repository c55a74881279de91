#include "polyform/solvers/newton/linearized_tree.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

namespace {

Mat3 to_frame(const Mat3& R, const Sym3& inertia) { return R * inertia.full() * transpose(R); }

}  // namespace

LinearizedTree::LinearizedTree(const SystemView& view, const Vec3& origin, const ClosingConstraints* closing)
    : view_(view),
      kinematics_(view),
      blocks_(view),
      forces_(view, origin, blocks_),
      modes_(view),
      H_(view.nv_tree),
      turning_(view.nv_tree),
      accelerations_(view.frames()),
      cut_directions_(view.nv - view.nv_tree) {
  if (closing == nullptr) return;
  for (std::size_t i = 0; i < closing->groups(); ++i) {
    const bool cut = closing->is_cut(i);
    const std::size_t rows = cut ? 6 - closing->cut(i).nv : closing->rows(i);
    const std::size_t frames = cut ? 2 : closing->elements().frames(closing->element(i)).size();
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t first = row_patterns_.size();
      row_patterns_.resize(first + (frames + 1) / 2);
      rows_.push_back({first, row_patterns_.size(), i});
    }
  }
}

void LinearizedTree::to_velocity_steps(const JointData& joint, const double* q, const double* step,
                                       double* out) noexcept {
  if (joint.nq == joint.nv && joint.kernel == nullptr) {
    std::copy_n(step, joint.nv, out);
    return;
  }
  if (joint.kernel == nullptr) {
    for (const Primitive& p : joint.primitives) {
      if (p.kind == Primitive::Kind::ball) {  // of Q̇ = ½ ω Q: δ = 2 step Q⁻¹
        const Quat at{q[0], q[1], q[2], q[3]};
        const Quat turn = Quat{step[0], step[1], step[2], step[3]} * conjugate(at);
        const double factor = 2 / (at.w * at.w + at.x * at.x + at.y * at.y + at.z * at.z);
        out[0] = factor * turn.x;
        out[1] = factor * turn.y;
        out[2] = factor * turn.z;
      } else {
        out[0] = step[0];
      }
      q += position_count(p.kind);
      step += position_count(p.kind);
      out += velocity_count(p.kind);
    }
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
  if (now.closing != nullptr) find_rows(now);
  forces_.add(now, kinematics_.frames());
  find_joint_wrenches();
}

void LinearizedTree::place(const TreeMoment& now) noexcept {
  kinematics_.evaluate(now.q.data(), now.v.data(), now.eta.data(), now.etadot.data());
  kinematics_.accelerations(now.vdot.data(), accelerations_, now.etaddot.data());
  const std::span<const BodyMotion> frames = kinematics_.frames();
  std::ranges::fill(blocks_.G, Six<double>{});
  std::ranges::fill(blocks_.K, Six<double>{});
  std::ranges::fill(blocks_.wrenches, Spatial{});
  std::ranges::fill(blocks_.stiffness, 0.0);
  std::ranges::fill(blocks_.damping, 0.0);
  std::ranges::fill(blocks_.turn_rate, 0.0);
  for (Coupling& c : blocks_.couplings) c = {};
  for (std::size_t i = 0; i < blocks_.bodies.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const JointMotion& motion = kinematics_.joints()[i];
    Body& b = blocks_.bodies[i];
    const BodyMotion& base = motion_of(joint.base_frame, frames);
    const BodyMotion& carried = frames[at(joint.outboard_frame())];
    const Vec3 arm = carried.R * (joint.reversed ? joint.p_base : joint.p_moving);
    const Vec3 P = carried.p + arm;
    blocks_.to_P[i] = b.element == none ? arm : Vec3{};
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
    if (b.element == none) add_inertia(i, frames[i], accelerations_[i]);
  }
  if (!modes_.elements().empty()) modes_.begin(now, frames, accelerations_, blocks_);
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
  G.add(0, 0, w * J);
  G.add(0, 0, J * w, -1);
  G.add(0, 0, skew(spin), -1);
  G.add(3, 0, skew(wc), -2);
  K.add(0, 0, skew(moment), -1);
  K.add(0, 0, skew(a) * skew(c));
  K.add(3, 0, skew(cdd), -1);
  blocks_.wrenches[i] = {moment + cross(c, a), data.mass * a + cdd};
}

void LinearizedTree::find_joint_wrenches() noexcept {
  for (std::size_t i = blocks_.bodies.size(); i-- > 0;) {
    Body& b = blocks_.bodies[i];
    if (b.element != none) modes_.gather(modes_.elements()[b.element], blocks_);
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

/// A wrench about the origin of a frame as a load; lever: from there to where its force acts.
void LinearizedTree::load(FrameIndex f, const Spatial& w, const Vec3& lever) noexcept {
  if (is_ground(f)) return;
  const Vec3& to_P = blocks_.to_P[at(f)];
  blocks_.wrenches[at(f)] -= Spatial{w.angular - cross(to_P, w.linear), w.linear};
  blocks_.K[at(f)].add(0, 0, skew(w.linear) * skew(lever - to_P), -1);
}

/// Finds the rows that close the tree, and adds their forces as loads.
void LinearizedTree::find_rows(const TreeMoment& now) noexcept {
  const std::span<const BodyMotion> frames = kinematics_.frames();
  const ClosingConstraints& closing = *now.closing;
  std::size_t next = 0;
  for (std::size_t i = 0; i < closing.groups(); ++i)
    for (std::size_t r = 0; next < rows_.size() && rows_[next].group == i; ++r, ++next) {
      std::size_t place = 0;
      Pattern* const patterns = row_patterns_.data() + rows_[next].first;
      std::fill(patterns, row_patterns_.data() + rows_[next].end, Pattern{});
      if (r >= closing.rows(i)) continue;
      closing.each_share(i, r, frames, [&](FrameIndex f, const Spatial& w) {
        Pattern& p = patterns[place / 2];
        p.frame[place % 2] = static_cast<std::uint32_t>(at(f));
        p.wrench[place % 2] = {w.angular - cross(blocks_.to_P[at(f)], w.linear), w.linear};
        ++place;
        if (closing.is_cut(i)) return;
        const double force = now.multipliers[next] + closing.elements().effort(closing.element(i), r);
        load(f, force * w, {});
      });
    }
  for (std::size_t i = 0; i < closing.cuts(); ++i) {
    const JointData& cut = closing.cut(i);
    const BodyMotion &base = motion_of(cut.base_frame, frames), &moving = motion_of(cut.moving_frame, frames);
    const Vec3 M = moving.p + moving.R * cut.p_moving;
    const auto put = [&](FrameIndex f, const BodyMotion& frame, const Spatial& w) {
      const Vec3 lever = M - frame.p;
      load(f, {w.angular + cross(lever, w.linear), w.linear}, lever);
    };
    put(cut.moving_frame, moving, now.cut[i]);
    put(cut.base_frame, base, -1.0 * now.cut[i]);
  }
  find_cut_directions(closing);
}

void LinearizedTree::find_cut_directions(const ClosingConstraints& closing) noexcept {
  for (std::size_t i = 0; i < closing.cuts(); ++i) {
    const JointData& cut = closing.cut(i);
    for (std::size_t k = 0; k < cut.nv; ++k) {
      double unit[6]{};
      unit[k] = 1;
      cut_directions_[cut.v_offset - view_.nv_tree + k] =
          blocks_.cut_pattern(cut, kinematics_.frames(), effort_wrench(closing.joint(i).motion, cut.nv, unit));
    }
  }
}

}  // namespace polyform
