// Solvers that tell the power of the applied loads without an observation.
#pragma once

#include <string_view>

namespace polyform {

/// What Solver::query gives under this name. The host integrates the power along a run, with no evaluation more than
/// the run itself needs. If a solver lacks the interface, the host observes at each evaluation.
class PowerSource {
 public:
  static constexpr std::string_view interface_name = "polyform.power.1";
  /// Observation::power at the last derivative() that succeeded, W: the power of forces without potential, dampers,
  /// modules, and of constraints whose velocity is given (a prescribed motion: its driving force times its speed).
  /// Called at most once after each derivative().
  virtual double power() noexcept = 0;

 protected:
  ~PowerSource() = default;
};

}  // namespace polyform
