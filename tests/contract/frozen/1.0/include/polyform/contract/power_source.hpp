// Solvers that tell the power of what is applied without another observation.
#pragma once

#include <string_view>

namespace polyform {

/// What Solver::query gives under this name. The host integrates the power along a run, at no evaluation more than the
/// run itself needs; of a solver without it, it observes at each.
class PowerSource {
 public:
  static constexpr std::string_view interface_name = "polyform.power.1";
  /// What Observation::power is, at the last derivative() that succeeded, W: of forces without potential, dampers,
  /// modules, and of constraints whose velocity is given (a prescribed motion: its driving force times its speed).
  /// Called at most once after each.
  virtual double power() noexcept = 0;

 protected:
  ~PowerSource() = default;
};

}  // namespace polyform
