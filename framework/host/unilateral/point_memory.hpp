// What a motion with contact has seen of one point, from one state to the next.
#pragma once

#include <cstdint>

namespace polyform::host::inline unilateral {

struct PointMemory {
  static constexpr std::uint32_t unknown_feature = static_cast<std::uint32_t>(-1);

  double span = 0;     ///< widest gap since it opened, m or rad
  double fastest = 0;  ///< fastest sliding since it began, m/s or rad/s
  double overlap = 0;  ///< rounding of its gap's places, m or rad; 0: not known
  double beside = 0;   ///< depth up to which it is open where it came in beside the surface, m, or 0
  double pressed = 0;  ///< largest normal force since it closed, N or N m
  std::uint32_t feature = unknown_feature;  ///< part of the surface at which it closed
  bool settled = false;                     ///< whether it slides slowly and its direction has settled

  bool is_at_other_place(std::uint32_t now) const { return feature != unknown_feature && feature != now; }
};

}  // namespace polyform::host::inline unilateral
