// The two kernels of an evaluation in lanes, before and after the forces, and what closes loops between them.
#pragma once

#include "lane_arrays.hpp"
#include "lane_motion.hpp"
#include "lane_sweep.hpp"

namespace polyform::lanes {

/// The joints that close the loops of a system, the same in all worlds.
struct Closing {
  explicit Closing(const LaneWorld& world)
      : cuts(world.view->cut_joints()), place(world.view->nv_tree + 2 * world.view->modes + world.view->states), loaded(cuts.size()) {
    const ForceSet& forces = world.loads->forces();
    for (std::size_t i = 0; i < forces.parts(); ++i)
      for (const Attachments::JointSlice& joint : forces.part(i).attached.joints())
        for (std::size_t c = 0; c < cuts.size(); ++c)
          if (joint.nv > 0 && joint.v == cuts[c].v_offset) loaded[c] = true;
  }

  static bool is_one(const JointData& joint, Primitive::Kind kind) {
    return joint.primitives.size() == 1 && joint.primitives[0].kind == kind;
  }
  /// Whether the coordinate of the joint and its rows follow from motions alone; else each world finds them by itself.
  bool is_plain(std::size_t c) const {
    return !loaded[c] && (cuts[c].nv == 0 || is_one(cuts[c], Primitive::Kind::rotation) ||
                       is_one(cuts[c], Primitive::Kind::translation));
  }

  Strided<const JointData> cuts;
  std::size_t place;   ///< what the place of a cut joint's coordinate in q lacks to that in y
  std::vector<bool> loaded;   ///< whether forces act on a cut joint
};

/// What the kernels work on.
template <class T>
struct Batch {
  const Tables& tables;
  const Closing& closing;
  Arrays<T>& arrays;
  State<T> y;
  Rates<T> rates;
  double* power = nullptr;   ///< of what acts, of the first lane; for kernels that carry forces, who may ask for it
};

template <class T>
FrameMotion<T> frame_of(const Room<T>& room, FrameIndex f) {
  return is_ground(f) ? FrameMotion<T>{Matrix3<T>::identity(), {}, {}} : room.frames[at(f)];
}

/// Of a cut joint of one primitive the rate of its coordinate is the relative velocity along its axis, which is fixed
/// in F.
template <class T>
void rate_cut(const Batch<T>& b, std::size_t c) {
  const JointData& cut = b.closing.cuts[c];
  if (cut.nv == 0) return;
  const Room<T>& room = b.arrays.room;
  const FrameMotion<T> base = frame_of(room, cut.base_frame), moving = frame_of(room, cut.moving_frame);
  Vector3<T> relative = moving.V.angular - base.V.angular;
  if (Closing::is_one(cut, Primitive::Kind::translation)) {
    const Vector3<T> to_M = moving.R * b.arrays.loops()->cuts[c].p_moving, r = moving.p + to_M - base.p;
    relative = moving.V.linear + cross(moving.V.angular, to_M) - base.V.linear - cross(base.V.angular, r);
  }
  b.rates.put(b.closing.place + cut.q_offset, dot(b.arrays.cut_place(c).axis, transpose_times(base.R, relative)));
}

/// Kinematics. The motions of joints that are code are there already.
template <class T>
void move(const Batch<T>& b) {
  const Tree& tree = b.tables.tree;
  const Room<T>& room = b.arrays.room;
  find_position_rates(tree, b.y, b.rates);
  if (room.flexible != nullptr) move_nodes(*room.flexible, b.y, b.rates);
  sweep_motion(tree, b.arrays.worlds, room, b.y);
  if (room.frames != nullptr) find_frames(tree, b.arrays.worlds, room, b.y);
  for (std::size_t c = 0; c < b.closing.cuts.size(); ++c)
    if (b.closing.is_plain(c)) rate_cut(b, c);
}

/// The columns of all loops. asked: by each row besides, or nullptr.
template <class T>
void start_loops(const Batch<T>& b, const T* asked) {
  const Room<T>& room = b.arrays.room;
  room.loops->clear();
  for (std::size_t row = 0; asked != nullptr && row < room.loops->rows(); ++row) room.loops->ask(row, asked[row]);
  for (std::size_t c = 0; c < b.closing.cuts.size(); ++c) {
    const JointData& cut = b.closing.cuts[c];
    const FrameMotion<T> base = frame_of(room, cut.base_frame), moving = frame_of(room, cut.moving_frame);
    const auto tied = [&](const FrameMotion<T>& motion, FrameIndex f) -> typename Loops<T>::Tied {
      if (is_ground(f)) return {&motion, {}, true};
      if (const std::size_t a = b.tables.attachment_of(f); a != LoopLayout::none) return {&motion, {}, false, a};
      return {&motion, motion.R * b.arrays.worlds.frames[at(f)].to_P, false};
    };
    room.loops->start(c, tied(base, cut.base_frame), tied(moving, cut.moving_frame), b.arrays.worlds.ground);
  }
}

/// Accelerations, after move() and with what acts. Marks the lanes that their own solvers have to do. At rest, without
/// gravity and with what the rows of loops miss as `asked`, the same finds the step that closes them.
template <class T>
Mask<T> accelerate(const Batch<T>& b, const T* asked = nullptr) {
  const Room<T>& room = b.arrays.room;
  if (room.loops != nullptr) start_loops(b, asked);
  Mask<T> bad = sweep_inward(b.tables.tree, b.arrays.worlds, room);
  if (room.loops != nullptr) room.loops->close_ground(bad);
  sweep_outward(b.tables.tree, b.arrays.worlds, room, b.rates);
  return bad;
}

/// The kernels that go through the tables of any system.
template <class T>
class LoopedKernels {
 public:
  /// Of a lane, one evaluation in so many is also done by its own solver.
  static constexpr std::uint32_t between_checks = 128;

  explicit LoopedKernels(const LaneWorld&) {}

  /// Why the world is not carried beside what all kernels ask of it; nullptr where it is.
  const char* misfit(const LaneWorld&) const { return nullptr; }
  /// Whether they can leave out these rows of a loop.
  bool leaves_out(std::size_t /*loop*/, unsigned /*rows*/) const { return true; }
  /// Whether accelerate() finds what acts by itself.
  bool carries_forces() const { return false; }
  void move(const Batch<T>& b) { lanes::move(b); }
  Mask<T> accelerate(const Batch<T>& b) { return lanes::accelerate(b); }
};

}  // namespace polyform::lanes
