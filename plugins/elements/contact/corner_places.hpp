// Which places the corners of a mesh have among the points of a pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "corner_slots.hpp"
#include "placed_shape.hpp"
#include "polyhedron.hpp"

namespace polyform::contact {

/// How many places the corners of a mesh have among the points of a pair.
inline std::size_t corner_places(const PlacedShape& mesh) noexcept {
  return mesh.slots != nullptr ? mesh.slots->count() : mesh.mesh->corners().size();
}

/// Calls visit(corner, place) for each corner of a mesh that may be within the other shape; its places are those of
/// corner_places().
template <class Visit>
void for_near_corners(const PlacedShape& mesh, const PlacedShape& other, Visit visit) noexcept {
  const std::span<const Vec3> corners = mesh.mesh->corners();
  if (mesh.slots == nullptr) {
    for (std::uint32_t k = 0; k < corners.size(); ++k) visit(k, k);
    return;
  }
  const Vec3 center = transpose_times(mesh.R, other.position - mesh.position),
             reach = mesh.slots->reach() * Vec3{1, 1, 1};
  const Vec3 low = center - reach, high = center + reach;
  mesh.mesh->for_corners_in(low, high, [&](std::uint32_t k) {
    const Vec3& c = corners[k];
    // A triangle may reach out of the box in which no two corners have the same place.
    if (c.x >= low.x && c.x <= high.x && c.y >= low.y && c.y <= high.y && c.z >= low.z && c.z <= high.z)
      visit(k, mesh.slots->slot_of(k));
  });
}

/// Puts at(corner), of a corner in ground axes, into the place of each corner that may be within the other shape; where
/// there is none, `none`.
template <class At>
void put_corners(const PlacedShape& mesh, const PlacedShape& other, const ContactPoint& none,
                 std::span<ContactPoint> out, At at) noexcept {
  if (mesh.slots != nullptr) std::ranges::fill(out, none);
  for_near_corners(mesh, other, [&](std::uint32_t corner, std::size_t place) {
    out[place] = at(mesh.position + mesh.R * mesh.mesh->corners()[corner]);
  });
}

}  // namespace polyform::contact
