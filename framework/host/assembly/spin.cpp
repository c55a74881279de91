// Which flexible bodies can spin, so that their tension is to count where the model does not say.
//
// A joint between a body and ground lets the body spin when it can turn and one of these holds:
//   - something drives it: a module, or a constraint or force with a function of time that is not constant or not zero.
//     It acts on the joint or on a body outboard of it;
//   - the speed at the start suffices for a full turn: ½ I ω² > m (|g||r| + g·r), the work against gravity. I is the
//     inertia about the joint's axis of everything outboard, ω its speed, m its mass, and r the arm of its mass centre
//     across the axis. A free joint turns about the mass centre, where gravity does no work;
//   - one of these holds for another joint of its loop, or for one that a constraint connects with it.
// The start is the model's own, whatever state a run begins with.
#include <algorithm>
#include <cmath>

#include "framework/host/assembly/parts.hpp"
#include "framework/host/reading/model_start.hpp"
#include "polyform/contract/flexible_validity.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Everything outboard of a joint, about the ground origin.
struct Carried {
  double mass = 0;
  Vec3 moment;  ///< Σ m r
  Sym3 second;  ///< ∫ r rᵀ dm
};

Sym3 square(const Vec3& r, double m) {
  return {m * r.x * r.x, m * r.y * r.y, m * r.z * r.z, m * r.x * r.y, m * r.x * r.z, m * r.y * r.z};
}

/// ∫ r rᵀ dm about the mass centre of a body with this inertia, ground axes.
Sym3 spread(const Mat3& R, const Sym3& J) {
  const double half = 0.5 * (J.xx + J.yy + J.zz);
  return rotate(R, Sym3{half - J.xx, half - J.yy, half - J.zz, -J.xy, -J.xz, -J.yz});
}

class Spin {
 public:
  explicit Spin(const System::Parts& parts) : view_(parts.view), tree_(parts.view), driven_(parts.view.joints.size()) {
    tree_.evaluate(parts.q.data(), parts.v.data(), parts.eta.data(), parts.etadot.data());
    find_driven(view_.constraints);
    find_driven(view_.forces);
    for (const ModuleInstances& group : view_.modules)
      for (const JointIndex j : group.joints) driven_[at(j)] = true;
    carry(parts);
    find_common_motions();
    spread_over_common_motions();
  }

  /// Per body, whether a joint between it and ground lets it spin. A body follows its inboard body.
  std::vector<bool> bodies() const {
    std::vector<bool> spins(view_.bodies.size());
    for (std::size_t i = 0; i < spins.size(); ++i) {
      const BodyIndex in = view_.joints[i].inboard();
      spins[i] = (!is_ground(in) && spins[at(in)]) || goes_round(i);
    }
    return spins;
  }

 private:
  /// Finds the joints on which an element with a driving function of time acts, see drives(), and the joints inboard of
  /// the bodies on which it acts.
  template <class Group>
  void find_driven(Strided<const Group> groups) {
    for (const Group& group : groups) {
      for (std::size_t i = 0; i < group.instances.size(); ++i) {
        if (!drives(group.instances[i], std::is_same_v<Group, ConstraintInstances>)) continue;
        for (const JointIndex j : joints_of(group, i)) driven_[at(j)] = true;
        for (const Marker& marker : group.instances[i].markers)
          for (const std::size_t j : way_to_ground(marker.body)) driven_[j] = true;
      }
    }
  }
  template <class Group>
  static std::span<const JointIndex> joints_of(const Group& group, std::size_t instance) {
    const std::size_t each = group.joints.size() / group.instances.size();
    return group.joints.subspan(instance * each, each);
  }
  std::vector<std::size_t> way_to_ground(BodyIndex body) const {
    std::vector<std::size_t> joints;
    for (; !is_ground(body); body = view_.joints[at(body)].inboard()) joints.push_back(at(body));
    return joints;
  }

  /// Joints of one loop, and those that one constraint acts on.
  void find_common_motions() {
    for (std::size_t c = view_.bodies.size(); c < view_.joints.size(); ++c) {
      std::vector<std::size_t> a = way_to_ground(view_.joints[c].base), b = way_to_ground(view_.joints[c].moving);
      while (!a.empty() && !b.empty() && a.back() == b.back()) a.pop_back(), b.pop_back();
      a.insert(a.end(), b.begin(), b.end());
      a.push_back(c);
      common_.push_back(std::move(a));
    }
    for (const ConstraintInstances& group : view_.constraints)
      for (std::size_t i = 0; i < group.instances.size(); ++i) {
        std::vector<std::size_t>& together = common_.emplace_back();
        for (const JointIndex j : joints_of(group, i)) together.push_back(at(j));
      }
  }
  void spread_over_common_motions() {
    const auto moves = [&](std::size_t j) { return driven_[j] || (j < view_.bodies.size() && goes_round(j)); };
    for (bool more = true; more;) {
      more = false;
      for (const std::vector<std::size_t>& together : common_) {
        if (std::ranges::none_of(together, moves)) continue;
        for (const std::size_t j : together) {
          more = more || !driven_[j];
          driven_[j] = true;
        }
      }
    }
  }

  /// Whether a function of time of the element drives something. rates: the functions give positions, so that a
  /// constant one drives nothing.
  static bool drives(const ElementInstance& instance, bool rates) {
    for (const FieldValue& field : instance.fields)
      for (const TimeFunction& f : field.functions)
        for (const double t : {0.0, 1e-3, 0.1, 1.0, 10.0, 100.0}) {
          const TimeFunction::Value x = f(t);
          if ((rates ? x.rate : x.value) != 0) return true;
        }
    return false;
  }

  void carry(const System::Parts& parts) {
    carried_.resize(view_.bodies.size());
    for (std::size_t i = carried_.size(); i-- > 0;) {
      const BodyData& body = view_.bodies[i];
      const BodyMotion& now = tree_.bodies()[i];
      const Vec3 center = now.p + now.R * body.center_of_mass;
      Carried& c = carried_[i];
      c.mass += body.mass;
      c.moment += body.mass * center;
      c.second += square(center, body.mass) + spread(now.R, body.inertia);
      if (body.flexible != rigid) add_flexible(parts, view_.flexible[body.flexible], now, c);
      const BodyIndex in = view_.joints[i].inboard();
      if (is_ground(in)) continue;
      carried_[at(in)].mass += c.mass;
      carried_[at(in)].moment += c.moment;
      carried_[at(in)].second += c.second;
    }
  }
  /// Adds the flexible part as a rod from the frame origin to its mass centre and as far beyond: within a factor of
  /// two.
  void add_flexible(const System::Parts& parts, const FlexibleData& data, const BodyMotion& now, Carried& c) const {
    double mass = 0;
    Vec3 moment;
    data.type->mass_moment(*data.instance, {parts.eta.data() + data.mode_offset, data.modes}, mass, moment);
    if (!(mass > 0)) return;
    const Vec3 arm = now.R * ((1 / mass) * moment), center = now.p + arm;
    c.mass += mass;
    c.moment += mass * center;
    c.second += square(center, mass) + square(arm, mass / 3);
  }

  bool goes_round(std::size_t j) const {
    const JointData& joint = view_.joints[j];
    const JointMotion& motion = tree_.joints()[j];
    const BodyMotion& base = motion_of(joint.base_frame, tree_.frames());
    Vec3 axis;
    std::size_t turns = 0;
    for (std::size_t k = 0; k < joint.nv; ++k)
      if (norm(motion.H[k].angular) > 0) {
        axis = base.R * motion.H[k].angular;
        ++turns;
      }
    if (turns == 0) return false;
    if (driven_[j]) return true;
    const Vec3 omega = tree_.bodies()[j].V.angular;
    if (turns > 1) axis = omega;
    if (!(norm(axis) > 0)) return false;
    axis = (1 / norm(axis)) * axis;
    const double speed = dot(axis, omega);
    if (speed == 0) return false;
    const Carried& c = carried_[j];
    constexpr std::size_t all_freedoms = 6;
    const BodyMotion& moving = motion_of(joint.moving_frame, tree_.frames());
    const bool about_center = joint.nv == all_freedoms && c.mass > 0;
    const Vec3 P = about_center ? (1 / c.mass) * c.moment : moving.p + moving.R * joint.p_moving;
    const auto across = [&](const Vec3& x) { return x - dot(axis, x) * axis; };
    // ∫ (r − P)(r − P)ᵀ dm, and the part of it across the axis.
    const Vec3 moment = c.moment - c.mass * P;
    const Mat3 second = c.second.full();
    double inertia = 0;
    for (std::size_t i = 0; i < 3; ++i) inertia += second(i, i) - 2 * P[i] * c.moment[i] + c.mass * P[i] * P[i];
    const Vec3 along = second * axis - dot(axis, c.moment) * P - dot(axis, P) * c.moment + (c.mass * dot(axis, P)) * P;
    inertia -= dot(axis, along);
    const Vec3 g = across(view_.gravity), r = across(moment);
    const double climb = about_center ? 0 : norm(g) * norm(r) + dot(g, r);
    return 0.5 * inertia * speed * speed > climb;
  }

  const SystemView& view_;
  TreeKinematics tree_;
  std::vector<bool> driven_;
  std::vector<std::vector<std::size_t>> common_;  ///< joints that move together
  std::vector<Carried> carried_;
};

void set_field(System::Parts& parts, std::size_t flexible, std::size_t field, bool value) {
  FlexibleInstance& instance = parts.flexible_instances[flexible];
  std::vector<FieldValue>& values = parts.values.emplace_back(instance.fields.begin(), instance.fields.end());
  values[field].integer = value ? 1 : 0;
  instance.fields = values;
}

}  // namespace

void open_spin_stiffening(System::Parts& parts) {
  for (std::size_t f = 0; f < parts.flexible.size(); ++f) {
    const auto* stiffening = ask<SpinStiffening>(*parts.flexible[f].type);
    if (stiffening == nullptr || parts.flexible[f].instance->fields[stiffening->field()].given) continue;
    parts.open_stiffening.emplace_back(f, stiffening->field());
    set_field(parts, f, stiffening->field(), true);
  }
}

void decide_spin_stiffening(System::Parts& parts) {
  if (parts.open_stiffening.empty()) return;
  Diagnostics of_trial;  // the initial state is found once more after this, with its messages
  std::vector<bool> spins(parts.bodies.size());
  // A run that continues another one has the law of the model's own start, as that one had.
  std::optional<ModelStart>& own = parts.description.own_start;
  if (own) exchange_starts(parts.description, *own);
  if (build_initial_state(parts, of_trial)) spins = Spin(parts).bodies();
  if (own) exchange_starts(parts.description, *own);
  for (const auto& [f, field] : parts.open_stiffening) {
    const std::size_t body = at(parts.flexible[f].body);
    if (spins[body]) continue;
    set_field(parts, f, field, false);
    for (FlexibleNode& node : parts.nodes)
      if (at(node.body) == body) node.second_order = {};
  }
}

}  // namespace polyform::host::assembly
