#include "framework/workbench/comparison/bounded_twin.hpp"

#include <algorithm>
#include <limits>

namespace polyform::host::inline comparison {

double sensible_bound(const System& system, std::span<const RunRecord* const> runs, double duration) {
  constexpr double body_steps = 1e6;
  double passing = std::numeric_limits<double>::infinity(), steps = 0;
  for (const RunRecord* run : runs) {
    passing = std::min(passing, run->passing_time);
    steps += static_cast<double>(run->steps);
  }
  const double bodies = std::max(1.0, static_cast<double>(system.view().bodies.size()));
  return std::max(passing, duration / std::max(steps, body_steps / bodies));
}

std::optional<BoundedTwin> check_steps(const System& system, const TraceLayout& layout, const Contender& fastest,
                                       Trace& its_trace, const RunRecord& its_run, const RunSettings& settings,
                                       const Scales& scales, double bound, double tolerance,
                                       const HeatControl& control) {
  if (!(bound < its_run.longest_step)) return std::nullopt;
  RunSettings bounded = settings;
  bounded.max_step = std::min(bounded.max_step, bound);
  Trace trace(layout);
  const Heat heats[] = {{&fastest, bounded, 0, {&trace}}};
  if (run_heats(system, heats, control).front().how != HeatEnd::How::done) return std::nullopt;
  BoundedTwin twin{std::string(fastest.formulation->name()), bounded.max_step};
  for (const DistanceRow& row : distances(layout, its_trace, trace, scales, Family::motion)) {
    twin.apart = std::max(twin.apart, row.distance);
    if (twin.resolved && row.distance > tolerance) {
      twin.resolved = false;
      twin.time = row.time;
    }
  }
  return twin;
}

}  // namespace polyform::host::comparison
