#include "framework/host/evaluation/not_finite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/formula_values.hpp"

namespace polyform::host::inline evaluation {
namespace {

/// The first number of an observation that is not below a bound, and its owner.
class Search {
 public:
  explicit Search(double bound) : bound_(bound) {}

  struct Found {
    std::string_view what, kind, name;  ///< kind and name "" if it is of the whole system
  };

  std::optional<Found> operator()(const SystemView& view, const Observation& now) const {
    for (const JointData& joint : view.joints)
      if (const char* part = bad_part(joint, now)) return Found{part, "joint", joint.name};
    for (std::size_t i = 0; i < view.bodies.size(); ++i)
      if (const char* part = bad_part(now.bodies[i])) return Found{part, "body", view.bodies[i].name};
    for (const FlexibleData& flexible : view.flexible)
      if (const char* part = bad_part(flexible, now)) return Found{part, "body", view.bodies[at(flexible.body)].name};
    for (std::size_t j = 0; j < view.joints.size(); ++j)
      if (!good(now.reactions[j].linear) || !good(now.reactions[j].angular))
        return Found{"reaction", "joint", view.joints[j].name};
    if (const char* part = bad_part_of_all(now)) return Found{part, {}, {}};
    return std::nullopt;
  }

 private:
  bool good(double x) const { return std::abs(x) < bound_; }
  bool good(std::span<const double> numbers) const {
    return std::ranges::all_of(numbers, [this](double x) { return good(x); });
  }
  bool good(const Vec3& v) const { return good(v.x) && good(v.y) && good(v.z); }
  bool good(const Quat& q) const { return good(Vec3{q.x, q.y, q.z}) && good(q.w); }

  const char* bad_part(const Observation::Body& body) const {
    if (!good(body.acceleration) || !good(body.angular_acceleration)) return "acceleration";
    if (!good(body.velocity) || !good(body.angular_velocity)) return "velocity";
    return good(body.pose.position) && good(body.pose.orientation) ? nullptr : "pose";
  }

  const char* bad_part(const JointData& joint, const Observation& now) const {
    const auto of_v = [&](std::span<const double> all) { return all.subspan(joint.v_offset, joint.nv); };
    if (!good(of_v(now.acceleration))) return "acceleration";
    if (!good(of_v(now.v))) return "velocity";
    return good(now.q.subspan(joint.q_offset, joint.nq)) ? nullptr : "coordinate";
  }

  const char* bad_part(const FlexibleData& flexible, const Observation& now) const {
    const auto of_modes = [&](std::span<const double> all) {
      return all.subspan(flexible.mode_offset, flexible.modes);
    };
    if (!good(of_modes(now.modal_acceleration))) return "modal acceleration";
    if (!good(of_modes(now.etadot))) return "modal velocity";
    return good(of_modes(now.eta)) ? nullptr : "modal coordinate";
  }

  const char* bad_part_of_all(const Observation& now) const {
    if (!good(now.state_rates)) return "rate of a first-order state";
    if (!good(now.x)) return "value of a first-order state";
    if (!good(now.module_multipliers)) return "multiplier of a module";
    if (!good(now.constraint_multipliers)) return "multiplier of a constraint";
    if (!good(now.kinetic_energy)) return "kinetic energy";
    if (!good(now.potential_energy)) return "potential energy";
    if (!good(now.power)) return "power of the forces";
    return good(now.position_violation) && good(now.velocity_violation) ? nullptr : "violation of the constraints";
  }

  double bound_;
};

}  // namespace

std::optional<Message> not_finite(const SystemView& view, const Observation& now) noexcept {
  const auto found = Search(beyond_any_scale)(view, now);
  if (!found) return std::nullopt;
  const auto worse = Search(std::numeric_limits<double>::infinity())(view, now);
  const auto& [what, kind, name] = worse ? *worse : *found;
  const std::string_view is = worse ? "is no number" : "is beyond any scale (1e100 in SI units)";
  if (name.empty()) return Message("the {} {}", what, is);
  return Message("the {} of {} `{}` {}; look at the forces on it and near it{}", what, kind, name, is,
                 worse ? "" : ", and at masses that are next to nothing");
}

}  // namespace polyform::host::evaluation
