// Takes the rows of a run.
#pragma once

#include "framework/host/simulation/run_record.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline simulation {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Where an earlier run has written the rows so far: the state that it began with, before any row.
  virtual void see_start(const Observation&) {}
  /// Is called before each row with the work ∫ P dt of all that is applied without potential, from the start until
  /// then, J.
  virtual void work(double) {}
  /// One instant, in the order of time. Throws Failure (simulation_failed) when it cannot be stored.
  virtual void row(double time, const Observation&) = 0;
  /// Whether step() is to be called with the state at the ends of some steps between rows.
  virtual bool wants_steps() const { return false; }
  virtual void step(double, const ConstStateView&) {}
  /// All rows so far are where they stay, whatever becomes of the program. Throws the same.
  virtual void store() {}
  /// After the last row, however the run ended. Throws the same.
  virtual void finish(const RunRecord&) {}
};

}  // namespace polyform::host::simulation
