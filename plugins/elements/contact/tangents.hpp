// Two directions across a normal.
#pragma once

#include <array>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

/// They follow the normal, a unit vector, smoothly but where it points down along z.
inline std::array<Vec3, 2> tangents(const Vec3& n) noexcept {
  constexpr double straight_down = -0.9999999;
  if (n.z < straight_down) return {Vec3{0, -1, 0}, Vec3{-1, 0, 0}};
  const double a = 1 / (1 + n.z), b = -n.x * n.y * a;
  return {Vec3{1 - n.x * n.x * a, b, -n.x}, Vec3{b, 1 - n.y * n.y * a, -n.y}};
}

}  // namespace polyform::contact
