// The tables of a model as the general kernel of devices reads them (general_device.cpp): one piece of memory, in which
// pointers are offsets from its beginning until it has its place.
#pragma once

#include "lane_room.hpp"

namespace polyform::lanes {

/// One operation of the laws of forces, between numbered values. Steps are done one after the other.
struct LawStep {
  enum class Kind : std::uint8_t {
    constant,
    add,
    subtract,
    multiply,
    divide,
    negate,
    absolute,
    greater,
    root,
    where_positive,
    state,
    frame_motion,
    frame,
    number,  ///< takes number a of an array into a value
    load,
    effort,
    rate,
    power,
    event  ///< puts value b in place a of an array
  };
  Kind kind = Kind::constant;
  std::uint32_t to = 0, a = 0, b = 0;
  double value = 0;
};

template <class Element>
struct List {
  const Element* first = nullptr;
  std::uint64_t count = 0;
  const Element& operator[](std::size_t i) const { return first[i]; }
};

/// What stands first in the memory.
struct GeneralTables {
  Tree tree;
  Cuts cuts;
  LoopTables loops;
  RoomSizes sizes;  ///< angles: 0, because their sines and cosines stand beside the state
  List<std::uint32_t> quaternions, cut_coordinates, turns;  ///< where they stand in a state
  List<FrameIndex> tied;                                    ///< frames at the ends of loops
  List<double> keep;                                        ///< per row of the loops: 1, or 0 where it is left out
  List<LawStep> laws;
  std::uint32_t law_values = 0;
  std::uint32_t states = 0, positions = 0, velocities = 0, integrals = 0, events = 0, numbers = 0;
  double closing_tolerance = 0, position_rounding = 0, velocity_rounding = 0;

  /// Turns offsets into pointers.
  void settle(const char* base) {
    settle(base, tree.links);
    settle(base, tree.angles);
    settle(base, tree.general);
    settle(base, tree.primitives);
    settle(base, cuts.joints);
    settle(base, loops.loops);
    settle(base, loops.passages);
    settle(base, loops.bodies);
    settle(base, loops.neighbours);
    settle(base, loops.pairs);
    settle(base, loops.modal_pairs);
    settle(base, loops.targets);
    settle(base, loops.in_ground);
    settle(base, quaternions.first);
    settle(base, cut_coordinates.first);
    settle(base, turns.first);
    settle(base, tied.first);
    settle(base, keep.first);
    settle(base, laws.first);
  }

 private:
  template <class Element>
  static void settle(const char* base, const Element*& pointer) {
    pointer = reinterpret_cast<const Element*>(base + reinterpret_cast<std::uintptr_t>(pointer));
  }
};

}  // namespace polyform::lanes
