// All that another process needs to go on with a run.
#pragma once

#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "framework/host/simulation/run_statistics.hpp"

namespace polyform::host::inline simulation {

/// At the end of a step: all rows up to its time are written, all that has happened until then is in the state.
struct RunSnapshot {
  RunState state;
  RunRecord record;  ///< as of a run that ends there
  RowSums sums;
};

/// What a run tells in the end that went on from a snapshot: counts are summed, extremes are those of both parts.
void add_record_before(RunRecord&, const RunRecord& before);

}  // namespace polyform::host::inline simulation
