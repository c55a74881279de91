// The line from one point to another: its direction, and how well its length is known.
#pragma once

#include "polyform/contract/spatial.hpp"
#include "polyform/helpers/law_number.hpp"

namespace polyform::forces {

/// Rounding of lengths between points of bodies that joints hold together, and of the places of these points.
inline constexpr double rounding_of_lengths = 1e-12;

/// Unit vector along to − from, whose norm is `length`. Zero if the points coincide up to the rounding of the bodies'
/// places, because the direction of the difference is then arbitrary. arms: of both points, m (lever_arm).
template <class T>
Vector3<T> direction_between(const Vector3<T>& from, const Vector3<T>& to, const T& length, const T& arms) noexcept {
  const T known = length - T(rounding_of_lengths) * (norm(from) + norm(to) + arms);
  return where_positive(known, T(1) / length) * (to - from);
}

}  // namespace polyform::forces
