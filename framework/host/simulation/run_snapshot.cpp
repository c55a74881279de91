#include "framework/host/simulation/run_snapshot.hpp"

#include <algorithm>

namespace polyform::host::inline simulation {

void add_record_before(RunRecord& record, const RunRecord& before) {
  record.steps += before.steps;
  record.rejected_steps += before.rejected_steps;
  record.evaluations += before.evaluations;
  record.stops += before.stops;
  record.events += before.events;
  record.wall_seconds += before.wall_seconds;
  record.conservative = record.conservative && before.conservative;
  record.longest_step = std::max(record.longest_step, before.longest_step);
  record.passing_time = std::min(record.passing_time, before.passing_time);
  if (before.imbalance > record.imbalance) {
    record.imbalance = before.imbalance;
    record.imbalance_of = before.imbalance_of;
  }
  for (const std::string& warning : before.warnings)
    if (std::ranges::find(record.warnings, warning) == record.warnings.end()) record.warnings.push_back(warning);
}

}  // namespace polyform::host::inline simulation
