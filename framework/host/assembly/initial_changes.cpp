// Warnings of given initial values that could not be kept, joint by joint and body by body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/initial_state.hpp"
#include "framework/host/assembly/shown.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {
namespace {

/// A rate that differs by less of itself is the same one in a message, which has six digits.
constexpr double shown_digits = 1e-6;

std::string text_of(const Vec3& a) {
  return fmt::format("({:.6g} {:.6g} {:.6g})", shown(a.x), shown(a.y), shown(a.z));
}

}  // namespace

void InitialState::tell_changes(const ConstraintJacobian& now, bool kept, std::span<const double> wanted,
                                const std::vector<char>& settled) {
  if (kept) tell_rates();
  tell_bodies(now.tree().bodies());
  if (kept) tell_open(wanted, settled);
  double speed = speed_;
  for (const BodyMotion& body : now.tree().bodies()) speed = std::max(speed, speed_of(body.V));
  if (kept) warn_of_moved_modes(given_etadot_, parts_.etadot, speed, "modal velocity");
}

/// Joints that could not keep their given rates.
void InitialState::tell_rates() {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const JointData& joint = view().joints[i];
    for (std::size_t k = 0; given_[i].velocity && k < joint.nv; ++k) {
      const double given = given_v_[joint.v_offset + k], now = parts_.v[joint.v_offset + k];
      if (std::abs(given - now) <= met * std::max({std::abs(given), std::abs(now), least_share * speed_})) continue;
      complain(i, "initial.velocity",
               fmt::format("{} not allow the given rate {:.6g}: {:.6g} is taken (joint `{}`)", restraint_of(i), given,
                           shown(now), joint.name),
               "give rates to as many joints as these leave free", Severity::warning);
    }
  }
}

/// Bodies that do not move as given. A body whose joint has a given rate is reported with the joint.
void InitialState::tell_bodies(std::span<const BodyMotion> now) {
  std::size_t told = 0, others = 0;
  for (std::size_t i = 0; i < given_twists_.size(); ++i) {
    const GivenTwist& given = given_twists_[i];
    const Spatial& V = now[i].V;
    if (!given.turn || given_[i].velocity) continue;
    if (!differ(given.twist, given.whole ? V : Spatial{V.angular, given.twist.linear})) continue;
    if (++told > most_named) {
      ++others;
      continue;
    }
    const BodyItem& item = body_item(i);
    const Vec3 arm = item.flexible == nullptr ? now[i].R * item.center_of_mass : Vec3{};
    std::string what =
        fmt::format("angular velocity {} given, {} taken", text_of(given.twist.angular), text_of(V.angular));
    if (given.whole)
      what +=
          fmt::format("; velocity {} given, {} taken", text_of(given.twist.linear + cross(given.twist.angular, arm)),
                      text_of(V.linear + cross(V.angular, arm)));
    const bool tree = !excess_.empty() && speed_of(excess_[i]) > 0;
    parts_.report(
        diagnostics_, Severity::warning, item, {}, {},
        tree ? fmt::format("the initial velocities violate the joints: of body `{}` {} (the nearest in the "
                           "inertia metric)",
                           item.name, what)
             : fmt::format("{} do not allow the given velocity of body `{}`: {} (the nearest in the inertia metric)",
                           restraint(), item.name, what),
        "give velocities that fit the joints, or give joint rates (initial.velocity)");
  }
  if (others > 0)
    diagnostics_.warning(fmt::format("the given velocities of {} more bodies are changed likewise", others),
                         "give velocities that fit the joints, or give joint rates (initial.velocity)");
}

/// Joints without a given rate whose rates neither constraints nor bodies decide, but which move.
void InitialState::tell_open(std::span<const double> wanted, const std::vector<char>& settled) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < view().bodies.size(); ++i) {
    const JointData& joint = view().joints[i];
    bool changed = false;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
      changed =
          changed || (settled[k] == 0 && std::abs(parts_.v[k] - wanted[k]) > shown_digits * std::abs(parts_.v[k]) &&
                      std::abs(parts_.v[k] - wanted[k]) > met * std::max(std::abs(wanted[k]), speed_));
    if (!changed || given_[i].velocity || given_twists_[i].turn) continue;
    if (++count > most_named) continue;
    std::string rates;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
      rates += fmt::format("{}{:.6g}", rates.empty() ? "" : " ", shown(parts_.v[k]));
    names += fmt::format("{}`{}` {}", names.empty() ? "" : ", ", joint.name, rates);
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  parts_.chosen_rates = names;
  diagnostics_.report(
      {.severity = Severity::warning,
       .message = fmt::format("{} set the system in motion and leave open how some joints start to move, for which "
                              "no initial velocity is given: {} is taken (the nearest motion in the inertia metric)",
                              restraint(), names),
       .remedy = "give them initial velocities (initial.velocity) if they are to start otherwise",
       .file = parts_.description.file});
}

/// The rate of a joint wins over the velocity of the body that it moves.
void InitialState::warn_of_overruled(std::size_t body, const Spatial& taken) {
  const Spatial off = given_twists_[body].twist - taken;
  const double by = given_twists_[body].whole ? std::max(norm(off.angular), norm(off.linear)) : norm(off.angular);
  complain(
      body, "initial.velocity",
      fmt::format("the velocity given to body `{}` differs from the one given to joint `{}` by {:.3g}: the joint's "
                  "is taken",
                  body_item(body).name, view().joints[body].name, by),
      "give the velocity once, to the body or to the joint", Severity::warning);
}

/// What amounts of the modes of a flexible body move its nodes by, m; turns along the length of the system.
double InitialState::shift_of_modes(const FlexibleData& f, std::span<const double> amounts) const {
  const NodeMotions& nodes = tree_.nodes();
  double most = 0;
  for (std::size_t n = 0; n < view().nodes.size(); ++n) {
    if (view().nodes[n].body != f.body) continue;
    Spatial shift;
    for (std::size_t k = 0; k < f.modes; ++k) shift += amounts[f.mode_offset + k] * nodes.H(n)[k];
    most = std::max(most, speed_of(shift));
  }
  return most;
}

/// Says which flexible bodies could not keep what was given of their modes. size: what moves the nodes by it is a
/// change of the size of the system, m or m/s.
void InitialState::warn_of_moved_modes(const std::vector<double>& given, const std::vector<double>& now, double size,
                                       std::string_view what) {
  std::vector<double> changes(now.size());
  for (std::size_t k = 0; k < now.size(); ++k) changes[k] = now[k] - given[k];
  for (const FlexibleData& f : view().flexible) {
    if (!(shift_of_modes(f, changes) > met * size)) continue;
    double off = 0;
    for (std::size_t k = f.mode_offset; k < f.mode_offset + f.modes; ++k) off = std::max(off, std::abs(changes[k]));
    const BodyItem& item = body_item(at(f.body));
    parts_.report(diagnostics_, Severity::warning, item, {}, {},
                  fmt::format("the loops do not allow the given {} of body `{}`: it was changed by up to {:.3g} to "
                              "close them",
                              what, item.name, off),
                  "give the modes values that the loops allow");
  }
}

/// What may keep a joint from its given value, as the subject of a sentence with a negation: a constraint element on
/// its coordinates, otherwise everything that constrains the system.
std::string InitialState::restraint_of(std::size_t joint) const {
  const auto on_joint = [joint](const auto& group) {
    const auto found = std::ranges::find_if(group.joints, [joint](JointIndex j) { return at(j) == joint; });
    const std::size_t each = group.joints.size() / group.names.size();
    return found == group.joints.end() ? std::string_view()
                                       : group.names[std::size_t(found - group.joints.begin()) / each];
  };
  for (const ConstraintInstances& group : view().constraints)
    if (const std::string_view name = on_joint(group); !name.empty()) return fmt::format("constraint `{}` does", name);
  for (const ModuleInstances& group : view().modules)
    if (const std::string_view name = on_joint(group); !name.empty() && !group.type->rows().empty())
      return fmt::format("module `{}` does", name);
  return restraint() + " do";
}

/// Everything that constrains the motion of the tree, as the subject of a sentence.
std::string InitialState::restraint() const {
  if (view().constraints.empty() && view().cut_joints().empty())
    return view().modules.empty() ? "the joints" : "modules";
  if (view().constraints.empty()) return "the loops";
  return view().cut_joints().empty() ? "the constraints" : "the loops and constraints";
}

}  // namespace polyform::host::assembly
