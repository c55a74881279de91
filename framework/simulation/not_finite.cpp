#include "framework/simulation/not_finite.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host {
namespace {

bool is_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}
bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const Quat& q) { return is_finite(Vec3{q.x, q.y, q.z}) && std::isfinite(q.w); }

Message sentence(std::string_view what, std::string_view kind, std::string_view name) {
  return Message("the {} of {} `{}` is no number; look at the forces on it and near it", what, kind, name);
}

const char* bad_part(const Observation::Body& body) {
  if (!is_finite(body.acceleration) || !is_finite(body.angular_acceleration)) return "acceleration";
  if (!is_finite(body.velocity) || !is_finite(body.angular_velocity)) return "velocity";
  return is_finite(body.pose.position) && is_finite(body.pose.orientation) ? nullptr : "pose";
}

const char* bad_part(const JointData& joint, const Observation& now) {
  const auto of_v = [&](std::span<const double> all) { return all.subspan(joint.v_offset, joint.nv); };
  if (!is_finite(of_v(now.acceleration))) return "acceleration";
  if (!is_finite(of_v(now.state.v))) return "velocity";
  return is_finite(now.state.q.subspan(joint.q_offset, joint.nq)) ? nullptr : "coordinate";
}

const char* bad_part(const FlexibleData& flexible, const Observation& now) {
  const auto of_modes = [&](std::span<const double> all) { return all.subspan(flexible.mode_offset, flexible.modes); };
  if (!is_finite(of_modes(now.modal_acceleration))) return "modal acceleration";
  if (!is_finite(of_modes(now.state.etadot))) return "modal velocity";
  return is_finite(of_modes(now.state.eta)) ? nullptr : "modal coordinate";
}

const char* bad_part_of_all(const Observation& now) {
  if (!is_finite(now.state_rates)) return "rate of a first-order state";
  if (!is_finite(now.state.x)) return "value of a first-order state";
  if (!is_finite(now.module_multipliers)) return "multiplier of a module";
  if (!std::isfinite(now.kinetic_energy)) return "kinetic energy";
  if (!std::isfinite(now.potential_energy)) return "potential energy";
  if (!std::isfinite(now.power)) return "power of the forces";
  return std::isfinite(now.position_violation) && std::isfinite(now.velocity_violation) ? nullptr
                                                                                        : "violation of the constraints";
}

}  // namespace

std::optional<Message> not_finite(const SystemView& view, const Observation& now) noexcept {
  for (const JointData& joint : view.joints)
    if (const char* part = bad_part(joint, now)) return sentence(part, "joint", joint.name);
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (const char* part = bad_part(now.bodies[i])) return sentence(part, "body", view.bodies[i].name);
  for (const FlexibleData& flexible : view.flexible)
    if (const char* part = bad_part(flexible, now)) return sentence(part, "body", view.bodies[at(flexible.body)].name);
  for (std::size_t j = 0; j < view.joints.size(); ++j)
    if (!is_finite(now.reactions[j].linear) || !is_finite(now.reactions[j].angular))
      return sentence("reaction", "joint", view.joints[j].name);
  if (const char* part = bad_part_of_all(now)) return Message("the {} is no number", part);
  return std::nullopt;
}

}  // namespace polyform::host
