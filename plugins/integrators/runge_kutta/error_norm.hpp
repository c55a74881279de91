// The error of a step in units of the tolerances.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "polyform/helpers/largest_integrals.hpp"
#include "polyform/helpers/step_by_step.hpp"
#include "stages.hpp"

namespace polyform::runge_kutta {

/// A trial of a step as its error is measured: its length, the state at its ends and the rates there; end_rate may be
/// null.
struct Trial {
  double h;
  const State &start, &end, &start_rate;
  const State* end_rate;
};

/// The largest error of any state in units of its tolerance, absolute + relative · |y|. Not a mean: in a system of
/// many bodies the error of a single one must not drown in the others.
class ErrorNorm {
 public:
  ErrorNorm(FirstOrderSystem& system, const StepSettings& settings)
      : absolute_(settings.absolute_tolerance),
        relative_(settings.relative_tolerance),
        controlled_(system.size() - system.integrals()),
        tolerances_(system.size()),
        largest_(system) {}

  /// A start at y.
  void begin(double t, std::span<const double> y) noexcept { largest_.begin(t, y); }
  /// The state at a restart, or at the end of a step that is accepted.
  void accept(const State& now) noexcept { largest_.see(now); }
  /// Infinite if anything is not finite.
  template <class Method>
  double of(const Method& method, const Trial& trial) noexcept {
    bool finite = true;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double size = std::max(std::abs(trial.start[i]), std::abs(trial.end[i]));
      tolerances_[i] = absolute_ + relative_ * size;
      finite = finite && std::isfinite(trial.end[i]);
    }
    for (std::size_t i = controlled_; i < tolerances_.size(); ++i) {
      double size = std::max(largest_[i - controlled_], trial.h * std::abs(trial.start_rate[i]));
      if (trial.end_rate != nullptr) size = std::max(size, trial.h * std::abs((*trial.end_rate)[i]));
      tolerances_[i] = integral_tolerance * (absolute_ + relative_ * size);
      finite = finite && std::isfinite(trial.end[i]);
    }
    const double error = method.error(tolerances_);
    return finite && std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }

 private:
  double absolute_, relative_;
  std::size_t controlled_;  ///< states but integrals
  State tolerances_;
  LargestIntegrals largest_;
};

}  // namespace polyform::runge_kutta
