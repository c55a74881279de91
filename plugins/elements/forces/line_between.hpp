// The line from one point to another: its direction, and how well its length is known.
#pragma once

#include "polyform/contract/spatial.hpp"

namespace polyform::forces {

/// Rounding of lengths between points of bodies that joints hold together, and of the places of these points.
inline constexpr double rounding_of_lengths = 1e-12;

/// Unit vector along to − from, whose norm is `length`. Zero if the points coincide up to the rounding of the bodies'
/// places, because the direction of the difference is then arbitrary.
inline Vec3 direction_between(const Vec3& from, const Vec3& to, double length) noexcept {
  return length > rounding_of_lengths * (norm(from) + norm(to)) ? (1 / length) * (to - from) : Vec3{};
}

}  // namespace polyform::forces
