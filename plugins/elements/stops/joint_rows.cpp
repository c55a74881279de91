#include "joint_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "polyform/contract/time_function.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/joint_coordinates.hpp"

namespace polyform::stops {

const std::array<Variable, state_count> effort_states{
    Variable{.name = "effort", .unit = "N or N m"}, Variable{.name = "mode", .unit = "1"},
    Variable{.name = "impacts", .unit = "1"}, Variable{.name = "lost", .unit = "J"}};

JointRows::JointRows(std::vector<StopCoordinate> coordinates, const std::vector<std::vector<JointPoint>>& points)
    : coordinates_(std::move(coordinates)) {
  std::size_t further = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const JointPoint& point : points[i]) {
      points_.push_back({i, point});
      further += rows_per_point * (coordinates_[i].velocities() - 1);
    }
  further_.resize(further);
}

void JointRows::evaluate(const ForceInput& in, ForceOutput& out) noexcept {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const StopValue at = coordinates_[i].at(in);
    const double force = in.states[state_count * i + effort], power = force * at.rate;
    coordinates_[i].push(force, at, out.efforts);
    out.power += power;
    for (std::size_t s = 0; s < state_count; ++s) out.state_rates[state_count * i + s] = 0;
    out.state_rates[state_count * i + lost] = -power;
  }
}

void JointRows::initial_states(std::span<double> x) const noexcept { std::ranges::fill(x, 0.0); }

void* JointRows::query(std::string_view asked) noexcept {
  if (asked == LoadedFriction::interface_name) return static_cast<LoadedFriction*>(this);
  if (asked == UnilateralVelocities::interface_name) return static_cast<UnilateralVelocities*>(this);
  return asked == UnilateralRows::interface_name ? static_cast<UnilateralRows*>(this) : nullptr;
}

void JointRows::describe_point(std::size_t k, UnilateralPoint& out) const noexcept {
  const JointPoint& point = points_[k].point;
  out.instance = points_[k].instance;
  out.name = point.name;
  out.has_normal = point.kind != JointPoint::Kind::friction;
  out.has_gap = point.kind == JointPoint::Kind::limit;
  out.tangents = point.kind == JointPoint::Kind::friction ? 1 : 0;
  out.restitution = point.restitution;
  out.poisson = point.poisson;
  out.velocity = coordinates_[points_[k].instance].velocity();
}

std::size_t JointRows::velocity_count(std::size_t point) const noexcept {
  return coordinates_[points_[point].instance].velocities();
}

void JointRows::evaluate_points(const EventInput& input, UnilateralOutput& out) noexcept {
  const ForceInput& in = *input.attachments;
  std::size_t further = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [instance, point] = points_[k];
    const StopCoordinate& coordinate = coordinates_[instance];
    const StopValue at = coordinate.at(in);
    if (point.kind == JointPoint::Kind::friction) {
      out.B[rows_per_point * k + 1] = at.slope[0];
      out.sliding[k] = std::max(0.0, point.sliding(in.time).value);
      out.holding[k] = point.holding * out.sliding[k];
      continue;
    }
    out.B[rows_per_point * k] = point.sign * at.slope[0];
    out.bias[rows_per_point * k] = point.sign * at.bias;
    if (point.kind == JointPoint::Kind::limit) out.gap[k] = point.sign * (at.value - point.place);
    // Only limits are about angles of a ball, and their normal is the first of three rows.
    const std::size_t more = coordinate.velocities() - 1;
    for (std::size_t j = 0; j < more; ++j) further_[further + j] = point.sign * at.slope[j + 1];
    further += rows_per_point * more;
  }
}

/// The normal forces of the halves on each other. At two places ±L/2 along the way or axis e they are F/2 ± (e × M)/L,
/// F and M being across e.
double JointPoint::pressed(const Spatial& reaction, const Spatial& motion) const noexcept {
  const Vec3& way = dot(motion.angular, motion.angular) > 0 ? motion.angular : motion.linear;
  const double size = norm(way);
  if (!(size > 0)) return preload;
  const Vec3 e = (1 / size) * way;
  const Vec3 force = reaction.linear - dot(reaction.linear, e) * e;
  if (!(length > 0)) return preload + norm(force);
  const Vec3 pair = (1 / length) * cross(e, reaction.angular);
  return preload + norm(0.5 * force + pair) + norm(0.5 * force - pair);
}

bool JointRows::is_loaded(std::size_t instance) const noexcept {
  return std::ranges::any_of(points_,
                             [=](const Owned& p) { return p.instance == instance && p.point.coefficient > 0; });
}

void JointRows::add_friction(std::span<const Spatial> reactions, std::span<const Spatial> motions,
                             std::span<double> holding, std::span<double> sliding) noexcept {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [instance, point] = points_[k];
    if (!(point.coefficient > 0)) continue;
    const double effort = point.coefficient * point.lever * point.pressed(reactions[instance], motions[instance]);
    sliding[k] += effort;
    holding[k] += point.holding * effort;
  }
}

void JointRows::put_forces(const EventInput&, std::span<const double> forces, std::span<double> states) noexcept {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) states[state_count * i + effort] = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [instance, point] = points_[k];
    const bool rubs = point.kind == JointPoint::Kind::friction;
    states[state_count * instance + effort] += rubs ? forces[3 * k + 1] : point.sign * forces[3 * k];
  }
}

void JointRows::put_modes(std::span<const UnilateralMode> modes, std::span<double> states) noexcept {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) states[state_count * i + mode] = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    double& of_instance = states[state_count * points_[k].instance + mode];
    if (modes[k] != UnilateralMode::open) of_instance = static_cast<double>(modes[k]);
  }
}

void JointRows::pass_impact(std::size_t point, double loss, std::span<double> states) noexcept {
  states[state_count * points_[point].instance + impacts] += 1;
  states[state_count * points_[point].instance + lost] += loss;
}

StopCoordinate::Choice chosen_coordinate(const ElementInstance& instance, std::size_t field) {
  StopCoordinate::Choice choice;
  if (instance.fields[field].given) choice.coordinate = static_cast<std::size_t>(instance.fields[field].integer);
  return choice;
}

bool check_coordinate(const ElementInstance& instance, std::size_t number, std::size_t joint, std::size_t coordinate,
                      std::string_view type, std::string_view remedy, FieldSink& sink) noexcept {
  const JointShape& shape = instance.joints[0];
  const bool is_given = instance.fields[coordinate].given;
  const std::size_t chosen = chosen_coordinate(instance, coordinate).coordinate;
  if (shape.nv == 0) {
    sink.report(Severity::error, number, joint, Message("the joint has no coordinates, and a {} is about one", type),
                "Name a joint that can move.");
    return false;
  }
  if (is_given && chosen >= shape.nv) {
    sink.report(Severity::error, number, coordinate,
                Message("the joint has {} velocity coordinate{}", shape.nv, plural(shape.nv)),
                shape.nv == 1 ? Message("Leave `coordinate` out, or give 0, the only one.")
                              : Message("Give a number from 0 to {}.", shape.nv - 1));
    return false;
  }
  if (position_of_rate(shape, chosen) == shape.nq) {
    sink.report(Severity::error, number, is_given ? coordinate : joint,
                "the joint's rotation has no coordinates whose rates are its velocities", remedy);
    return false;
  }
  if (shape.nv == 1 || is_given) return true;
  std::size_t last = shape.nv - 1;
  while (last > 0 && position_of_rate(shape, last) == shape.nq) --last;
  sink.report(Severity::error, number, joint,
              Message("the joint has {} velocity coordinates, and a {} is about one", shape.nv, type),
              Message("Give `coordinate`, a number from 0 to {}.", last));
  return false;
}

}  // namespace polyform::stops
