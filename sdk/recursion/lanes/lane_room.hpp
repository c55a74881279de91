// Where the numbers of some worlds and the room of the kernels stand in one array: for the host and for devices.
#pragma once

#include "lane_loops.hpp"

namespace polyform::lanes {

/// How many there are of each part, the same in all worlds.
struct RoomSizes {
  std::uint32_t bodies = 0, primitives = 0, cuts = 0, forces = 0;  ///< of numbers of the worlds
  std::uint32_t singles = 0, balls = 0, general = 0, angles = 0, slots = 0;
  std::uint32_t efforts = 0;  ///< 0 where nothing acts on joints
  std::uint32_t frames = 0;   ///< bodies, and nodes of flexible ones
  std::uint32_t works = 0;    ///< bodies, and frames of flexible ones
  bool has_frames = false;    ///< motions of frames are wanted
  bool has_loads = false;     ///< something acts on bodies
};

/// Takes the parts one after the other from an array, or counts what they take.
template <class T>
struct Taker {
  T* next = nullptr;  ///< nullptr: counts alone
  std::size_t taken = 0;

  template <class Part>
  Part* take(std::size_t count) {
    static_assert(sizeof(Part) % sizeof(T) == 0);
    taken += count * (sizeof(Part) / sizeof(T));
    if (next == nullptr || count == 0) return nullptr;
    Part* const part = reinterpret_cast<Part*>(next);
    next += count * (sizeof(Part) / sizeof(T));
    return part;
  }
};

/// The numbers of the worlds, in the order of Arrays::numbers().
template <class T>
void lay_out_numbers(const RoomSizes& sizes, Taker<T>& from, Worlds<T>& worlds, Loops<T>& loops) {
  worlds.constants = from.template take<Constants<T>>(sizes.bodies);
  worlds.frames = from.template take<Frame<T>>(sizes.bodies);
  worlds.axes = from.template take<Vector3<T>>(sizes.primitives);
  worlds.ground = from.template take<Vector3<T>>(1);
  loops.cuts = from.template take<Cut<T>>(sizes.cuts);
  worlds.cut_places = from.template take<CutPlace<T>>(sizes.cuts);
  worlds.forces = from.template take<T>(sizes.forces);
}

template <class T>
void lay_out_loops(Taker<T>& from, Loops<T>& loops) {
  const LoopTables& sizes = loops.tables;
  loops.keep = from.template take<T>(sizes.rows);
  loops.columns = from.template take<LoopColumn<T>>(sizes.columns);
  loops.through = from.template take<LoopColumn<T>>(sizes.widest);
  loops.gains = from.template take<T>(sizes.gains);
  loops.modal = from.template take<T>(sizes.modal);
  loops.values = from.template take<T>(sizes.values);
  for (T** part : {&loops.right, &loops.usual, &loops.weights, &loops.inverse, &loops.lambda})
    *part = from.template take<T>(sizes.rows);
}

template <class T>
void lay_out_room(const RoomSizes& sizes, Taker<T>& from, Room<T>& room) {
  room.work = from.template take<Work<T>>(sizes.works);
  room.singles = from.template take<Single<T>>(sizes.singles);
  room.balls = from.template take<TurningBall<T>>(sizes.balls);
  room.motions = from.template take<Motion<T>>(sizes.general);
  room.general = from.template take<General<T>>(sizes.general);
  room.angles = from.template take<T>(sizes.angles);
  room.sines = from.template take<T>(sizes.angles);
  room.cosines = from.template take<T>(sizes.angles);
  room.slots = from.template take<Transfer<T>>(sizes.slots);
  room.z = from.template take<SpatialVector<T>>(sizes.works);
  room.frames = from.template take<FrameMotion<T>>(sizes.has_frames ? sizes.frames : 0);
  room.loads = from.template take<SpatialVector<T>>(sizes.has_loads ? sizes.frames : 0);
  room.efforts = from.template take<T>(sizes.efforts);
}

}  // namespace polyform::lanes
