// The derivative as the integrators call it: counted, and checked for numbers that are not finite.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/integration/integrator.hpp"

namespace polyform::host {

class Evaluator {
 public:
  using State = std::vector<double>;

  explicit Evaluator(Ode& ode) : ode_(ode) {}

  /// False when the derivative fails or is not finite; failure() then says so.
  bool evaluate(double t, std::span<const double> y, std::span<double> ydot) noexcept;
  /// The same in the form Boost.Odeint calls, which knows no failure: after one, the stages that follow are skipped.
  void operator()(const State& y, State& ydot, double t) {
    if (!failed_) failed_ = !evaluate(t, y, ydot);
  }
  /// Whether a call by Boost.Odeint failed since the last time this was asked.
  bool take_failed() {
    const bool failed = failed_;
    failed_ = false;
    return failed;
  }
  std::string failure() const;

  bool correct(double t, std::span<double> y) noexcept { return ode_.correct(t, y); }
  std::string correction_failure(double t) const;

  std::size_t evaluations() const { return evaluations_; }
  void reset_count() { evaluations_ = 0; }

 private:
  Ode& ode_;
  std::size_t evaluations_ = 0;
  bool failed_ = false;
  // The last failure: which component of the derivative was not finite (the size of the state: the call failed).
  double time_ = 0, value_ = 0;
  std::size_t component_ = 0;
};

}  // namespace polyform::host
