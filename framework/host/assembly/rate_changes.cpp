#include "framework/host/assembly/rate_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/host/assembly/nearest_rates.hpp"
#include "framework/host/assembly/restraints.hpp"
#include "framework/host/assembly/shown.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Messages show six digits, so they do not show a smaller relative change of a rate.
constexpr double shown_digits = 1e-6;

/// Whether a velocity is another one, beyond rounding.
bool changes(const Vec3& given, const Vec3& taken) {
  return norm(taken - given) > shown_as_nothing * std::max(norm(given), norm(taken));
}

/// "angular velocity (0 10 0) given, (0 9 0) taken"
std::string change(std::string_view what, const Vec3& given, const Vec3& taken) {
  const auto [before, after] = told_apart(std::array{given.x, given.y, given.z}, std::array{taken.x, taken.y, taken.z});
  return fmt::format("{} {} given, {} taken", what, before, after);
}

}  // namespace

void RateChanges::tell(const ConstraintJacobian& now, bool kept, std::span<const double> wanted,
                       const std::vector<char>& settled) {
  if (kept) tell_rates();
  tell_bodies(now.tree().bodies());
  if (kept) tell_open(wanted, settled);
  double speed = bodies_.speed;
  for (const BodyMotion& body : now.tree().bodies()) speed = std::max(speed, start_.speed_of(body.V));
  if (kept) warn_of_moved_modes(start_, start_.given_etadot, start_.parts.etadot, speed, "modal velocity");
}

/// Reports joints that could not keep their given rates.
void RateChanges::tell_rates() {
  for (std::size_t i = 0; i < start_.given.size(); ++i) {
    const JointData& joint = start_.view().joints[i];
    for (std::size_t k = 0; start_.given[i].velocity && k < joint.nv; ++k) {
      const double given = start_.given_v[joint.v_offset + k], now = start_.parts.v[joint.v_offset + k];
      if (std::abs(given - now) <= met * std::max({std::abs(given), std::abs(now), least_share * bodies_.speed}))
        continue;
      const auto [before, after] = told_apart(given, now);
      start_.complain(i, "initial.velocity",
                      fmt::format("{} not allow the given rate {}: {} is taken (joint `{}`)",
                                  restraint_of(start_.view(), i), before, after, joint.name),
                      "give initial rates to fewer joints: only so many are free to choose", Severity::warning);
    }
  }
}

/// Reports bodies that do not move as given. A body whose joint has a given rate is reported with the joint.
void RateChanges::tell_bodies(std::span<const BodyMotion> now) {
  std::size_t told = 0, others = 0;
  for (std::size_t i = 0; i < bodies_.twists.size(); ++i) {
    const GivenTwist& given = bodies_.twists[i];
    const Spatial& V = now[i].V;
    if (!given.turn || start_.given[i].velocity) continue;
    if (!bodies_.differ(start_, given.twist, given.whole ? V : Spatial{V.angular, given.twist.linear})) continue;
    if (++told > most_named) {
      ++others;
      continue;
    }
    const BodyItem& item = start_.body_item(i);
    const Vec3 arm = item.flexible == nullptr ? now[i].R * item.center_of_mass : Vec3{};
    const Vec3 mass_given = given.twist.linear + cross(given.twist.angular, arm),
               mass_taken = V.linear + cross(V.angular, arm);
    // A velocity that stays as given is left out.
    const bool turns = !given.whole || changes(given.twist.angular, V.angular);
    std::string what = turns ? change("angular velocity", given.twist.angular, V.angular) : "";
    if (given.whole && (!turns || changes(mass_given, mass_taken)))
      what += (turns ? "; " : "") + change("velocity", mass_given, mass_taken);
    const bool tree = !bodies_.excess.empty() && start_.speed_of(bodies_.excess[i]) > 0;
    start_.parts.report(
        start_.diagnostics, Severity::warning, item, {}, {},
        tree ? fmt::format("the initial velocities violate the joints: of body `{}` {} (the nearest in the "
                           "inertia metric)",
                           item.name, what)
             : fmt::format("{} do not allow the given velocity of body `{}`: {} (the nearest in the inertia metric)",
                           restraint(start_.view()), item.name, what),
        "give velocities that fit the joints, or give joint rates (initial.velocity)");
  }
  if (others > 0)
    start_.diagnostics.warning(fmt::format("the given velocities of {} more bodies are changed likewise", others),
                               "give velocities that fit the joints, or give joint rates (initial.velocity)");
}

/// Reports joints without a given rate that move, although neither constraints nor bodies decide their rates.
void RateChanges::tell_open(std::span<const double> wanted, const std::vector<char>& settled) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < start_.view().bodies.size(); ++i) {
    const JointData& joint = start_.view().joints[i];
    bool changed = false;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
      changed =
          changed ||
          (settled[k] == 0 && std::abs(start_.parts.v[k] - wanted[k]) > shown_digits * std::abs(start_.parts.v[k]) &&
           std::abs(start_.parts.v[k] - wanted[k]) > met * std::max(std::abs(wanted[k]), bodies_.speed));
    if (!changed || start_.given[i].velocity || bodies_.twists[i].turn) continue;
    if (++count > most_named) continue;
    std::string rates;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
      rates += fmt::format("{}{:.6g}", rates.empty() ? "" : " ", shown(start_.parts.v[k]));
    names += fmt::format("{}`{}` {}", names.empty() ? "" : ", ", joint.name, rates);
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  start_.parts.chosen_rates = names;
  start_.diagnostics.report(
      {.severity = Severity::warning,
       .message = fmt::format("{} set the system in motion and leave open how some joints start to move, for which "
                              "no initial velocity is given: {} is taken (the nearest motion in the inertia metric)",
                              restraint(start_.view()), names),
       .remedy = "give them initial velocities (initial.velocity) if they are to start otherwise",
       .file = start_.parts.description.file});
}

}  // namespace polyform::host::inline assembly
