// The derivative in the form that Boost.Odeint calls, which knows no failure.
#pragma once

#include <vector>

#include "polyform/contract/integrator.hpp"

namespace polyform::runge_kutta {

using State = std::vector<double>;

/// After a failed call, the stages that follow are skipped.
class Stages {
 public:
  explicit Stages(FirstOrderSystem& system) : system_(system) {}
  void operator()(const State& y, State& ydot, double t) noexcept {
    if (!failed_) failed_ = system_.derivative(t, y, ydot) != Status::ok;
  }
  /// Whether a call failed since the last time this was asked.
  bool take_failed() noexcept {
    const bool failed = failed_;
    failed_ = false;
    return failed;
  }

 private:
  FirstOrderSystem& system_;
  bool failed_ = false;
};

}  // namespace polyform::runge_kutta
