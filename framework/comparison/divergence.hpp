// Whether a parting is the system's doing or a solver's: the solver that parts against two twins of itself, one that is
// integrated more finely and one that starts a little off.
#pragma once

#include <optional>
#include <string>

#include "framework/comparison/consensus.hpp"
#include "framework/comparison/heat.hpp"

namespace polyform::host {

/// How a solver differs from itself, and how a small difference grows. Distances are relative, see Scales.
struct Divergence {
  std::string solver;  ///< the one that parts
  double integration_error =
      0;                     ///< largest distance until it parts from a run at half the step, a tenth of the tolerances
  double perturbation = 0;   ///< by how much speeds and gravity of the other twin are larger, relative
  double amplification = 0;  ///< largest distance of that twin until the parting, over the perturbation
  double rate = 0;           ///< of the exponential growth fitted to that distance, 1/s
  double duration = 0;       ///< over which it was fitted, s
  /// Whether the solver is as unsure of its own motion as it is far from the others (a tenth of it at least): then the
  /// parting is no sign of wrong equations.
  bool explains = false;
  /// Whether the growth is exponential: five e-folds and more over the duration fitted.
  bool chaotic = false;
};

/// Runs the twins of a contender whose own trace is given. Empty where one fails or is interrupted.
std::optional<Divergence> find_divergence(const System&, const TraceLayout&, const Contender&, Trace& own,
                                          const RunSettings&, const Parting&, const Scales&, const HeatControl&);

/// The rate of the straight line fitted to the logarithm of the distances, 1/s, and the time over which: from a quarter
/// of the way to saturation (a distance of 0.1) or the end. Zero where there are too few rows.
struct GrowthRate {
  double rate = 0, duration = 0;
};
GrowthRate growth_rate(std::span<const DistanceRow>);

}  // namespace polyform::host
