#include "spokes.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::contact {

namespace {

/// Sine of an angle by which sides that stand in files with seven digits miss one plane.
constexpr double flat = 1e-6;
/// A corner with more sides is taken as pointed: the search grows with their cube.
constexpr std::size_t most_sides = 32;

}  // namespace

Spokes::Spokes(std::span<const Vec3> corners, std::span<const std::array<std::uint32_t, 3>> triangles,
               std::span<const Vec3> normals, const std::vector<bool>& is_open) {
  std::vector<std::vector<std::uint32_t>> beside(corners.size());
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k)
      for (const std::size_t other : {(k + 1) % 3, (k + 2) % 3}) beside[t[k]].push_back(t[other]);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    first_.push_back(directions_.size());
    std::ranges::sort(beside[c]);
    const auto again = std::ranges::unique(beside[c]);
    beside[c].erase(again.begin(), again.end());
    for (const std::uint32_t other : beside[c]) {
      const Vec3 side = corners[other] - corners[c];
      if (const double length = norm(side); length > 0) directions_.push_back((1 / length) * side);
    }
  }
  first_.push_back(directions_.size());
  for (std::size_t c = 0; c < corners.size(); ++c) is_pointed_.push_back(is_open[c] || find_pointed(c, normals[c]));
}

/// All sides lie behind a plane through two of them, if behind any plane. Where these planes have sides in front of
/// them alone, the mean of their normals is that of a plane that touches the corner alone: from outside, where it leads
/// out of the body, and else from within a hollow.
bool Spokes::find_pointed(std::size_t corner, const Vec3& normal) const {
  const std::span<const Vec3> sides = of(corner);
  if (sides.size() > most_sides) return true;
  Vec3 sum;
  for (std::size_t i = 0; i < sides.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Vec3 across = cross(sides[i], sides[k]);
      const double size = norm(across);
      if (!(size > flat)) continue;
      for (const double sign : {1.0, -1.0}) {
        const Vec3 plane = (sign / size) * across;
        const auto is_behind = [&](const Vec3& side) { return dot(plane, side) < flat * flat; };
        if (std::ranges::all_of(sides, is_behind)) sum += plane;
      }
    }
  return dot(sum, normal) > 0 && std::ranges::all_of(sides, [&](const Vec3& side) { return dot(sum, side) < -flat; });
}

}  // namespace polyform::contact
