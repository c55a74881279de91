// Constraints that contradict each other: from which residual on, what makes them so, and the sentences that say it,
// alike in all solvers.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"
#include "polyform/helpers/failure.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

/// From this part of what acts on a row or could (SystemScales) on, accelerations do not satisfy it, at a state that
/// meets the constraints.
inline constexpr double least_contradiction = 1e-8;
/// The same where rows that depend on others up to least_independent are left out: they are met up to that.
inline constexpr double least_contradiction_of_dependent = least_independent;
/// The same where loops are cut: next to a singular position a row is done without, which leaves more of it.
inline constexpr double least_contradiction_of_cuts = 1e-4;

/// error: what accelerations leave of a row, relative to its scale; NaN is a contradiction. A state off the constraints
/// makes rows that depend on others disagree by about as much as it violates positions and velocities.
inline bool is_contradiction(double error, double least, double position_violation,
                             double velocity_violation) noexcept {
  return !(error <= least + 100 * (position_violation + velocity_violation));
}

/// Without a full stop. Only what the system can have is named.
inline const char* causes_of_contradiction(const SystemView& view) noexcept {
  return view.constraints.empty()
             ? "Likely causes: velocities that the mechanism cannot have in this position, a limit position or another "
               "singular one, or a very light body between heavy ones"
             : "Likely causes: two prescribed motions of one thing, velocities that the mechanism cannot have in this "
               "position, a limit position or another singular one, or a very light body between heavy ones";
}

/// What the accelerations leave of the rows of a joint, constraint or module; error: relative. Always false.
inline bool say_contradiction(Failure& failure, const SystemView& view, std::string_view kind, std::string_view name,
                              double error) noexcept {
  return failure.say(
      "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative error {:.1e}). {}",
      kind, name, error, causes_of_contradiction(view));
}

/// What the projection of velocities leaves of a row, m/s or rad/s. Always false.
inline bool say_no_velocities(Failure& failure, std::string_view kind, std::string_view name, double left) noexcept {
  return failure.say(
      "No velocities respect all constraints: {} `{}` is left with {:.2e} (m/s or rad/s). Likely causes: "
      "given or prescribed velocities that contradict each other, or a mechanism at its limit position",
      kind, name, left);
}
/// Up to this, of the terms of a row and in m/s or rad/s, projected velocities meet it.
inline constexpr double velocities_meet = 1e-6;

/// What to say where a state or an effort is no number.
inline constexpr char not_finite_state[] =
    "the state or a force is not finite: it has gone astray, or the step is too long";

}  // namespace polyform
