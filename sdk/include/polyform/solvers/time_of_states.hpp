// The time of the states that encode() takes, as a solver keeps it.
#pragma once

#include "polyform/contract/state_time.hpp"

namespace polyform {

/// A member of a solver, which gives it where it is asked for a StateTime.
class TimeOfStates final : public StateTime {
 public:
  void set_state_time(double t) noexcept override { time_ = t; }
  /// 0 until the host tells another, s.
  double time() const noexcept { return time_; }

 private:
  double time_ = 0;
};

}  // namespace polyform
