#include "patch_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "corner_places.hpp"
#include "polyhedron.hpp"
#include "seen.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

namespace {

/// Of the half extent of the smaller body: patches that are farther away are not looked at.
constexpr double near_share = 1;
/// Of the size of a mesh: a point that lies beside a triangle by less is over it.
constexpr double rounding = 1e-12;

/// How far beyond the end of a patch a place begins to touch, m, and how far away patches are looked at.
struct Reach {
  double near, around;
};

/// How far a point of the plane of a triangle lies beside one of its sides, m; negative within.
double beyond_side(const Polyhedron::Facet& facet, std::size_t k, const Vec3& p) noexcept {
  const Vec3 &from = facet.corners[k], out = cross(facet.corners[(k + 1) % 3] - from, facet.normal);
  return dot(out, p - from) / norm(out);
}

double from_side(const Polyhedron::Facet& facet, std::size_t k, const Vec3& p) noexcept {
  const Vec3 &from = facet.corners[k], side = facet.corners[(k + 1) % 3] - from;
  return norm(p - from - std::clamp(dot(side, p - from) / dot(side, side), 0.0, 1.0) * side);
}

/// How far a point of the plane of a triangle lies beside it, m; 0 over it.
double beside_facet(const Polyhedron::Facet& facet, const Vec3& p) noexcept {
  double least = std::numeric_limits<double>::infinity();
  bool is_over = true;
  for (std::size_t k = 0; k < 3; ++k) {
    is_over = is_over && beyond_side(facet, k, p) <= 0;
    least = std::min(least, from_side(facet, k, p));
  }
  return is_over ? 0 : least;
}

/// How far a point is within the sides of a patch, up to `near`, m; below zero it is beside the patch.
double place_over_patch(const Polyhedron& mesh, std::uint32_t patch, const Vec3& point, double near) noexcept {
  double place = near;
  bool is_over = false;
  const Vec3 room = near * Vec3{1, 1, 1};
  mesh.for_facets_in(point - room, point + room, [&](const Polyhedron::Facet& facet) {
    if (facet.patch != patch) return;
    is_over = is_over || beside_facet(facet, point) <= rounding * mesh.size();
    for (std::size_t k = 0; k < 3; ++k)
      if (!facet.is_flat_side[k]) place = std::min(place, from_side(facet, k, point));
  });
  return is_over ? place : -place;
}

/// A point over a patch, which lies in it or beside it.
ContactPoint over_patch(const Polyhedron& mesh, std::uint32_t number, const Vec3& p, const Reach& reach) noexcept {
  const Polyhedron::Patch& patch = mesh.patches()[number];
  const double height = dot(patch.normal, p) - patch.offset;
  ContactPoint over{height, patch.normal, p - (0.5 * height) * patch.normal};
  over.place = place_over_patch(mesh, number, p - height * patch.normal, reach.near);
  over.begin = reach.around;
  over.hold = over_face * over.begin;
  over.feature = number;
  if (over.place < 0) over.distance = std::hypot(height, over.place);
  return over;
}

/// Of each colour the patch that is nearest to the lowest point of a body over it; all in the axes of the mesh. Looks
/// at patches in a box. lowest(normal): that point; nothing where the body sticks into the plane beside it, so that it
/// cannot touch first. best: room for a point of each colour. put(colour, patch), from the last colour on: the patch,
/// or nothing where none is near. Whether any triangle was near.
template <class Lowest, class Put>
bool for_nearest_patches(const Polyhedron& mesh, const Vec3& low, const Vec3& high, const Reach& reach, Lowest lowest,
                         std::span<ContactPoint> best, Put put) noexcept {
  for (ContactPoint& point : best) point.distance = std::numeric_limits<double>::infinity();
  bool any = false;
  mesh.for_facets_in(low, high, [&](const Polyhedron::Facet& facet) {
    const Polyhedron::Patch& patch = mesh.patches()[facet.patch];
    any = true;
    const std::optional<Vec3> point = lowest(patch.normal);
    if (!point) return;
    const double height = dot(patch.normal, *point) - patch.offset;
    if (std::abs(height) > reach.near) return;
    const double aside = beside_facet(facet, *point - height * patch.normal);
    if (aside > reach.near) return;
    const double beyond = std::max(0.0, aside - over_face * reach.around), distance = std::hypot(height, beyond);
    if (!(distance < best[patch.colour].distance)) return;
    // A point behind a wall that is not within the body is at the other side of the wall.
    if (height < -reach.around && !(beyond > 0) && !mesh.nearest(*point).is_inside) return;
    best[patch.colour].distance = distance;
    best[patch.colour].feature = facet.patch;
  });
  for (std::size_t colour = best.size(); colour-- > 0;)
    put(colour, std::isfinite(best[colour].distance) ? std::optional(best[colour].feature) : std::nullopt);
  return any;
}

/// No place is nearer than a distance.
ContactPoint bound(const ContactPoint& none, double distance) noexcept {
  ContactPoint point = none;
  point.distance = std::max(none.gap, distance);
  point.gap = distance;
  point.place = -distance;
  point.is_bound = true;
  return point;
}

/// Of what is far from all patches: the nearest place, and no other one is nearer.
void put_far(const ContactPoint& nearest, const ContactPoint& none, std::span<ContactPoint> out) noexcept {
  std::ranges::fill(out, nearest.gap > 0 ? bound(none, nearest.gap) : none);
  out[0] = nearest;
}

Reach reach_between(const PlacedShape& mesh, double other) noexcept {
  return {near_share * std::min(mesh.mesh->size(), other), beside * std::max(mesh.mesh->size(), other)};
}

}  // namespace

std::size_t corners_at_patches_points(const PlacedShape& a, const PlacedShape& b) noexcept {
  return corner_places(a) * b.mesh->patch_colours();
}

void corners_at_patches(const PlacedShape& a, const PlacedShape& b, const ContactPoint& none,
                        std::span<ContactPoint> out) noexcept {
  const std::size_t colours = b.mesh->patch_colours();
  const Seen seen(b, a);
  const Reach reach = reach_between(b, a.mesh->size());
  const Vec3 room = reach.near * Vec3{1, 1, 1};
  std::ranges::fill(out, none);
  for_near_corners(a, b, [&](std::uint32_t corner, std::size_t slot) {
    if (a.mesh->is_sunken(corner)) return;
    const Vec3 p = seen.point(a.mesh->corners()[corner]);
    const auto lowest = [&](const Vec3& normal) -> std::optional<Vec3> {
      for (const Vec3& direction : a.mesh->directions_from(corner))
        if (dot(normal, seen.R * direction) < -into_face) return std::nullopt;
      return p;
    };
    const std::span<ContactPoint> own = out.subspan(colours * slot, colours);
    const bool any = for_nearest_patches(*b.mesh, p - room, p + room, reach, lowest, own,
                                         [&](std::size_t colour, const std::optional<std::uint32_t>& patch) {
                                           own[colour] = patch ? in_ground(b, over_patch(*b.mesh, *patch, p, reach))
                                                               : bound(none, reach.near);
                                         });
    if (!any) put_far(ball_at_mesh(b.position + b.R * p, 0, b), none, own);
  });
}

}  // namespace polyform::contact
