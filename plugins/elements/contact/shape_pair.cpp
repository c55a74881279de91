#include "shape_pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "box_pairs.hpp"

namespace polyform::contact {

namespace {

/// Balls of radii a and b about two points.
ContactPoint between_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b) noexcept {
  const Vec3 line = a - b;
  const double distance = norm(line);
  // Balls about the same point push each other up: any direction serves, and one has to be taken.
  const Vec3 normal = distance > 0 ? (1 / distance) * line : Vec3{0, 0, 1};
  const double gap = distance - radius_a - radius_b;
  return {gap, normal, b + (radius_b + 0.5 * gap) * normal};
}

/// A ball and a solid whose surface is nearest to the ball's centre at `nearest`. out: the normal there, where the
/// centre lies inside.
ContactPoint at_surface(const Vec3& center, double radius, const Vec3& nearest, const Vec3& out, bool inside) noexcept {
  const Vec3 line = center - nearest;
  const double distance = norm(line);
  const Vec3 normal = inside ? out : (1 / distance) * line;
  const double gap = (inside ? -distance : distance) - radius;
  return {gap, normal, nearest + (0.5 * gap) * normal};
}

ContactPoint above_plane(const Vec3& point, double radius, const Mat3& R, const Vec3& position) noexcept {
  const Vec3 normal = axis_of(R);
  const double height = dot(normal, point - position), gap = height - radius;
  return {gap, normal, point - (radius + 0.5 * gap) * normal};
}

/// The points of two segments that are nearest to each other (Ericson, Real-Time Collision Detection, 5.1.9): each is
/// center ± half axis.
std::pair<Vec3, Vec3> nearest_of_segments(const Vec3& c1, const Vec3& h1, const Vec3& c2, const Vec3& h2) noexcept {
  const Vec3 r = c1 - c2;
  const double a = dot(h1, h1), e = dot(h2, h2), b = dot(h1, h2), c = dot(h1, r), f = dot(h2, r);
  const double denominator = a * e - b * b;
  // Parallel segments share a stretch; its middle is as near as its ends.
  constexpr double parallel = 1e-12;
  double s = 0, t = 0;
  if (denominator > parallel * a * e) {
    s = std::clamp((b * f - c * e) / denominator, -1.0, 1.0);
  } else if (a > 0) {
    const double middle = -c / a, reach = std::abs(b) / a;  // of the second segment, along the first
    s = 0.5 * (std::clamp(middle - reach, -1.0, 1.0) + std::clamp(middle + reach, -1.0, 1.0));
  }
  t = e > 0 ? (b * s + f) / e : 0;
  if (t < -1 || t > 1) {
    t = std::clamp(t, -1.0, 1.0);
    s = a > 0 ? std::clamp((b * t - c) / a, -1.0, 1.0) : 0;
  }
  return {c1 + s * h1, c2 + t * h2};
}

}  // namespace

PlacedShape::PlacedShape(const GeometricShape& shape) noexcept
    : kind(shape.kind),
      R(rotation_matrix(shape.pose.orientation)),
      position(shape.pose.position),
      half_edges(0.5 * shape.edges),
      radius(shape.radius),
      half_length(0.5 * shape.length) {}

struct ShapePair::Way {
  Locate locate = nullptr;
  std::size_t points = 0;
  bool swapped = false;
};

namespace {

void sphere_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = above_plane(a.position, a.radius, b.R, b.position);
}
void capsule_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 h = half_axis(a);
  out[0] = above_plane(a.position - h, a.radius, b.R, b.position);
  out[1] = above_plane(a.position + h, a.radius, b.R, b.position);
}
void box_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  for (std::size_t k = 0; k < 8; ++k) {
    const Vec3& h = a.half_edges;
    const Vec3 corner{k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
    out[k] = above_plane(a.position + a.R * corner, 0, b.R, b.position);
  }
}
/// Three points of each rim, the first of which is the lowest. The other two are at the same height and go round with
/// the lowest one. The effect of linear springs there on a cylinder that stands does not depend on where the three
/// begin.
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 axis = axis_of(a.R), normal = axis_of(b.R);
  Vec3 down = dot(normal, axis) * axis - normal;
  const double size = norm(down);
  constexpr double upright = 1e-12;
  down = size > upright ? (1 / size) * down : Vec3{a.R(0, 0), a.R(1, 0), a.R(2, 0)};
  const Vec3 side = cross(axis, down), h = half_axis(a);
  constexpr double cosine = -0.5, sine = 0.86602540378443864676;
  const std::array<Vec3, 3> spokes{down, cosine * down + sine * side, cosine * down - sine * side};
  for (std::size_t k = 0; k < 6; ++k) {
    const Vec3 rim = (k < 3 ? a.position - h : a.position + h) + a.radius * spokes[k % 3];
    out[k] = above_plane(rim, 0, b.R, b.position);
    out[k].is_carried = k % 3 == 0;
  }
}
/// The lowest point of each rim, where the cylinder rolls, and three fixed ones a little within, where it stands: while
/// it rolls these stay above the plane.
void rolling_cylinder_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 axis = axis_of(a.R), normal = axis_of(b.R), h = half_axis(a);
  Vec3 down = dot(normal, axis) * axis - normal;
  const double size = norm(down);
  constexpr double upright = 1e-12;
  const Vec3 x{a.R(0, 0), a.R(1, 0), a.R(2, 0)}, y{a.R(0, 1), a.R(1, 1), a.R(2, 1)};
  down = size > upright ? (1 / size) * down : x;
  constexpr double cosine = -0.5, sine = 0.86602540378443864676, within = 1 - 1e-6;
  const std::array<Vec3, 4> spokes{down, within * x, within * (cosine * x + sine * y),
                                   within * (cosine * x - sine * y)};
  for (std::size_t k = 0; k < 8; ++k)
    out[k] = above_plane((k < 4 ? a.position - h : a.position + h) + a.radius * spokes[k % 4], 0, b.R, b.position);
}
void sphere_sphere(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = between_balls(a.position, a.radius, b.position, b.radius);
}
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const auto [on_a, on_b] = nearest_of_segments(a.position, {}, b.position, half_axis(b));
  out[0] = between_balls(on_a, a.radius, on_b, b.radius);
}
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const auto [on_a, on_b] = nearest_of_segments(a.position, half_axis(a), b.position, half_axis(b));
  out[0] = between_balls(on_a, a.radius, on_b, b.radius);
}
void sphere_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_box(a.position, a.radius, b);
}
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 c = transpose_times(b.R, a.position - b.position);
  const double rho = std::hypot(c.x, c.y), l = b.half_length;
  const Vec3 radial = rho > 0 ? Vec3{c.x / rho, c.y / rho, 0} : Vec3{1, 0, 0};
  const bool inside = rho <= b.radius && std::abs(c.z) <= l;
  Vec3 nearest = std::min(rho, b.radius) * radial, normal{};
  nearest.z = std::clamp(c.z, -l, l);
  if (inside && b.radius - rho < l - std::abs(c.z)) {
    normal = radial;
    nearest.x = b.radius * radial.x;
    nearest.y = b.radius * radial.y;
  } else if (inside) {
    normal.z = c.z < 0 ? -1 : 1;
    nearest.z = normal.z * l;
  }
  out[0] = at_surface(a.position, a.radius, b.position + b.R * nearest, b.R * normal, inside);
}

}  // namespace

ShapePair::Way ShapePair::way_of(GeometricShape::Kind first, GeometricShape::Kind second, Points points) noexcept {
  using enum GeometricShape::Kind;
  struct Known {
    GeometricShape::Kind first, second;
    Way way;
  };
  static constexpr std::array ways{Known{sphere, plane, {sphere_plane, 1}},
                                   Known{capsule, plane, {capsule_plane, 2}},
                                   Known{box, plane, {box_plane, 8}},
                                   Known{cylinder, plane, {cylinder_plane, 6}},
                                   Known{sphere, sphere, {sphere_sphere, 1}},
                                   Known{sphere, capsule, {sphere_capsule, 1}},
                                   Known{capsule, capsule, {capsule_capsule, 1}},
                                   Known{sphere, box, {sphere_box, 1}},
                                   Known{box, box, {box_box, box_box_points}},
                                   Known{capsule, box, {capsule_box, capsule_box_points}},
                                   Known{sphere, cylinder, {sphere_cylinder, 1}}};
  if (points == Points::carried && ((first == cylinder && second == plane) || (first == plane && second == cylinder)))
    return {rolling_cylinder_plane, 8, first == plane};
  for (const Known& known : ways) {
    if (known.first == first && known.second == second) return known.way;
    if (known.first == second && known.second == first) return {known.way.locate, known.way.points, true};
  }
  return {};
}

std::size_t ShapePair::points_of(GeometricShape::Kind first, GeometricShape::Kind second) noexcept {
  return way_of(first, second).points;
}

ShapePair::ShapePair(const GeometricShape& first, const GeometricShape& second, Points points) noexcept
    : first_(first), second_(second) {
  const Way way = way_of(first.kind, second.kind, points);
  locate_ = way.locate;
  points_ = way.points;
  swapped_ = way.swapped;
}

double ShapePair::size() const noexcept {
  const auto of = [](const PlacedShape& shape) {
    const double edge = std::max({shape.half_edges.x, shape.half_edges.y, shape.half_edges.z});
    return shape.kind == GeometricShape::Kind::plane ? std::numeric_limits<double>::infinity()
                                                     : std::max({edge, shape.radius, shape.half_length});
  };
  return std::min(of(first_), of(second_));
}

void ShapePair::locate(const PlacedShape& first, const PlacedShape& second, std::span<ContactPoint> out) noexcept {
  const Way way = way_of(first.kind, second.kind);
  if (!way.swapped) return way.locate(first, second, out);
  way.locate(second, first, out);
  for (ContactPoint& point : out) point.normal = -point.normal;
}

void ShapePair::locate(const Placement& first, const Placement& second, std::span<ContactPoint> out) const noexcept {
  const auto placed = [](const PlacedShape& shape, const Placement& body) {
    PlacedShape in_ground = shape;
    in_ground.R = body.R * shape.R;
    in_ground.position = body.position + body.R * shape.position;
    return in_ground;
  };
  const PlacedShape a = placed(first_, first), b = placed(second_, second);
  if (!swapped_) return locate_(a, b, out);
  locate_(b, a, out);
  for (ContactPoint& point : out) point.normal = -point.normal;
}

}  // namespace polyform::contact
