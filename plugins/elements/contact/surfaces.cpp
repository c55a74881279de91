#include "surfaces.hpp"

#include <algorithm>
#include <cmath>

#include "polyhedron.hpp"

namespace polyform::contact {

namespace {

/// A ball whose centre is at a height over the surface, along the normal there.
ContactPoint at_height(const Vec3& center, double radius, double height, const Vec3& normal) noexcept {
  const double gap = height - radius;
  return {gap, normal, center - (radius + 0.5 * gap) * normal};
}

/// A ball and the nearest place of an edge or corner. A centre that lies on it, but for rounding, has the normal `out`.
/// A corner, which is a ball without radius, does not touch beside it: it has passed the edge.
ContactPoint at_edge(const Vec3& center, double radius, const Vec3& nearest, const Vec3& out, bool inside,
                     double size) noexcept {
  const Vec3 line = inside ? nearest - center : center - nearest;
  const double distance = norm(line);
  const bool is_on_it = !(distance > beside * size);
  ContactPoint point = at_height(center, radius, inside ? -distance : distance, is_on_it ? out : (1 / distance) * line);
  if (radius > 0 || inside || is_on_it) return point;
  point.place = -distance;
  point.feature = 1;
  return point;
}

}  // namespace

ContactPoint ball_at_plane(const Vec3& center, double radius, const PlacedShape& plane) noexcept {
  const Vec3 normal = axis_of(plane.R);
  return at_height(center, radius, dot(normal, center - plane.position), normal);
}

std::optional<ContactPoint> corner_at_side(const Vec3& corner, const PlacedShape& capsule) noexcept {
  const Vec3 axis = axis_of(capsule.R), from = capsule.position - corner;
  const double along = dot(axis, from);
  const Vec3 line = from - along * axis;
  const double distance = norm(line), place = capsule.half_length - std::abs(along);
  if (!(place > 0) || !(distance > 0)) return std::nullopt;
  const double gap = distance - capsule.radius;
  const Vec3 normal = (1 / distance) * line;
  ContactPoint point{gap, normal, corner + (0.5 * gap) * normal};
  point.place = place;
  return point;
}

ContactPoint ball_at_cylinder(const Vec3& center, double radius, const PlacedShape& b) noexcept {
  const Vec3 c = transpose_times(b.R, center - b.position);
  const double rho = std::hypot(c.x, c.y), l = b.half_length;
  const Vec3 radial = rho > 0 ? Vec3{c.x / rho, c.y / rho, 0} : Vec3{1, 0, 0};
  const Vec3 end{0, 0, c.z < 0 ? -1.0 : 1.0};
  const double out_of_side = rho - b.radius, out_of_end = std::abs(c.z) - l;
  if (out_of_side > 0 && out_of_end > 0)  // over the rim
    return at_edge(center, radius, b.position + b.R * (b.radius * radial + l * end), b.R * radial, false, b.radius);
  if (out_of_side > out_of_end) return at_height(center, radius, out_of_side, b.R * radial);
  return at_height(center, radius, out_of_end, b.R * end);
}

ContactPoint corner_over_cylinder(const Vec3& corner, const PlacedShape& b, CylinderPart part, double around) noexcept {
  const Vec3 c = transpose_times(b.R, corner - b.position);
  const double rho = std::hypot(c.x, c.y), l = b.half_length;
  const double out_of_side = rho - b.radius, out_of_end = std::abs(c.z) - l;
  const Vec3 radial = rho > 0 ? Vec3{c.x / rho, c.y / rho, 0} : Vec3{1, 0, 0};
  ContactPoint point;
  if (part == CylinderPart::side) {
    point = at_height(corner, 0, out_of_side, b.R * radial);
    point.place = -out_of_end;
  } else {
    const double sign = part == CylinderPart::low_end ? -1 : 1;
    point = at_height(corner, 0, sign * c.z - l, b.R * Vec3{0, 0, sign});
    point.place = std::min(-out_of_side, sign * c.z + l);
  }
  point.begin = around;
  point.hold = over_face * around;
  point.feature = static_cast<std::uint32_t>(part);
  if (point.place < 0) point.distance = std::hypot(std::max(0.0, out_of_side), std::max(0.0, out_of_end));
  return point;
}

ContactPoint corner_at_cylinder(const Vec3& corner, const PlacedShape& b,
                                const std::array<double, 2>& out_of_ends) noexcept {
  const Vec3 c = transpose_times(b.R, corner - b.position);
  const double rho = std::hypot(c.x, c.y), out_of_side = rho - b.radius, l = b.half_length;
  const bool is_within = out_of_side <= 0 && std::abs(c.z) - l <= beside * (b.radius + l);
  if (!is_within || !(rho > 0) || out_of_side <= out_of_ends[c.z < 0 ? 0 : 1]) return ball_at_cylinder(corner, 0, b);
  return at_height(corner, 0, out_of_side, b.R * Vec3{c.x / rho, c.y / rho, 0});
}

Vec3 farthest_of_ellipsoid(const PlacedShape& e, const Vec3& direction) noexcept {
  const Vec3 n = transpose_times(e.R, direction), &a = e.half_edges;
  const Vec3 scaled{a.x * n.x, a.y * n.y, a.z * n.z};
  const double size = norm(scaled);
  return e.position + e.R * Vec3{a.x * scaled.x / size, a.y * scaled.y / size, a.z * scaled.z / size};
}

EllipsoidPlace nearest_of_ellipsoid(const Vec3& c, const Vec3& a) noexcept {
  const Vec3 scaled{c.x / a.x, c.y / a.y, c.z / a.z};
  const bool inside = dot(scaled, scaled) <= 1;
  const double least = std::min({a.x, a.y, a.z}), unit = least * least;
  // x = a² c/(t + a²), and f(t) = Σ (a c/(t + a²))² − 1 falls from ∞ to −1 for t above −(the least a)².
  const auto place = [&](double t) {
    Vec3 x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = c[k] != 0 ? a[k] * a[k] * c[k] / (t + a[k] * a[k]) : 0;
    return x;
  };
  double low = -unit, high = norm(Vec3{a.x * c.x, a.y * c.y, a.z * c.z}), t = inside ? 0.5 * low : 0;
  constexpr int most = 100;
  for (int i = 0; i < most; ++i) {
    double f = -1, slope = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (c[k] == 0) continue;
      const double d = t + a[k] * a[k], s = a[k] * c[k] / d;
      f += s * s;
      slope -= 2 * s * s / d;
    }
    (f > 0 ? low : high) = t;
    double next = slope < 0 ? t - f / slope : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = next - t;
    t = next;
    constexpr double settled = 1e-15;
    if (std::abs(step) <= settled * unit || !(high - low > settled * unit)) break;
  }
  Vec3 nearest = place(t);
  // A centre in the middle plane of the least axis may have its place at the poles of this axis: x there is free.
  for (std::size_t k = 0; k < 3; ++k) {
    if (a[k] != least || std::abs(c[k]) > 0 || t + unit > 1e-12 * unit) continue;
    double rest = 1;
    for (std::size_t j = 0; j < 3; ++j)
      if (j != k) rest -= nearest[j] * nearest[j] / (a[j] * a[j]);
    nearest[k] = a[k] * std::sqrt(std::max(rest, 0.0));
    break;
  }
  Vec3 out{nearest.x / (a.x * a.x), nearest.y / (a.y * a.y), nearest.z / (a.z * a.z)};
  out = (1 / norm(out)) * out;
  return {nearest, out};
}

ContactPoint ball_at_ellipsoid(const Vec3& center, double radius, const PlacedShape& e) noexcept {
  const Vec3 c = transpose_times(e.R, center - e.position);
  const auto [nearest, out] = nearest_of_ellipsoid(c, e.half_edges);
  return at_height(center, radius, dot(c - nearest, out), e.R * out);
}

ContactPoint ball_at_mesh(const Vec3& center, double radius, const PlacedShape& b) noexcept {
  return ball_at_place(center, radius, b, b.mesh->nearest(transpose_times(b.R, center - b.position)));
}

ContactPoint ball_at_place(const Vec3& center, double radius, const PlacedShape& b,
                           const SurfacePlace& place) noexcept {
  const Vec3 outward = b.R * place.outward;
  if (place.is_face) return at_height(center, radius, place.is_inside ? -place.distance : place.distance, outward);
  return at_edge(center, radius, b.position + b.R * place.nearest, outward, place.is_inside, b.mesh->size());
}

/// F(x, y) = (x − c) + (z(x, y) − c_z) ∇z is zero at the foot. Its derivative is I + ∇z ∇zᵀ + (z − c_z) ∇∇z.
ContactPoint ball_at_heights(const Vec3& center, double radius, const PlacedShape& b) noexcept {
  const Vec3 c = transpose_times(b.R, center - b.position);
  double x = c.x, y = c.y;
  HeightGrid::Point p = b.grid->at(x, y);
  constexpr int most = 30;
  constexpr double settled = 1e-14;
  const double size = std::min(b.grid->spacing_x, b.grid->spacing_y);
  for (int i = 0; i < most; ++i) {
    const double over = p.height - c.z;
    const double fx = x - c.x + over * p.slope_x, fy = y - c.y + over * p.slope_y;
    double xx = 1 + p.slope_x * p.slope_x + over * p.bend_xx, yy = 1 + p.slope_y * p.slope_y + over * p.bend_yy;
    double xy = p.slope_x * p.slope_y + over * p.bend_xy;
    if (!(xx > 0 && xx * yy - xy * xy > 0)) {  // beyond the centres of curvature: without the bends it goes down still
      xx = 1 + p.slope_x * p.slope_x;
      yy = 1 + p.slope_y * p.slope_y;
      xy = p.slope_x * p.slope_y;
    }
    const double determinant = xx * yy - xy * xy;
    const double dx = std::clamp(-(yy * fx - xy * fy) / determinant, -size, size),
                 dy = std::clamp(-(xx * fy - xy * fx) / determinant, -size, size);
    x += dx;
    y += dy;
    p = b.grid->at(x, y);
    if (std::abs(dx) + std::abs(dy) <= settled * size) break;
  }
  const double size_of_normal = std::sqrt(1 + p.slope_x * p.slope_x + p.slope_y * p.slope_y);
  const Vec3 out = (1 / size_of_normal) * Vec3{-p.slope_x, -p.slope_y, 1};
  return at_height(center, radius, dot(c - Vec3{x, y, p.height}, out), b.R * out);
}

}  // namespace polyform::contact
