// Constraints that contradict each other: the residual from which on they do, the likely causes, and the sentences
// about it, the same in all solvers.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"
#include "polyform/helpers/failure.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

/// If accelerations miss a row by this part of what acts on it or could (SystemScales), at a state that meets the
/// constraints, they do not satisfy it.
inline constexpr double least_contradiction = 1e-8;
/// The same if rows that depend on others up to least_independent are left out: such a row is met up to that.
inline constexpr double least_contradiction_of_dependent = least_independent;
/// The same where loops are cut: next to a singular position a row is left out, which misses more.
inline constexpr double least_contradiction_of_cuts = 1e-4;

/// From this part on a missed row is a contradiction for certain, unless masses differ by more than `uneven_masses`.
/// Less may be what is missed of a row that is left out next to a singular position. Heavy bodies take the digits of
/// light ones: then any part may be missed. Another solver may meet all rows.
inline constexpr double certain_contradiction = 1e-2;
/// Masses that differ by less make pivots differ no more than levers do. Where they differ by more, rows are judged by
/// directions alone, and accelerations are checked with twice the digits.
inline constexpr double uneven_masses = 1e4;

/// How to tell that a row is missed: the verb of the constraints, and what it says of accelerations.
struct ContradictionWords {
  const char *verb, *found;
};
inline ContradictionWords words_of_contradiction(const SystemView& view, double error) noexcept {
  double least = 0, most = 0;  // of the bodies that have any mass
  for (const BodyData& body : view.bodies) {
    if (!(body.mass > 0)) continue;
    least = least > 0 && least < body.mass ? least : body.mass;
    most = most > body.mass ? most : body.mass;
  }
  if (error >= certain_contradiction && most <= uneven_masses * least)
    return {"contradict", "no accelerations satisfy them all"};
  return {"seem to contradict", "the accelerations that this solver finds do not satisfy them all"};
}

/// error: what accelerations leave of a row, relative to its scale; NaN is a contradiction. A state off the constraints
/// makes rows that depend on others disagree by about as much as it violates positions and velocities.
inline bool is_contradiction(double error, double least, double position_violation,
                             double velocity_violation) noexcept {
  return !(error <= least + 100 * (position_violation + velocity_violation));
}

/// The likely causes, without a full stop. Only causes that the system can have are named.
inline const char* causes_of_contradiction(const SystemView& view) noexcept {
  return view.constraints.empty()
             ? "Likely causes: velocities that the mechanism cannot have in this position, a limit position or another "
               "singular one, or a very light body between heavy ones"
             : "Likely causes: two prescribed motions of one thing, velocities that the mechanism cannot have in this "
               "position, a limit position or another singular one, or a very light body between heavy ones";
}

/// Reports what the accelerations leave of the rows of a joint, constraint or module; error: relative. Always false.
inline bool say_contradiction(Failure& failure, const SystemView& view, std::string_view kind, std::string_view name,
                              double error) noexcept {
  const ContradictionWords words = words_of_contradiction(view, error);
  return failure.say("The constraints {} each other at {} `{}`: {} (relative error {:.1e}). {}", words.verb, kind, name,
                     words.found, error, causes_of_contradiction(view));
}

/// Reports what the projection of velocities leaves of a row, m/s or rad/s. Always false.
inline bool say_no_velocities(Failure& failure, std::string_view kind, std::string_view name, double left) noexcept {
  return failure.say(
      "No velocities respect all constraints: {} `{}` is left with {:.2e} (m/s or rad/s). Likely causes: "
      "given or prescribed velocities that contradict each other, or a mechanism at its limit position",
      kind, name, left);
}
/// Projected velocities meet a row up to this, relative to the row's terms and in m/s or rad/s.
inline constexpr double velocities_meet = 1e-6;
/// The least acceleration that a row is judged by, m/s² or rad/s²: what turns no faster than velocities_meet about an
/// axis 1 m away has not more. A system that nothing loads and that stands still has accelerations of rounding alone.
inline constexpr double least_acceleration = velocities_meet * velocities_meet;

/// The sentence for a state or an effort that is not finite.
inline constexpr char not_finite_state[] =
    "the state or a force is not finite: it has gone astray, or the step is too long";

}  // namespace polyform
