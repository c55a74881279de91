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
