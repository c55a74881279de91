// Two directions across a normal.
#pragma once

#include <array>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

/// They follow the normal n, a unit vector, smoothly but where it points down along z: near there they turn round.
inline std::array<Vec3, 2> tangents(const Vec3& n) noexcept {
  constexpr double nothing = 1e-280;  // its parts would be lost below the least numbers
  const double aside = n.x * n.x + n.y * n.y;
  if (n.z < 0 && aside < nothing) return {Vec3{0, -1, 0}, Vec3{-1, 0, 0}};
  // Of a normal that points down, 1 + n_z would be rounding.
  const double a = n.z < 0 ? (1 - n.z) / aside : 1 / (1 + n.z), b = -n.x * n.y * a;
  return {Vec3{1 - n.x * n.x * a, b, -n.x}, Vec3{b, 1 - n.y * n.y * a, -n.y}};
}

}  // namespace polyform::contact
