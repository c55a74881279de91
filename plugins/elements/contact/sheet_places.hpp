// Where a ball or a corner touches a body of triangles that is not convex: in a valley at one place of each sheet.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "polyhedron.hpp"
#include "sheets.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

/// How many points a ball or a corner has at a mesh.
inline std::size_t points_at_mesh(const PlacedShape& mesh) noexcept { return mesh.mesh->sheets(); }

/// A ball at the nearest place, and at those places of other sheets from which each way along the surface leads farther
/// away. Elsewhere `none`.
void ball_in_valley(const Vec3& center, double radius, const PlacedShape& mesh, const ContactPoint& none,
                    std::span<ContactPoint> out) noexcept;

/// A corner of another body at the nearest face that it can touch, and at those faces of other sheets that form a
/// valley with it. Elsewhere `none`. near: of faces that are farther away the nearest one is enough, m. admits(normal):
/// whether the other body lies in front of a plane through its corner, ground axes.
template <class Admits>
void corner_in_valley(const Vec3& corner, const PlacedShape& b, double near, const ContactPoint& none, Admits admits,
                      std::span<ContactPoint> out) noexcept;

/// Whether each of two triangles sticks out of the plane of the other one.
bool form_valley(const Polyhedron::Facet& one, const Polyhedron::Facet& other, double rounding) noexcept;
/// How far a place below or above a triangle is beyond its sides, m: on over sides where the surface forms a valley, as
/// its face goes on there below the other one. Nothing where it is beyond another side by more than rounding.
std::optional<double> beyond_sides(const Polyhedron::Facet& facet, const Vec3& point, double rounding) noexcept;
ContactPoint corner_over(const Vec3& corner, const PlacedShape& mesh, const Polyhedron::Facet& facet) noexcept;

template <class Admits>
void corner_in_valley(const Vec3& corner, const PlacedShape& b, double near, const ContactPoint& none, Admits admits,
                      std::span<ContactPoint> out) noexcept {
  std::ranges::fill(out, none);
  const Polyhedron& mesh = *b.mesh;
  const Vec3 p = transpose_times(b.R, corner - b.position);
  const SurfacePlace place = mesh.nearest(p);
  const double rounding = beside * mesh.size();
  const bool is_out = !place.is_inside && place.distance > rounding, is_single = mesh.sheets() == 1;
  const bool is_far = is_out && place.distance > near;
  // A corner that has passed an edge touches nothing there. One that lies deep, as springs let it, goes the shortest
  // way out, whose length changes continuously with the pose.
  const bool is_deep = place.is_inside && place.distance > rounding,
             is_known = is_single && (is_deep || (place.is_face ? admits(b.R * place.outward) : is_out));
  if (is_far || is_known) {
    out[place.sheet] = ball_at_place(corner, 0, b, place);
    return;
  }
  // A face that is deeper than walls are thick belongs to the other side of one.
  const double reach = place.distance + near,
               lowest = is_out ? -rounding : -std::min(reach, std::max(mesh.half_thickness(), rounding));
  const Vec3 around = reach * Vec3{1, 1, 1};
  const auto for_faces = [&](auto visit) {
    mesh.for_facets_in(p - around, p + around, [&](const Polyhedron::Facet& facet) {
      const double height = dot(facet.normal, p - facet.corners[0]);
      if (height < lowest || height > reach || !admits(b.R * facet.normal)) return;
      if (const std::optional<double> beyond = beyond_sides(facet, p, rounding); beyond && *beyond <= reach)
        visit(facet, std::hypot(height, *beyond));
    });
  };
  std::optional<Polyhedron::Facet> first;
  std::array<double, most_sheets> distances;
  distances.fill(std::numeric_limits<double>::infinity());
  double least = std::numeric_limits<double>::infinity();
  for_faces([&](const Polyhedron::Facet& facet, double distance) {
    if (distance < least) first = facet, least = distance;
  });
  if (!first) return;
  distances[first->sheet] = 0;
  out[first->sheet] = corner_over(corner, b, *first);
  if (is_single) return;
  for_faces([&](const Polyhedron::Facet& facet, double distance) {
    if (!(distance < distances[facet.sheet]) || !form_valley(*first, facet, rounding)) return;
    distances[facet.sheet] = distance;
    out[facet.sheet] = corner_over(corner, b, facet);
  });
}

}  // namespace polyform::contact
