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

/// Of a cut joint of one primitive the rate of its coordinate is the relative velocity along its axis, which is fixed
/// in F.
template <class T>
void rate_cut(const Batch<T>& b, std::size_t c) {
  const CutJoint& cut = b.cuts.joints[c];
  if (cut.nv == 0) return;
  const FrameMotion<T> base = frame_of(b.room, cut.base_frame), moving = frame_of(b.room, cut.moving_frame);
  Vector3<T> relative = moving.V.angular - base.V.angular;
  if (cut.kind == CutJoint::Kind::translation) {
    const Vector3<T> to_M = moving.R * b.room.loops->cuts[c].p_moving, r = moving.p + to_M - base.p;
    relative = moving.V.linear + cross(moving.V.angular, to_M) - base.V.linear - cross(base.V.angular, r);
  }
  b.rates.put(b.cuts.place + cut.q_offset, dot(b.worlds.cut_places[c].axis, transpose_times(base.R, relative)));
}

/// Kinematics. The motions of joints that are code are there already.
template <class T>
void move(const Batch<T>& b) {
  find_position_rates(b.tree, b.y, b.rates);
  if (carries_flexible && b.room.flexible != nullptr) move_nodes(*b.room.flexible, b.y, b.rates);
  sweep_motion(b.tree, b.worlds, b.room, b.y);
  if (b.room.frames != nullptr) find_frames(b.tree, b.worlds, b.room, b.y);
  for (std::size_t c = 0; c < b.cuts.count; ++c)
    if (b.cuts.joints[c].is_plain) rate_cut(b, c);
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
