// The tolerances for a run, found from those that it was given.
#pragma once

#include <string>
#include <vector>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::host::inline simulation {

class RunTolerances {
 public:
  /// The arguments outlive the object.
  RunTolerances(const SystemView&, const ConstStateView& start, Solver&, const RunSettings&);

  /// The settings for the integrator.
  StepSettings step_settings() const;
  /// Sentences about an absolute tolerance that is finer than rounding, and about one that is coarse compared with the
  /// bodies.
  std::vector<std::string> warnings() const;

 private:
  std::string coarse() const;

  const SystemView& view_;
  const Solver& solver_;
  const RunSettings& settings_;
  /// The finest absolute tolerance: the rounding of the largest position at the start.
  const double finest_;
};

}  // namespace polyform::host::inline simulation
