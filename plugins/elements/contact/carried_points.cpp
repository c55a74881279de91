#include "carried_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::contact {

namespace {

/// Points that are farther away, in sizes of the smaller shape, have no forces soon.
constexpr double near_share = 0.1;
/// Sine of a tilt: a rim that lies flatter has no lowest point that moves (ContactPoint::turn).
constexpr double upright = 1e-9;
/// A gap of less, in sizes of the smaller shape, may belong to a point that touches.
constexpr double carrying = 1e-6;

}  // namespace

CarriedPoints::CarriedPoints(Strided<const ElementInstance> instances) {
  std::size_t points = 0, most = 0;
  ShapeStore store;
  for (const ElementInstance& instance : instances) {
    Pair& pair = pairs_.emplace_back();
    pair.first_shapes = shapes_.size();
    pair.first_point = points;
    pair.size = std::numeric_limits<double>::infinity();
    for (const GeometricShape& first : instance.shapes[0].shapes)
      for (const GeometricShape& second : instance.shapes[1].shapes) {
        points += shapes_.emplace_back(first, second, store, ShapePair::Points::carried).points();
        pair.size = std::min(pair.size, shapes_.back().size());
      }
    pair.shapes = shapes_.size() - pair.first_shapes;
    pair.points = points - pair.first_point;
    most = std::max(most, pair.points);
  }
  found_.resize(points);
  for (auto& nearby : nearby_) nearby.resize(most);
}

CarriedPoints::Poses CarriedPoints::poses_of(const MarkerMotion& first, const MarkerMotion& second) noexcept {
  Poses poses{};
  auto next = poses.begin();
  for (const MarkerMotion* body : {&first, &second})
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) *next++ = body->R(i, k);
      *next++ = body->position[i];
    }
  return poses;
}

std::span<const ContactPoint> CarriedPoints::find(std::size_t number, const MarkerMotion& first,
                                                  const MarkerMotion& second) noexcept {
  Pair& pair = pairs_[number];
  const std::span<ContactPoint> points = std::span(found_).subspan(pair.first_point, pair.points);
  const Poses now = poses_of(first, second);
  if (pair.poses == now) return points;
  pair.poses = now;
  locate(pair, {first.R, first.position}, {second.R, second.position}, points);
  return points;
}

void CarriedPoints::locate(const Pair& pair, const Placement& first, const Placement& second,
                           std::span<ContactPoint> out) noexcept {
  for (std::size_t s = pair.first_shapes; s < pair.first_shapes + pair.shapes; ++s) {
    shapes_[s].locate(first, second, out.first(shapes_[s].points()));
    out = out.subspan(shapes_[s].points());
  }
}

CarriedPoints::Bound CarriedPoints::bound(std::size_t number, const MarkerMotion& first,
                                          const MarkerMotion& second) const noexcept {
  const Pair& pair = pairs_[number];
  const double spins[2] = {norm(first.angular_velocity), norm(second.angular_velocity)};
  const double distance = norm(first.position - second.position), moving = norm(first.velocity - second.velocity);
  Bound all{std::numeric_limits<double>::infinity(), 0};
  for (const ShapePair& shapes : std::span(shapes_).subspan(pair.first_shapes, pair.shapes)) {
    all.apart = std::min(all.apart, shapes.apart({first.R, first.position}, {second.R, second.position}));
    double speed = moving;
    // Surfaces meet within the reach of either shape.
    for (std::size_t side = 0; side < 2; ++side)
      speed += spins[side] * std::min(shapes.reach(side), distance + shapes.reach(1 - side));
    all.speed = std::max(all.speed, speed);
  }
  return all;
}

bool CarriedPoints::is_near(std::size_t pair, const ContactPoint& point) const noexcept {
  const double near = near_share * pairs_[pair].size;
  return point.gap < near && !(point.place < 0 && point.gap < -near);
}

/// Whether a point is the same place of the surfaces a moment before or after.
bool CarriedPoints::is_same(const ContactPoint& then, const ContactPoint& now, double size) noexcept {
  constexpr double turned = 0.9;  // cosine: a moment turns a normal by some thousandths
  return then.feature == now.feature && dot(then.normal, now.normal) > turned &&
         std::abs(then.gap - now.gap) < near_share * size;
}

/// The step in time turns the bodies by a thousandth of a part of a radian, or moves them by one of their size, at
/// most; it is 0 if they do not move.
void CarriedPoints::look_around(std::size_t number, const MarkerMotion& first, const MarkerMotion& second) noexcept {
  const Pair& pair = pairs_[number];
  step_ = 0;
  double part = 0;
  for (const ContactPoint& point : std::span(found_).subspan(pair.first_point, pair.points)) {
    if (!is_near(number, point) || !(point.turn > upright)) continue;
    // Only where a place carries the bodies its course decides.
    const double own = std::abs(point.gap) < carrying * pair.size ? point.turn : 1;
    part = part > 0 ? std::min(part, own) : own;
  }
  const double fastest = std::max({norm(first.angular_velocity), norm(second.angular_velocity),
                                   norm(first.velocity) / pair.size, norm(second.velocity) / pair.size});
  if (!(part > 0) || !(fastest > 0)) return;
  constexpr double share = 1e-3;
  const double turning = norm(first.angular_velocity - second.angular_velocity);
  step_ = share / fastest;
  if (turning > 0) step_ = std::min(step_, share * part / turning);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double t = steps[s] * step_;
    const auto moved = [t](const MarkerMotion& body) {
      return rotation_matrix(from_rotation_vector(t * body.angular_velocity)) * body.R;
    };
    const Mat3 R1 = moved(first), R2 = moved(second);
    const Vec3 p1 = first.position + t * first.velocity, p2 = second.position + t * second.velocity;
    locate(pair, {R1, p1}, {R2, p2}, std::span(nearby_[s]).first(pair.points));
  }
}

/// By differences of fourth order between the points that look_around() found.
CarriedPoints::Course CarriedPoints::course(std::size_t number, std::size_t p,
                                            const MarkerMotion& first) const noexcept {
  const Pair& pair = pairs_[number];
  const ContactPoint& now = found_[pair.first_point + p];
  if (!(now.turn > upright)) return {velocity_at(first, now.position), {}};
  if (!(step_ > 0)) return {};
  std::array<bool, steps.size()> known{};
  for (std::size_t s = 0; s < steps.size(); ++s) known[s] = is_same(nearby_[s][p], now, pair.size);
  const bool before = known[0] && known[1], after = known[2] && known[3];
  if (!before && !after) return {};
  // A place where edges cross comes or goes: then from the side on which it is, to the second order.
  std::array<double, steps.size()> weights{1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  if (!before) weights = {0, 0, 2, -0.5};
  if (!after) weights = {0.5, -2, 0, 0};
  Course course;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    course.velocity += (weights[s] / step_) * (nearby_[s][p].position - now.position);
    course.turn += (weights[s] / step_) * (nearby_[s][p].normal - now.normal);
  }
  return course;
}

}  // namespace polyform::contact
