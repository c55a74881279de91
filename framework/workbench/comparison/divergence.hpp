// Whether solvers differ because of the system or of a solver. The solver that differs and the one farthest from it are
// each compared with a finer twin, the same run integrated more finely; the former also with one that starts a little
// off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/workbench/comparison/consensus.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::host::inline comparison {

/// How a solver differs from itself, and how a small difference grows. Distances are relative, see Scales: of the
/// motion, or of the reactions or accelerations where the solvers part in those; the growth is always that of the
/// motion.
struct Divergence {
  /// Why the solvers differ, as the twins show.
  enum class Cause {
    /// Neither solver moves away from its finer twin by as much as they differ, or they differ at the start, before
    /// anything is integrated: one is wrong, or the motion is not unique.
    solver,
    /// At finer settings the two come together: errors of integration are the cause.
    integration,
    /// The same, where these errors grow exponentially; also where round-off grows so, which no finer setting makes
    /// smaller.
    chaos,
    /// Round-off reaches as far, without such growth.
    round_off,
    /// The errors are as large as the disagreement, but finer settings do not lessen it; or these change nothing at
    /// all.
    unknown
  };
  std::string solver;  ///< the one that parts
  std::string peer;    ///< of the others the one that is then farthest from it
  /// Largest distance of each until the parting from its run at a tenth of the tolerances and half the step, or half
  /// the output interval where that is less, and steps that no body passes another in.
  double integration_error = 0, peer_error = 0;
  double apart = 0, finer_apart = 0;  ///< largest distance of the two until the parting, and of their finer twins
  double perturbation = 0;            ///< by how much speeds and gravity of the other twin are larger, relative
  double amplification = 0;           ///< largest distance of that twin until the parting, over the perturbation
  double rate = 0;                    ///< of the exponential growth fitted to that distance until the parting, 1/s
  double duration = 0;                ///< over which it was fitted, s
  /// Whether the distance of one of the two from its finer twin is at least a tenth of their distance.
  bool explains = false;
  /// Whether the growth until the parting is exponential: amplified a thousandfold and more, and three e-folds over the
  /// duration fitted.
  bool chaotic = false;
  /// Whether they differ in the first row, before any integration: then no twins run, and all that they would tell is
  /// zero.
  bool at_start = false;
  Cause cause = Cause::unknown;

  /// Whether the finer settings change anything: an error of exactly zero was not measured.
  bool refined() const { return integration_error != 0 || peer_error != 0; }
};

std::string_view name_of(Divergence::Cause);
/// The cause that the figures speak for; `relative` is the distance of the parting from the consensus.
Divergence::Cause cause_of(const Divergence&, double relative);

/// A contender and what it did.
struct TracedContender {
  const Contender* contender;
  Trace* trace;
};
/// Runs the twins, unless the solvers differ at the start. bound: of the steps of the finer twins, s, so that they do
/// not step over what the runs may have stepped over (sensible_bound). all: those that finished, at least two; parted:
/// which of them. Empty if a twin fails or is interrupted.
std::optional<Divergence> find_divergence(const System&, const TraceLayout&, std::span<const TracedContender> all,
                                          std::size_t parted, const RunSettings&, double bound, const Parting&,
                                          const HeatControl&);

/// The rate of the straight line fitted to the logarithm of the distances, 1/s, and the time over which: from a quarter
/// of the way to saturation (a distance of 0.1) or the end. Zero if there are too few rows.
struct GrowthRate {
  double rate = 0, duration = 0;
};
GrowthRate growth_rate(std::span<const DistanceRow>);

}  // namespace polyform::host::comparison
