// Constraints that contradict each other: from which residual on, and what makes them so, alike in all solvers.
#pragma once

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

/// From this part of what acts on a row or could (Yardstick) on, accelerations do not satisfy it, at a state that meets
/// the constraints.
inline constexpr double least_contradiction = 1e-8;
/// The same where rows that depend on others up to least_independent are left out: they are met up to that.
inline constexpr double least_contradiction_of_dependent = least_independent;
/// The same where loops are cut: next to a singular position a row is done without, which leaves more of it.
inline constexpr double least_contradiction_of_cuts = 1e-4;

/// error: what accelerations leave of a row, as a part; no number is one. A state beside the constraints makes rows
/// that depend on others disagree by about as much as it violates positions and velocities.
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

}  // namespace polyform
