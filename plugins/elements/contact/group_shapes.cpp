#include "group_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "group_fields.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::contact {

namespace {

using Kind = GeometricShape::Kind;

/// The radius of the ball about the centre of a shape that contains it, m.
double radius_of(const GeometricShape& s) noexcept {
  switch (s.kind) {
    case Kind::box: return 0.5 * norm(s.edges);
    case Kind::cylinder: return std::hypot(s.radius, 0.5 * s.length);
    case Kind::capsule: return s.radius + 0.5 * s.length;
    case Kind::sphere: return s.radius;
    case Kind::plane: break;
  }
  return std::numeric_limits<double>::infinity();
}

/// A length with which motions are compared, m.
double size_of(const GeometricShape& s) noexcept {
  return s.kind == Kind::plane ? std::numeric_limits<double>::infinity()
                               : std::max({0.5 * s.edges.x, 0.5 * s.edges.y, 0.5 * s.edges.z, s.radius, 0.5 * s.length});
}

/// Half edges of the box about a shape along the axes of ground, where its frame stands so; m.
Vec3 half_edges_of(const GeometricShape& s, const Mat3& R) noexcept {
  const Vec3 h = s.kind == Kind::box ? 0.5 * s.edges
                                     : Vec3{s.radius, s.radius, s.radius + 0.5 * s.length};
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = std::abs(R(i, 0)) * h.x + std::abs(R(i, 1)) * h.y + std::abs(R(i, 2)) * h.z;
  return out;
}

/// Bodies without mass answer as the mean of the others do, so that the speed of a contact is defined.
std::vector<double> inverse_masses(const ElementInstance& instance) {
  double sum = 0;
  std::size_t count = 0;
  for (const BodyInertia& inertia : instance.inertias)
    if (inertia.mass > 0) sum += inertia.mass, ++count;
  std::vector<double> out;
  for (std::size_t m = 0; m < instance.markers.size(); ++m)
    out.push_back(is_ground(instance.markers[m].body) ? 0
                  : instance.inertias[m].mass > 0     ? 1 / instance.inertias[m].mass
                                                      : static_cast<double>(count) / sum);
  return out;
}

}  // namespace

GroupShapes::Parts GroupShapes::parts_of(const ElementInstance& instance) {
  Parts parts;
  const std::span<const double> sides = instance.fields[group_sides].numbers, apart = instance.fields[group_apart].numbers;
  const std::vector<bool> is_first = first_of_bodies(instance);
  for (std::size_t m = 0; m < instance.markers.size(); ++m) {
    const bool ground = is_ground(instance.markers[m].body);
    if (!is_first[m]) continue;
    for (const GeometricShape& s : instance.shapes[m].shapes) {
      const Mat3 R = rotation_matrix(s.pose.orientation);
      Extent& e = parts.extents.emplace_back();
      e.radius = radius_of(s);
      e.unbounded = s.kind == Kind::plane;
      e.fixed = ground;
      if (!e.unbounded) e.half_edges = half_edges_of(s, R);
      e.normal = axis_of(R);
      e.body = m;
      e.sides = sides.empty() ? Extent::both : static_cast<std::uint8_t>(sides[m]);
    }
  }
  for (std::size_t k = 0; k + 1 < apart.size(); k += 2)
    parts.apart.push_back(std::minmax(static_cast<std::uint32_t>(apart[k]), static_cast<std::uint32_t>(apart[k + 1])));
  return parts;
}

GroupShapes::GroupShapes(const ElementInstance& instance) : GroupShapes(instance, parts_of(instance)) {}

GroupShapes::GroupShapes(const ElementInstance& instance, Parts parts)
    : inverse_masses_(inverse_masses(instance)),
      centres_(parts.extents.size()),
      touching_(parts.extents, parts.apart, margin, reach),
      ahead_(parts.extents, parts.apart, margin_ahead, reach) {
  std::size_t most = 1;
  const std::vector<bool> is_first = first_of_bodies(instance);
  for (std::size_t m = 0; m < instance.markers.size(); ++m) {
    if (!is_first[m]) continue;
    for (const GeometricShape& s : instance.shapes[m].shapes) {
      shapes_.push_back({PlacedShape(s), m, size_of(s), s.kind == Kind::sphere});
      placed_.emplace_back(s);
    }
  }
  for (const Kind a : {Kind::box, Kind::cylinder, Kind::sphere, Kind::capsule, Kind::plane})
    for (const Kind b : {Kind::box, Kind::cylinder, Kind::sphere, Kind::capsule, Kind::plane})
      most = std::max(most, ShapePair::points_of(a, b));
  found_.resize(most);
}

void GroupShapes::place(Strided<const MarkerMotion> motions) noexcept {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const PlacedShape& own = shapes_[s].in_body;
    const MarkerMotion& body = motions[shapes_[s].marker];
    centres_[s] = body.position + body.R * own.position;
    placed_[s].position = centres_[s];
    if (!shapes_[s].is_ball) placed_[s].R = body.R * own.R;
  }
}

bool GroupShapes::is_apart(std::size_t a, std::size_t b) const noexcept {
  const Extent &first = touching_.extent(a), &second = touching_.extent(b);
  const Vec3 line = centres_[b] - centres_[a];
  if (first.unbounded) return dot(axis_of(placed_[a].R), line) > second.radius;
  if (second.unbounded) return dot(axis_of(placed_[b].R), line) < -first.radius;
  const double r = first.radius + second.radius;
  return dot(line, line) > r * r;
}

double GroupShapes::time_to_move(Strided<const MarkerMotion> motions) const noexcept {
  double time = never;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const Extent& e = touching_.extent(s);
    if (e.fixed || e.unbounded) continue;
    const MarkerMotion& body = motions[shapes_[s].marker];
    const Vec3 arm = body.R * shapes_[s].in_body.position;
    const Vec3 v = body.velocity + cross(body.angular_velocity, arm);
    const double square = dot(v, v), far = touching_.reach(s);
    if (square * time * time > far * far) time = far / std::sqrt(square);
  }
  return time;
}

}  // namespace polyform::contact
