// Takes the rows of a run.
#pragma once

#include "framework/host/simulation/run_record.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline simulation {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Is called before each row with the work ∫ P dt of all that is applied without potential, from the start until
  /// then, J.
  virtual void work(double) {}
  /// One instant, in the order of time. Throws Failure (simulation_failed) when it cannot be stored.
  virtual void row(double time, const Observation&) = 0;
  /// Whether step() is to be called with the state at the ends of some steps between rows.
  virtual bool wants_steps() const { return false; }
  virtual void step(double, const ConstStateView&) {}
  /// After the last row, however the run ended. Throws the same.
  virtual void finish(const RunRecord&) {}
};

}  // namespace polyform::host::simulation
