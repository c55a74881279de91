// The two kernels of an evaluation in lanes, before and after the forces, and what closes loops between them.
#pragma once

#include "lane_motion.hpp"
#include "lane_sweep.hpp"

namespace polyform::lanes {

/// What the kernels work on.
template <class T>
struct Batch {
  const Tree& tree;
  const Cuts& cuts;
  const Worlds<T>& worlds;
  const Room<T>& room;
  State<T> y;
  Rates<T> rates;
  double* power = nullptr;  ///< of what acts, of the first lane; for kernels that carry forces, who may ask for it
};

template <class T>
FrameMotion<T> frame_of(const Room<T>& room, FrameIndex f) {
  return is_ground(f) ? FrameMotion<T>{Matrix3<T>::identity(), {}, {}} : room.frames[at(f)];
}

/// Relative motion of M in F of a cut joint (relative_motion()).
template <class T>
struct CutMotion {
  Matrix3<T> R;
  Vector3<T> p;
  SpatialVector<T> twist;
};

template <class T>
CutMotion<T> cut_motion(const Batch<T>& b, std::size_t c) {
  const CutJoint& cut = b.cuts.joints[c];
  const CutPlace<T>& place = b.worlds.cut_places[c];
  const FrameMotion<T> base = frame_of(b.room, cut.base_frame), moving = frame_of(b.room, cut.moving_frame);
  const Vector3<T> to_M = moving.R * b.room.loops->cuts[c].p_moving, r = moving.p + to_M - base.p;
  const Vector3<T> turning = moving.V.angular - base.V.angular;
  const Vector3<T> sliding = moving.V.linear + cross(moving.V.angular, to_M) - base.V.linear - cross(base.V.angular, r);
  return {times_transpose(transpose_times(base.R, moving.R), place.R_drawn),
          transpose_times(base.R, r) - place.p_base,
          {transpose_times(base.R, turning), transpose_times(base.R, sliding)}};
}

/// Twice the vector of the antisymmetric part.
template <class T>
Vector3<T> antisymmetric(const Matrix3<T>& R) {
  return {R.m[7] - R.m[5], R.m[2] - R.m[6], R.m[3] - R.m[1]};
}

/// The quaternion of R, a turn of a ball, on the side of the one in the state: the turn from there to R is small, and
/// has a formula without cases. Marks lanes in which it is far.
template <class T>
Quaternion<T> ball_turn(const Batch<T>& b, const CutJoint& cut, const Matrix3<T>& R, Mask<T>& bad) {
  Quaternion<T> hint = read_quaternion(b.y, b.cuts.place + cut.q_offset);
  const T scale = T(1) / root_of(hint.w * hint.w + hint.x * hint.x + hint.y * hint.y + hint.z * hint.z);
  hint = {scale * hint.w, scale * hint.x, scale * hint.y, scale * hint.z};
  const Matrix3<T> rest = transpose_times(rotation_matrix(hint), R);
  // Four times the square of its scalar part: 4 where nothing is left, 1 at 120 degrees.
  const T four = T(1) + rest.m[0] + rest.m[4] + rest.m[8];
  bad |= not_greater(four, T(1));
  const T w = T(0.5) * root_of(four);
  const Vector3<T> way = (T(0.25) / w) * antisymmetric(rest);
  return hint * Quaternion<T>{w, way.x, way.y, way.z};
}

/// Of a cut joint of one primitive the rate of its coordinate is the relative velocity along its axis, which is fixed
/// in F; of a ball it is that of the quaternion of the turn as it is. Marks lanes in which the state's own is far.
template <class T>
void rate_cut(const Batch<T>& b, std::size_t c, Mask<T>& bad) {
  const CutJoint& cut = b.cuts.joints[c];
  if (cut.nv == 0) return;
  const std::size_t place = b.cuts.place + cut.q_offset;
  if (cut.kind == CutJoint::Kind::ball) {
    const CutMotion<T> m = cut_motion(b, c);
    const Quaternion<T> rate = quaternion_rate(ball_turn(b, cut, m.R, bad), m.twist.angular);
    b.rates.put(place, rate.w);
    b.rates.put(place + 1, rate.x);
    b.rates.put(place + 2, rate.y);
    b.rates.put(place + 3, rate.z);
    return;
  }
  const FrameMotion<T> base = frame_of(b.room, cut.base_frame), moving = frame_of(b.room, cut.moving_frame);
  Vector3<T> relative = moving.V.angular - base.V.angular;
  if (cut.kind == CutJoint::Kind::translation) {
    const Vector3<T> to_M = moving.R * b.room.loops->cuts[c].p_moving, r = moving.p + to_M - base.p;
    relative = moving.V.linear + cross(moving.V.angular, to_M) - base.V.linear - cross(base.V.angular, r);
  }
  b.rates.put(place, dot(b.worlds.cut_places[c].axis, transpose_times(base.R, relative)));
}

/// Kinematics. The motions of joints that are code are there already. Marks the lanes that their own solvers have to
/// do.
template <class T>
Mask<T> move(const Batch<T>& b) {
  if (carries_flexible && b.room.flexible != nullptr) move_nodes(*b.room.flexible, b.y, b.rates);
  sweep_motion(b.tree, b.worlds, b.room, b.y, b.rates);
  if (b.room.frames != nullptr) find_frames(b.tree, b.worlds, b.room, b.y);
  Mask<T> bad{};
  for (std::size_t c = 0; c < b.cuts.count; ++c)
    if (b.cuts.joints[c].is_plain) rate_cut(b, c, bad);
  return bad;
}
/// The same without the rates of the cut joints' coordinates, where only motions are wanted.
template <class T>
void move_tree(const Batch<T>& b) {
  const Cuts none;
  move(Batch<T>{b.tree, none, b.worlds, b.room, b.y, b.rates});
}

/// The columns of all loops. asked: by each row besides, or nullptr.
template <class T>
void start_loops(const Batch<T>& b, const T* asked) {
  Loops<T>& loops = *b.room.loops;
  loops.clear();
  for (std::size_t row = 0; asked != nullptr && row < loops.rows(); ++row) loops.ask(row, asked[row]);
  for (std::size_t c = 0; c < b.cuts.count; ++c) {
    const CutJoint& cut = b.cuts.joints[c];
    const FrameMotion<T> base = frame_of(b.room, cut.base_frame), moving = frame_of(b.room, cut.moving_frame);
    const auto tied = [&](const FrameMotion<T>& motion, FrameIndex f) -> typename Loops<T>::Tied {
      if (is_ground(f)) return {&motion, {}, true};
      if (const std::uint32_t a = attachment_of(loops.flexible, f); a != no_attachment) return {&motion, {}, false, a};
      return {&motion, motion.R * b.worlds.frames[at(f)].to_P, false};
    };
    loops.start(c, tied(base, cut.base_frame), tied(moving, cut.moving_frame), *b.worlds.ground);
  }
}

/// Accelerations, after move() and with what acts. Marks the lanes that their own solvers have to do. At rest, without
/// gravity and with what the rows of loops miss as `asked`, the same finds the step that closes them.
template <class T>
Mask<T> accelerate(const Batch<T>& b, const T* asked = nullptr) {
  if (b.room.loops != nullptr) start_loops(b, asked);
  Mask<T> bad = sweep_inward(b.tree, b.worlds, b.room);
  if (b.room.loops != nullptr) b.room.loops->close_ground(bad);
  sweep_outward(b.tree, b.worlds, b.room, b.rates);
  return bad;
}

}  // namespace polyform::lanes
