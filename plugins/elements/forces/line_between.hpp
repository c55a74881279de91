// The line from one point to another: its direction, and how well its length is known.
#pragma once

#include "polyform/contract/spatial.hpp"
#include "polyform/helpers/law_number.hpp"
#include "polyform/helpers/point_rounding.hpp"

namespace polyform::forces {

/// Unit vector along to − from, whose norm is `length`. Zero if the points coincide up to the rounding of their places,
/// because the direction of the difference is then arbitrary. rounding: of both points, m (point_rounding).
template <class T>
Vector3<T> direction_between(const Vector3<T>& from, const Vector3<T>& to, const T& length,
                             const T& rounding) noexcept {
  const T known = length - (T(rounding_of_places) * (norm(from) + norm(to)) + rounding);
  return where_positive(known, T(1) / length) * (to - from);
}

}  // namespace polyform::forces
