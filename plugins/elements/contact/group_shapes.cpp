#include "group_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "group_fields.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::contact {

namespace {

using Kind = GeometricShape::Kind;

bool is_unbounded(Kind kind) noexcept { return kind == Kind::plane || kind == Kind::height_field; }

/// The radius of the ball about the centre of a shape that contains it, m.
double radius_of(const PlacedShape& s) noexcept {
  switch (s.kind) {
    case Kind::box: return norm(s.half_edges);
    case Kind::cylinder: return std::hypot(s.radius, s.half_length);
    case Kind::capsule: return s.radius + s.half_length;
    case Kind::sphere: return s.radius;
    case Kind::ellipsoid: return std::max({s.half_edges.x, s.half_edges.y, s.half_edges.z});
    case Kind::mesh: return reach_of(s);
    case Kind::plane:
    case Kind::height_field: break;
  }
  return std::numeric_limits<double>::infinity();
}

/// Half edges of the box about a shape along the axes of ground, where its frame stands as drawn; m.
Vec3 half_edges_of(const PlacedShape& s) noexcept {
  Vec3 h{s.radius, s.radius, s.radius + s.half_length};
  if (s.kind == Kind::box || s.kind == Kind::ellipsoid) h = s.half_edges;
  if (s.kind == Kind::mesh)
    for (std::size_t i = 0; i < 3; ++i) h[i] = std::max(std::abs(s.mesh->low()[i]), std::abs(s.mesh->high()[i]));
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = std::abs(s.R(i, 0)) * h.x + std::abs(s.R(i, 1)) * h.y + std::abs(s.R(i, 2)) * h.z;
  return out;
}

/// How far a shape without bounds rises above its centre, m: a height field between its heights not much more than at
/// them.
double height_of(const GeometricShape& s) noexcept {
  if (s.heights.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(s.heights);
  return high + (high - low);
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

GroupShapes::Parts GroupShapes::parts_of(const ElementInstance& instance, bool has_sheets) {
  Parts parts;
  const std::span<const double> sides = instance.fields[group_sides].numbers,
                                apart = instance.fields[group_apart].numbers;
  const std::vector<bool> is_first = first_of_bodies(instance);
  bool box_as_mesh = false;
  for (std::size_t m = 0; m < instance.markers.size(); ++m)
    for (const GeometricShape& s : instance.shapes[m].shapes)
      box_as_mesh = box_as_mesh || (is_first[m] && ShapeStore::takes_boxes_as_meshes(s.kind));
  for (std::size_t m = 0; m < instance.markers.size(); ++m) {
    if (!is_first[m]) continue;
    for (const GeometricShape& s : instance.shapes[m].shapes) {
      PlacedShape placed(s);
      if (const auto mesh = parts.store.mesh_of(s, box_as_mesh, has_sheets)) placed.mesh = mesh.get();
      if (const auto grid = parts.store.grid_of(s)) placed.grid = grid.get();
      parts.shapes.push_back({placed, m, size_of(placed), half_width_of(placed), s.kind == Kind::sphere});
      Extent& e = parts.extents.emplace_back();
      e.radius = radius_of(placed);
      e.unbounded = is_unbounded(s.kind);
      e.fixed = is_ground(instance.markers[m].body);
      if (!e.unbounded) e.half_edges = half_edges_of(placed);
      e.normal = axis_of(placed.R);
      e.height = height_of(s);
      e.body = m;
      e.sides = sides.empty() ? Extent::both : static_cast<std::uint8_t>(sides[m]);
    }
  }
  for (std::size_t k = 0; k + 1 < apart.size(); k += 2)
    parts.apart.push_back(std::minmax(static_cast<std::uint32_t>(apart[k]), static_cast<std::uint32_t>(apart[k + 1])));
  return parts;
}

GroupShapes::GroupShapes(const ElementInstance& instance, bool has_sheets)
    : GroupShapes(instance, parts_of(instance, has_sheets)) {}

GroupShapes::GroupShapes(const ElementInstance& instance, Parts parts)
    : store_(std::move(parts.store)),
      shapes_(std::move(parts.shapes)),
      inverse_masses_(inverse_masses(instance)),
      centres_(parts.extents.size()),
      touching_(parts.extents, parts.apart, margin, reach),
      ahead_(parts.extents, parts.apart, margin_ahead, reach) {
  for (const Shape& shape : shapes_) placed_.push_back(shape.in_body);
  found_.resize(most_points());
}

/// Of any two of the shapes. Shapes of a kind with the same mesh have as many points as each other.
std::size_t GroupShapes::most_points() const {
  std::vector<const PlacedShape*> different;
  for (const Shape& shape : shapes_)
    if (std::ranges::none_of(different, [&](const PlacedShape* other) {
          return other->kind == shape.in_body.kind && other->mesh == shape.in_body.mesh;
        }))
      different.push_back(&shape.in_body);
  std::size_t most = 1;
  for (const PlacedShape* a : different)
    for (const PlacedShape* b : different)
      if (ShapePair::exists(a->kind, b->kind)) most = std::max(most, ShapePair::points_of(*a, *b));
  return most;
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
  if (first.unbounded) return dot(axis_of(placed_[a].R), line) > second.radius + first.height;
  if (second.unbounded) return dot(axis_of(placed_[b].R), line) < -(first.radius + second.height);
  const double r = first.radius + second.radius;
  return dot(line, line) > r * r;
}

std::span<const ContactPoint> GroupShapes::points_between(std::size_t a, std::size_t b) noexcept {
  const Shape &first = shapes_[a], &second = shapes_[b];
  if (first.is_ball && second.is_ball) {
    found_[0] = between_balls(centres_[a], first.in_body.radius, centres_[b], second.in_body.radius);
    return std::span(found_).first(1);
  }
  const std::span<ContactPoint> points = std::span(found_).first(ShapePair::points_of(placed_[a], placed_[b]));
  ShapePair::locate(placed_[a], placed_[b], points);
  return points;
}

std::pair<Vec3, double> GroupShapes::speeds_of(std::size_t s, const MarkerMotion& body) const noexcept {
  const Extent& e = touching_.extent(s);
  const Vec3 arm = body.R * shapes_[s].in_body.position;
  return {body.velocity + cross(body.angular_velocity, arm), e.unbounded ? 0 : e.radius * norm(body.angular_velocity)};
}

double GroupShapes::time_to_pass(Strided<const MarkerMotion> motions) noexcept {
  double time = never;
  const auto turns_at_all = [&](const Shape& shape) {
    const Vec3& omega = motions[shape.marker].angular_velocity;
    return !shape.is_ball && dot(omega, omega) > 0;
  };
  if (std::ranges::none_of(shapes_, turns_at_all)) return time;
  place(motions);
  ahead_.update(centres_);
  for (const auto& [a, b] : ahead_.pairs()) {
    const Shape &first = shapes_[a], &second = shapes_[b];
    if ((first.is_ball && second.is_ball) || is_apart(a, b)) continue;
    const auto [v, turning] = speeds_of(a, motions[first.marker]);
    const auto [w, other_turning] = speeds_of(b, motions[second.marker]);
    const double turns = (first.is_ball ? 0 : turning) + (second.is_ball ? 0 : other_turning);
    if (!(turns > 0)) continue;
    const double speed = norm(v - w) + turns, width = std::min(first.half_width, second.half_width);
    if (speed * time > width) time = width / speed;
  }
  return time;
}

double GroupShapes::fastest(Strided<const MarkerMotion> motions) const noexcept {
  double speed = 0;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const Extent& e = touching_.extent(s);
    if (e.fixed) continue;
    const auto [velocity, turning] = speeds_of(s, motions[shapes_[s].marker]);
    speed = std::max(speed, norm(velocity) + turning);
  }
  return speed;
}

double GroupShapes::time_to_move(Strided<const MarkerMotion> motions) const noexcept {
  double time = never;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const Extent& e = touching_.extent(s);
    if (e.fixed || e.unbounded) continue;
    const Vec3 v = speeds_of(s, motions[shapes_[s].marker]).first;
    const double square = dot(v, v), far = touching_.reach(s);
    if (square * time * time > far * far) time = far / std::sqrt(square);
  }
  return time;
}

}  // namespace polyform::contact
