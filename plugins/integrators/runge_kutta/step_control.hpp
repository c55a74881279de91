// How long the next step of an adaptive method is.
#pragma once

#include <algorithm>
#include <cmath>

namespace polyform::runge_kutta {

/// What one method needs: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
/// section II.4, and for beta G. Wanner, E. Hairer, the same, volume II, section IV.2.
struct StepRule {
  double order;        ///< the error of a step goes with this power of its size
  double beta;         ///< share of the last error, which damps the choice of steps; 0: none
  double least, most;  ///< a step is at least and at most so many times the last one
};

/// The rule of dopri5, alone and in lanes.
inline constexpr StepRule dopri5_rule{5, 0.04, 0.2, 5};

/// Proportional-integral control of the step size.
class StepControl {
 public:
  explicit constexpr StepControl(const StepRule& rule) : rule_(rule), exponent_(1 / rule.order - 0.75 * rule.beta) {}

  void reset() {
    last_error_ = least_memory;
    rejected_ = false;
  }
  /// error: of the step of size h in units of the tolerance; the step is accepted when it is at most 1.
  double after_accepted(double h, double error) {
    double factor = safety * std::pow(std::max(error, least_error), -exponent_) * std::pow(last_error_, rule_.beta);
    factor = std::clamp(factor, 0.1, rejected_ ? 1.0 : rule_.most);
    last_error_ = std::max(error, least_memory);
    rejected_ = false;
    return h * factor;
  }
  double after_rejected(double h, double error) {
    rejected_ = true;
    return h * std::max(rule_.least, safety * std::pow(error, -exponent_));
  }
  /// The step could not be evaluated at all.
  double after_failed(double h) {
    rejected_ = true;
    return h / 2;
  }

 private:
  static constexpr double safety = 0.9;
  /// Smaller errors do not count: of a step, which would make the next one longer without end; of the one before.
  static constexpr double least_error = 1e-20, least_memory = 1e-4;
  StepRule rule_;
  double exponent_;
  double last_error_ = least_memory;
  bool rejected_ = false;
};

}  // namespace polyform::runge_kutta
