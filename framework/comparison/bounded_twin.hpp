// Whether runs that agree agree on something that all of them stepped over: the fastest solver against itself with
// bounded steps.
#pragma once

#include <optional>
#include <string>

#include "framework/comparison/consensus.hpp"
#include "framework/comparison/heat.hpp"

namespace polyform::host {

/// The fastest run against a twin of it whose steps are bounded.
struct BoundedTwin {
  std::string solver;
  double max_step = 0;   ///< of the twin, s
  double apart = 0;      ///< largest distance of the two, relative (Scales)
  double time = 0;       ///< when it first exceeds the tolerance, s; 0 where it does not
  bool resolved = true;  ///< whether it stays within the tolerance
};

/// The longest step in which no body of the system passes more than its own size (its radius of gyration), by what the
/// runs have seen: longer ones may carry bodies through each other. But not so short that the twin takes more steps
/// than all runs together, or, where those are few, a million steps of bodies: it costs less than the comparison
/// itself, or about a second.
double sensible_bound(const System&, std::span<const RunRecord* const> runs, double duration);

/// Runs the twin of the fastest contender. Empty where its steps were no longer than the bound anyway, or where the
/// twin does not come to its end.
std::optional<BoundedTwin> check_steps(const System&, const TraceLayout&, const Contender& fastest, Trace& its_trace,
                                       const RunRecord& its_run, const RunSettings&, const Scales&, double bound,
                                       double tolerance, const HeatControl&);

}  // namespace polyform::host
