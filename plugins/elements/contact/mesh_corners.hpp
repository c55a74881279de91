// The corners of a body of triangles that can touch another shape.
#pragma once

#include <algorithm>

#include "corner_slots.hpp"
#include "crossings.hpp"
#include "polyhedron.hpp"

namespace polyform::contact {

/// How many places the corners of a mesh have among the points of a pair.
inline std::size_t corner_places(const PlacedShape& mesh) noexcept {
  return mesh.slots != nullptr ? mesh.slots->count() : mesh.mesh->corners().size();
}

/// Whether a mesh lies in front of a plane through one of its corners, or behind it by the angle that flat bodies tilt.
inline bool lies_before(const PlacedShape& mesh, std::size_t corner, const Vec3& normal) noexcept {
  const Vec3 n = transpose_times(mesh.R, normal);
  return std::ranges::all_of(mesh.mesh->spokes().of(corner),
                             [&](const Vec3& side) { return dot(n, side) > -into_face; });
}

/// Calls visit(k, corner, place) for each corner k, in ground axes, that may be within the other shape, with its place:
/// for all of a convex mesh, and of others for those that a plane can touch alone.
template <class Visit>
void for_near_corners(const PlacedShape& mesh, const PlacedShape& other, Visit visit) noexcept {
  const std::span<const Vec3> corners = mesh.mesh->corners();
  const auto at = [&](std::size_t corner, std::size_t place) {
    if (mesh.mesh->is_convex() || mesh.mesh->spokes().is_pointed(corner))
      visit(corner, mesh.position + mesh.R * corners[corner], place);
  };
  if (mesh.slots == nullptr) {
    for (std::size_t k = 0; k < corners.size(); ++k) at(k, k);
    return;
  }
  const Vec3 center = transpose_times(mesh.R, other.position - mesh.position),
             reach = mesh.slots->reach() * Vec3{1, 1, 1};
  const Vec3 low = center - reach, high = center + reach;
  mesh.mesh->for_corners_in(low, high, [&](std::uint32_t k) {
    const Vec3& c = corners[k];
    // A triangle may reach out of the box in which no two corners have the same place.
    if (c.x >= low.x && c.x <= high.x && c.y >= low.y && c.y <= high.y && c.z >= low.z && c.z <= high.z)
      at(k, mesh.slots->slot_of(k));
  });
}

/// Puts at(corner), of a corner in ground axes, into the place of each corner, with a normal out of the mesh. Of a mesh
/// that is not convex it does so where a plane with this normal can touch the corner; elsewhere there is `none`.
template <class At>
void put_corners(const PlacedShape& mesh, const PlacedShape& other, const ContactPoint& none,
                 std::span<ContactPoint> out, At at) noexcept {
  std::ranges::fill(out, none);
  for_near_corners(mesh, other, [&](std::size_t k, const Vec3& corner, std::size_t place) {
    if (mesh.mesh->is_convex()) {
      out[place] = at(corner);
    } else {
      const ContactPoint point = at(corner);
      if (lies_before(mesh, k, -point.normal)) out[place] = point;
    }
  });
}

}  // namespace polyform::contact
