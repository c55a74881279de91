#include "joint_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "polyform/contract/time_function.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::stops {

const std::array<Variable, state_count> effort_states{
    Variable{.name = "effort", .unit = "N or N m"}, Variable{.name = "mode", .unit = "1"},
    Variable{.name = "impacts", .unit = "1"}, Variable{.name = "lost", .unit = "J"}};

JointRows::JointRows(std::vector<std::vector<JointPoint>> points) : instances_(points.size()) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const JointPoint& point : points[i]) points_.push_back({i, point});
}

void JointRows::evaluate(const ForceInput& in, ForceOutput& out) noexcept {
  for (std::size_t i = 0; i < instances_; ++i) {
    out.efforts[i] = in.states[state_count * i + effort];
    const double power = out.efforts[i] * in.v[i];
    out.power += power;
    for (std::size_t s = 0; s < state_count; ++s) out.state_rates[state_count * i + s] = 0;
    out.state_rates[state_count * i + lost] = -power;
  }
}

void JointRows::initial_states(std::span<double> x) const noexcept { std::ranges::fill(x, 0.0); }

void* JointRows::query(std::string_view asked) noexcept {
  if (asked == LoadedFriction::interface_name) return static_cast<LoadedFriction*>(this);
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
  out.velocity = 0;
}

void JointRows::evaluate_points(const EventInput& input, UnilateralOutput& out) noexcept {
  const ForceInput& in = *input.attachments;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [instance, point] = points_[k];
    if (point.kind == JointPoint::Kind::friction) {
      out.B[3 * k + 1] = 1;
      out.sliding[k] = std::max(0.0, point.sliding(in.time).value);
      out.holding[k] = point.holding * out.sliding[k];
      continue;
    }
    out.B[3 * k] = point.sign;
    if (point.kind == JointPoint::Kind::limit) out.gap[k] = point.sign * (in.q[instance] - point.place);
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
  for (std::size_t i = 0; i < instances_; ++i) states[state_count * i + effort] = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [instance, point] = points_[k];
    const bool rubs = point.kind == JointPoint::Kind::friction;
    states[state_count * instance + effort] += rubs ? forces[3 * k + 1] : point.sign * forces[3 * k];
  }
}

void JointRows::put_modes(std::span<const UnilateralMode> modes, std::span<double> states) noexcept {
  for (std::size_t i = 0; i < instances_; ++i) states[state_count * i + mode] = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    double& of_instance = states[state_count * points_[k].instance + mode];
    if (modes[k] != UnilateralMode::open) of_instance = static_cast<double>(modes[k]);
  }
}

void JointRows::pass_impact(std::size_t point, double loss, std::span<double> states) noexcept {
  states[state_count * points_[point].instance + impacts] += 1;
  states[state_count * points_[point].instance + lost] += loss;
}

bool check_joint(const ElementInstance& instance, std::size_t number, std::size_t field, std::string_view type,
                 FieldSink& sink) noexcept {
  if (instance.joints[0].nq == 1 && instance.joints[0].nv == 1) return true;
  sink.report(Severity::error, number, field, Message("the joint has not one coordinate, and a {} is about one", type),
              "Name a revolute or prismatic joint.");
  return false;
}

}  // namespace polyform::stops
