#include "sheet_places.hpp"

#include <algorithm>

#include "sheets.hpp"

namespace polyform::contact {

namespace {

/// Part of its radius by which a ball is nearer than other places that count.
constexpr double near_ball = 0.05;

/// Whether all ways along the surface from the place of a triangle that is nearest to a point lead away from the point,
/// also those beyond the triangle.
bool is_nearest_around(const Polyhedron& mesh, const Polyhedron::Facet& facet, const TrianglePlace& at,
                       const Vec3& line, double rounding) noexcept {
  using enum TrianglePlace::Part;
  const auto leads_away = [&](const Vec3& way) { return dot(way, line) <= rounding; };
  if (at.part == face) return dot(facet.normal, line) > 0;
  if (at.part == corner) return std::ranges::all_of(mesh.spokes().of(facet.numbers[at.number]), leads_away);
  const Vec3 along = facet.corners[(at.number + 1) % 3] - facet.corners[at.number];
  return leads_away((1 / norm(along)) * cross(along, facet.beyond[at.number]));
}

std::size_t sheet_of(const Polyhedron::Facet& facet, const TrianglePlace& at) noexcept {
  using enum TrianglePlace::Part;
  return at.part == face ? facet.sheet
                         : (at.part == side ? facet.side_sheets[at.number] : facet.corner_sheets[at.number]);
}

}  // namespace

void ball_in_valley(const Vec3& center, double radius, const PlacedShape& b, const ContactPoint& none,
                    std::span<ContactPoint> out) noexcept {
  std::ranges::fill(out, none);
  const Polyhedron& mesh = *b.mesh;
  const Vec3 p = transpose_times(b.R, center - b.position);
  const SurfacePlace place = mesh.nearest(p);
  out[place.sheet] = ball_at_place(center, radius, b, place);
  const double reach = (1 + near_ball) * radius, rounding = beside * mesh.size();
  if (mesh.sheets() == 1 || place.is_inside || place.distance > reach) return;
  std::array<double, most_sheets> distances;
  distances.fill(reach);
  distances[place.sheet] = 0;
  const Vec3 around = reach * Vec3{1, 1, 1};
  mesh.for_facets_in(p - around, p + around, [&](const Polyhedron::Facet& facet) {
    const TrianglePlace at = nearest_of_triangle(facet.corners, p);
    const Vec3 line = p - at.nearest;
    const double distance = norm(line);
    const std::size_t sheet = sheet_of(facet, at);
    if (!(distance < distances[sheet]) || !(distance > rounding) || !(norm(at.nearest - place.nearest) > rounding) ||
        !is_nearest_around(mesh, facet, at, line, rounding))
      return;
    distances[sheet] = distance;
    const Vec3 normal = b.R * ((1 / distance) * line);
    const double gap = distance - radius;
    out[sheet] = {gap, normal, center - (radius + 0.5 * gap) * normal};
  });
}

bool form_valley(const Polyhedron::Facet& one, const Polyhedron::Facet& other, double rounding) noexcept {
  const auto sticks_out = [rounding](const Polyhedron::Facet& of, const Polyhedron::Facet& b) {
    return std::ranges::any_of(b.corners, [&](const Vec3& c) { return dot(of.normal, c - of.corners[0]) > rounding; });
  };
  return sticks_out(one, other) && sticks_out(other, one);
}

std::optional<double> beyond_sides(const Polyhedron::Facet& facet, const Vec3& point, double rounding) noexcept {
  double most = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &from = facet.corners[k], out = cross(facet.corners[(k + 1) % 3] - from, facet.normal);
    const double beyond = dot(out, point - from) / norm(out);
    if (beyond > rounding && !facet.is_hollow_side[k]) return std::nullopt;
    most = std::max(most, beyond);
  }
  return most > rounding ? most : 0;
}

ContactPoint corner_over(const Vec3& corner, const PlacedShape& b, const Polyhedron::Facet& facet) noexcept {
  const double height = dot(facet.normal, transpose_times(b.R, corner - b.position) - facet.corners[0]);
  const Vec3 normal = b.R * facet.normal;
  return {height, normal, corner - (0.5 * height) * normal};
}

}  // namespace polyform::contact
