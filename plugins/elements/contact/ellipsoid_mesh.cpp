// Where an ellipsoid and a body of triangles are nearest to each other: face, edge or corner, whichever it is.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh_pairs.hpp"
#include "polyhedron.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

namespace {

/// A normal out of the mesh, and the distance along it.
struct Way {
  double gap;
  Vec3 normal;
};

/// An ellipsoid in the axes of a mesh.
struct Egg {
  Egg(const PlacedShape& ellipsoid, const PlacedShape& mesh) noexcept
      : R(transpose_times(mesh.R, ellipsoid.R)),
        center(transpose_times(mesh.R, ellipsoid.position - mesh.position)),
        half_axes(ellipsoid.half_edges),
        least(std::min({half_axes.x, half_axes.y, half_axes.z})),
        most(std::max({half_axes.x, half_axes.y, half_axes.z})) {}

  /// From the centre to a place along a direction of the mesh, in axes in which the ellipsoid is a ball of radius 1.
  Vec3 scaled(const Vec3& n) const noexcept {
    const Vec3 own = transpose_times(R, n);
    return {half_axes.x * own.x, half_axes.y * own.y, half_axes.z * own.z};
  }
  double reach(const Vec3& n) const noexcept { return norm(scaled(n)); }
  /// The place that lies farthest against a direction.
  Vec3 lowest(const Vec3& n) const noexcept {
    const Vec3 s = scaled(n);
    return center - (1 / norm(s)) * (R * Vec3{half_axes.x * s.x, half_axes.y * s.y, half_axes.z * s.z});
  }
  double over(const Vec3& normal, double offset) const noexcept { return dot(normal, center) - reach(normal) - offset; }
  Way at_corner(const Vec3& corner) const noexcept {
    const Vec3 c = transpose_times(R, corner - center);
    const auto [nearest, out] = nearest_of_ellipsoid(c, half_axes);
    return {dot(c - nearest, out), -(R * out)};
  }
  /// Along a line the ellipsoid is seen as an ellipse, and the line as a point.
  Way at_line(const Vec3& place, const Vec3& direction) const noexcept {
    const Vec3 aside = std::abs(direction.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 x = *direction_across(aside, direction), y = cross(direction, x);
    const Vec3 sx = scaled(x), sy = scaled(y);
    const double turn = 0.5 * std::atan2(2 * dot(sx, sy), dot(sx, sx) - dot(sy, sy));
    const Vec3 major = std::cos(turn) * x + std::sin(turn) * y, minor = cross(direction, major);
    const double a = reach(major), b = reach(minor);
    const Vec3 line = place - center, seen{dot(line, major), dot(line, minor), 0};
    const auto [nearest, out] = nearest_of_ellipsoid(seen, {a, b, a + b});
    return {dot(seen - nearest, out), -(out.x * major + out.y * minor)};
  }
  ContactPoint point(const Way& way) const noexcept {
    return {way.gap, way.normal, lowest(way.normal) - (0.5 * way.gap) * way.normal};
  }

  Mat3 R;
  Vec3 center, half_axes;
  double least, most;
};

/// The largest n · d of normals between those of two faces that meet in an edge, across which d is.
double farthest_between(const Vec3& one, const Vec3& other, const Vec3& d) noexcept {
  const Vec3 turn = cross(one, other);
  const bool is_between = dot(cross(one, d), turn) >= 0 && dot(cross(d, other), turn) >= 0 && dot(d, one + other) > 0;
  return is_between ? norm(d) : std::max(dot(d, one), dot(d, other));
}

/// The distance of two convex bodies is the largest of those along all directions, whether they overlap or not. It is
/// along the normal of a face, across an edge or from a corner; a direction from an edge or corner beyond which the
/// mesh reaches has a smaller distance, and another one is the largest.
Way way_out_of_convex(const Egg& egg, const Polyhedron& mesh) noexcept {
  Way best{-std::numeric_limits<double>::infinity(), {}};
  for (const Polyhedron::Face& face : mesh.faces())
    if (const double gap = egg.over(face.normal, face.offset); gap > best.gap) best = {gap, face.normal};
  const auto look_at = [&](const Vec3& place, const Way& way) {
    double gap = way.gap;
    for (const Vec3& c : mesh.corners()) {
      gap = std::min(gap, way.gap - dot(way.normal, c - place));
      if (!(gap > best.gap)) return;
    }
    best = {gap, way.normal};
  };
  for (const Edge& edge : mesh.edges()) {
    const Vec3 line = egg.center - edge.center, d = line - dot(line, edge.direction) * edge.direction;
    if (farthest_between(edge.faces[0], edge.faces[1], d) - egg.least > best.gap)
      look_at(edge.center, egg.at_line(edge.center, edge.direction));
  }
  for (const Vec3& corner : mesh.corners())
    if (norm(egg.center - corner) - egg.least > best.gap) look_at(corner, egg.at_corner(corner));
  return best;
}

/// Whether a point is over a triangle, or beside it by rounding. Beyond a flat side another one goes on, whose normal
/// may differ by as much as triangles of one plane do.
bool is_over(const Polyhedron::Facet& facet, const Vec3& p, double size) noexcept {
  constexpr double flat = 1e-6;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &from = facet.corners[k], out = cross(facet.corners[(k + 1) % 3] - from, facet.normal);
    if (dot(out, p - from) > (facet.is_flat_side[k] ? flat : beside) * size * norm(out)) return false;
  }
  return true;
}

/// The least of the distances from faces, sides and corners. Faces that look away from the centre have the ellipsoid
/// behind them, and are no way out.
Way way_out_of_mesh(const Egg& egg, const Polyhedron& mesh) noexcept {
  constexpr double far = std::numeric_limits<double>::infinity();
  const SurfacePlace place = mesh.nearest(egg.center);
  // What is known before: a way out, and a distance that the least one does not exceed.
  Way best{far, place.outward}, known;
  if (place.is_inside || !(place.distance > 0)) {
    known = best = {-place.distance - egg.reach(place.outward), place.outward};
  } else {
    const Vec3 towards = (1 / place.distance) * (egg.center - place.nearest), low = egg.lowest(towards);
    known = {std::min(place.distance - egg.least, mesh.nearest(low).distance), towards};
  }
  const double beyond = std::max(0.0, known.gap) + beside * mesh.size();
  const Vec3 reach{egg.reach({1, 0, 0}) + beyond, egg.reach({0, 1, 0}) + beyond, egg.reach({0, 0, 1}) + beyond};
  const auto is_near = [&](const Vec3& p) { return norm(p - egg.center) - egg.most <= std::min(best.gap, beyond); };
  mesh.for_facets_in(egg.center - reach, egg.center + reach, [&](const Polyhedron::Facet& facet) {
    const Vec3 height = egg.center - facet.corners[0];
    if (dot(facet.normal, height) > 0) {
      const double gap = egg.over(facet.normal, dot(facet.normal, facet.corners[0]));
      if (gap <= best.gap && is_over(facet, egg.lowest(facet.normal), mesh.size())) best = {gap, facet.normal};
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& from = facet.corners[k];
      if (facet.has_side[k] && !facet.is_flat_side[k]) {
        const Vec3 side = facet.corners[(k + 1) % 3] - from;
        const double length = norm(side), part = dot(side, egg.center - from) / (length * length);
        if (is_near(from + std::clamp(part, 0.0, 1.0) * side)) {
          const Vec3 direction = (1 / length) * side;
          const Way way = egg.at_line(from, direction);
          const double along = dot(direction, egg.lowest(way.normal) - from);
          if (way.gap < best.gap && along >= 0 && along <= length) best = way;
        }
      }
      if (!facet.has_corner[k] || !is_near(from)) continue;
      if (const Way way = egg.at_corner(from); way.gap < best.gap) best = way;
    }
  });
  return best.gap < far ? best : known;
}

}  // namespace

void ellipsoid_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Egg egg(a, b);
  const Way way = b.mesh->is_convex() ? way_out_of_convex(egg, *b.mesh) : way_out_of_mesh(egg, *b.mesh);
  const ContactPoint p = egg.point(way);
  out[0] = {p.gap, b.R * p.normal, b.position + b.R * p.position};
}

}  // namespace polyform::contact
