// Takes the rows of a run.
#pragma once

#include "framework/simulation/run_record.hpp"
#include "polyform/formulation.hpp"

namespace polyform::host {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// One instant, in the order of time. Throws Failure (simulation_failed) when it cannot be stored.
  virtual void row(double time, const Observation&) = 0;
  /// After the last row, however the run ended. Throws the same.
  virtual void finish(const RunRecord&) {}
};

}  // namespace polyform::host
