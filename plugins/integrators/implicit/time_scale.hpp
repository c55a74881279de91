// The shortest time scale of a system, at the states that a run passes.
#pragma once

#include <vector>

#include "polyform/contract/integrator.hpp"

namespace polyform::implicit {

/// The largest |eigenvalue| of ∂f/∂y by the power method, one round at a measurement: from one to the next the state
/// hardly changes, and the direction converges. Two applications at a time, so that a pair of positions and velocities
/// counts by its frequency whatever their units.
class TimeScale {
 public:
  explicit TimeScale(FirstOrderSystem&);
  void start() noexcept;
  /// Largest |eigenvalue| as known by now, 1/s; three evaluations. Zero where f cannot be evaluated.
  double measure(double t, std::span<const double> y) noexcept;

 private:
  bool apply(double t, std::span<const double> y) noexcept;

  FirstOrderSystem& system_;
  std::size_t states_;
  std::vector<double> direction_, moved_, rate_, moved_rate_;
};

}  // namespace polyform::implicit
