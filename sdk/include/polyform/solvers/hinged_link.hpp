// One hinge of a HingedTree: plain data, which kernels for devices read too.
#pragma once

#include <cstdint>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A body and the hinge that carries it, in the body's own axes.
/// The sweeps read it body after body. So all that they need of a hinge stands side by side in memory, in one
/// structure.
struct HingedLink {
  /// general: several primitives, code, a ball in a loop, or what is postponed, which are passed direction by
  /// direction.
  enum class Hinge : std::uint8_t { fixed, ball, rotation, translation, general };

  std::int32_t parent = -1;
  std::int32_t inboard = -1;  ///< among bodies and then frames of flexible ones: the parent, or its frame
  std::int32_t frame = -1;    ///< the same, in the motions of frames
  bool on_frame = false;      ///< the parent is flexible
  bool flexible = false;
  Hinge hinge = Hinge::fixed;
  bool reversed = false;       ///< the outboard body is the joint's base
  bool turned = false;         ///< a ball whose coordinates are given in axes that differ from the inside axes
  bool opens_slot = false;     ///< first in the inward sweep to write into its parent's slot
  bool looped = false;         ///< columns of loops pass the hinge or end in the body
  bool postponed = false;      ///< loops give the hinge its inertia (postponed_hinges.hpp)
  bool is_ball = false;        ///< three rotations at right angles, whichever way they are passed
  std::uint32_t q = 0, v = 0;  ///< offsets into the coordinates
  std::uint32_t first = 0;     ///< of the hinge's columns, or its place among the ball hinges
  std::uint32_t count = 0;     ///< number of columns
  std::uint32_t place = 0;     ///< among the general joints, or among the rotations
  std::int32_t slot = -1;      ///< of a body with several children: where all of these but the first are summed
  Vec3 lever;                  ///< from the parent's P to the hinge point on the parent, in the parent's axes
  Vec3 axis;                   ///< of one rotation or translation
};

}  // namespace polyform
