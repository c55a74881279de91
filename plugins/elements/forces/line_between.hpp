// The direction from one point to another.
#pragma once

#include "polyform/contract/spatial.hpp"

namespace polyform::forces {

/// Unit vector along to − from, whose norm is length. Zero where the points coincide up to the rounding of where bodies
/// are, for then the difference points anywhere.
inline Vec3 direction_between(const Vec3& from, const Vec3& to, double length) noexcept {
  constexpr double rounding = 1e-12;  // of positions that joints hold together
  return length > rounding * (norm(from) + norm(to)) ? (1 / length) * (to - from) : Vec3{};
}

}  // namespace polyform::forces
