// The corners of a body of triangles at the faces of another one.
#pragma once

#include <algorithm>
#include <limits>

#include "convex_faces.hpp"
#include "mesh_corners.hpp"
#include "seen.hpp"
#include "sheet_places.hpp"

namespace polyform::contact {

inline double least_size(const PlacedShape& a, const PlacedShape& b) noexcept {
  return std::min(a.mesh->size(), b.mesh->size());
}
/// Part of the smaller body: a face of a valley that is farther away than another one by more does not touch soon.
inline constexpr double valley_share = 0.05;

/// The place of the sides of a face that is nearest to a point.
inline Vec3 nearest_of_sides(const Polyhedron& body, const Polyhedron::Face& face, const Vec3& p) noexcept {
  Vec3 best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < face.count; ++k) {
    const Vec3 &from = body.corner_of(face, k), side = body.corner_of(face, k + 1) - from;
    const Vec3 q = from + std::clamp(dot(side, p - from) / dot(side, side), 0.0, 1.0) * side;
    const double square = dot(p - q, p - q);
    if (!(square < least)) continue;
    least = square;
    best = q;
  }
  return best;
}

/// Over the face its height, also if that is negative; elsewhere the distance from its sides. Carried: the height over
/// the plane of the face there too.
template <bool carried>
ContactPoint corner_at_face(const Polyhedron& body, const Polyhedron::Face& face, const Vec3& corner,
                            double around) noexcept {
  const double height = dot(face.normal, corner) - face.offset;
  ContactPoint over{height, face.normal, corner - (0.5 * height) * face.normal};
  over.place = place_over(body, face, corner, height, carried ? 0 : around);
  over.begin = carried ? around : 0;
  over.hold = over_face * over.begin;
  over.feature = feature_of(body, face);
  if (over.place >= 0) return over;
  const Vec3 line = corner - nearest_of_sides(body, face, corner);
  const double distance = norm(line);
  if constexpr (carried) {
    over.distance = distance;
    return over;
  }
  if (!(distance > 0)) return nowhere(corner, {}, body.size());
  ContactPoint beside_face{distance, (1 / distance) * line, corner - 0.5 * line};
  beside_face.place = over.place;
  return beside_face;
}

/// A corner of a mesh that is not convex at that face of a convex body, of those that it can touch, which it is the
/// farthest out of.
template <bool carried>
ContactPoint corner_at_convex(const PlacedShape& a, std::size_t corner, const Vec3& place, const PlacedShape& b,
                              const ContactPoint& none) noexcept {
  const Vec3 p = transpose_times(b.R, place - b.position);
  const Polyhedron::Face* best = nullptr;
  double highest = -std::numeric_limits<double>::infinity();
  for (const Polyhedron::Face& face : b.mesh->faces()) {
    const double height = dot(face.normal, p) - face.offset;
    if (height > highest && lies_before(a, corner, b.R * face.normal)) best = &face, highest = height;
  }
  if (best == nullptr) return none;
  const double around = beside * (carried ? std::max(a.mesh->size(), b.mesh->size()) : b.mesh->size());
  return in_ground(b, corner_at_face<carried>(*b.mesh, *best, p, around));
}

/// The corners of `a` at `b`. Of convex ones, gives how far `a` is out of a face of `b`.
template <bool carried>
double corners_at_mesh(const PlacedShape& a, const PlacedShape& b, const ContactPoint& none,
                       std::span<ContactPoint> out) noexcept {
  const std::span<const Vec3> corners = a.mesh->corners();
  const Seen seen(b, a);
  if (!b.mesh->is_convex() || !a.mesh->is_convex()) {
    std::ranges::fill(out, none);
    const std::size_t count = points_at_mesh(b);
    for_near_corners(a, b, [&](std::size_t k, const Vec3& corner, std::size_t place) {
      if (b.mesh->is_convex()) {
        out[place] = corner_at_convex<carried>(a, k, corner, b, none);
      } else if (a.mesh->spokes().is_pointed(k))
        corner_in_valley(
            corner, b, valley_share * least_size(a, b), none, [&](const Vec3& n) { return lies_before(a, k, n); },
            out.subspan(count * place, count));
    });
    return -std::numeric_limits<double>::infinity();
  }
  const Towards towards = face_towards(*b.mesh, [&](const Vec3& normal, double enough) {
    const Vec3 n = transpose_times(seen.R, normal);
    const double from = dot(normal, seen.position);
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& c : corners) {
      lowest = std::min(lowest, from + dot(n, c));
      if (lowest <= enough) break;
    }
    return lowest;
  });
  const double around = beside * (carried ? std::max(a.mesh->size(), b.mesh->size()) : b.mesh->size());
  for (std::size_t k = 0; k < corners.size(); ++k)
    out[k] = in_ground(b, corner_at_face<carried>(*b.mesh, towards.face, seen.point(corners[k]), around));
  return towards.apart;
}

}  // namespace polyform::contact
