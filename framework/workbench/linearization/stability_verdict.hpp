// What eigenvalues and multipliers mean for the stability of a motion.
#pragma once

#include <functional>
#include <string>

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

inline constexpr const char *stable_text = "asymptotically stable: every disturbance dies out",
                            *undamped_text = "neutral: some oscillations are not damped, none grows";
/// The verdict by the rate of what grows fastest, more than its error, 1/s.
std::string growth_text(double rate, double error);

/// The verdict on a constant A by its modes, which are in `out`.
void judge_modes(const Linearization&, const ModeQuestions&, Stability& out);
/// The verdict on a periodic motion by Floquet's multipliers, which are in `out`.
void judge_multipliers(Stability& out);

}  // namespace polyform::host::linearization
