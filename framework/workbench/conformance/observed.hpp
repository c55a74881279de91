// What a formulation says of one state of a system.
#pragma once

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/workbench/conformance/state.hpp"

namespace polyform::host::inline conformance {

/// Compiles, takes over the state and observes it. Failure, with the solver's sentence, where a call fails.
class Observed {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;
  Observed(const Formulation&, const SystemView&, const State&, double t = 0, const Options& = {});

  const Observation& now() { return store_.now(); }
  Solver& solver() { return *solver_; }
  std::vector<double>& y() { return y_; }
  /// Observes another vector of the solver at the same time.
  const Observation& at(std::span<const double> y);

 private:
  SolverPointer solver_;
  double t_;
  std::vector<double> y_;
  ObservationStore store_;
};

/// Failure that names the call and gives the solver's own sentence, unless the status is ok.
void require(Status, Solver&, std::string_view formulation, std::string_view call);

}  // namespace polyform::host::conformance
