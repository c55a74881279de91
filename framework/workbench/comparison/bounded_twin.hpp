// Solvers that agree may all have stepped over the same event. This compares the fastest solver with itself at bounded
// steps.
#pragma once

#include <optional>
#include <string>

#include "framework/workbench/comparison/consensus.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::host::inline comparison {

/// The fastest run against its twin: the same run with bounded steps.
struct BoundedTwin {
  std::string solver;
  double max_step = 0;   ///< of the twin, s
  double apart = 0;      ///< largest distance of the two, relative (Scales)
  double time = 0;       ///< when it first exceeds the tolerance, s; 0 if it does not
  bool resolved = true;  ///< whether it stays within the tolerance
};

/// The longest step in which no body of the system passes more than its own size (its radius of gyration), according to
/// the runs; in a longer step a body may pass over another. The step is not so short that the twin takes more steps
/// than all runs together or, if those are few, more than a million divided by the number of bodies. So the twin takes
/// less time than the comparison, or about a second.
double sensible_bound(const System&, std::span<const RunRecord* const> runs, double duration);

/// Runs the twin of the fastest contender. Empty if the steps of the run were not longer than the bound, or if the twin
/// does not come to its end.
std::optional<BoundedTwin> check_steps(const System&, const TraceLayout&, const Contender& fastest, Trace& its_trace,
                                       const RunRecord& its_run, const RunSettings&, const Scales&, double bound,
                                       double tolerance, const HeatControl&);

}  // namespace polyform::host::comparison
