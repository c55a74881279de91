// Why a run failed, beyond what the solver or the integrator says.
#pragma once

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/strained_rows.hpp"
#include "framework/host/simulation/run_motion.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/host/simulation/run_watches.hpp"

namespace polyform::host::inline simulation {

/// Adds the cause to the failure in the record, if it is known: rows that rounded lengths make contradict each other, a
/// singular position, an element, a formula without a value. The motion stands at the last step that was made, if it
/// has begun. Whether something is named.
bool explain_failure(RunRecord&, const SystemView&, const MomentOfRun&, Solver&, RunMotion&, RunRows&);
/// Names the element of the fastest motion where steps became too short and the integrator names nothing.
void explain_stall(RunRecord&, const RunMotion&, RunWatches&);
/// Adds what failed after that, such as rows that could not be written, each once.
void add_later_failures(RunRecord&);

/// Does a part of a run; its first failure is the run's. What fails after that is kept beside it.
template <class Part>
void guard(RunRecord& record, const Part& part) {
  try {
    part();
  } catch (const Failure& problem) {
    if (record.end == End::failed) {
      if (problem.message() != record.failure) record.later_failures.push_back(problem.message());
      return;
    }
    record.end = End::failed;
    record.failure = problem.message();
    record.remedy = problem.remedy();
  }
}

}  // namespace polyform::host::inline simulation
