// What eigenvalues and multipliers mean for the stability of a motion.
#pragma once

#include <functional>

#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/stability.hpp"

namespace polyform::host::inline linearization {

/// What modes alone do not tell.
struct ModeQuestions {
  /// Whether a mode is a displacement that stays as it is, seen in turning axes.
  std::function<bool(const Mode&)> drifts;
  /// Whether nothing that acts beside the motion feeds or takes energy.
  std::function<bool()> conserves;
};

/// The verdict on a constant A by its modes, which are in `out`.
void judge_modes(const Linearization&, const ModeQuestions&, Stability& out);
/// The verdict on a periodic motion by Floquet's multipliers, which are in `out`.
void judge_multipliers(Stability& out);

}  // namespace polyform::host::linearization
