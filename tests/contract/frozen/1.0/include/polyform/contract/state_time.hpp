// The time of the states that a solver takes over.
//
// Solver::encode knows no time, but what it judges may depend on it: which rows of a constraint with a function of time
// depend on others, velocities that follow from such rows. A solver of this kind answers `query` with a StateTime. The
// host calls it before encode() where the time is not the one that it gave last, which is 0 at first: at the start of a
// run that begins later, after an event that changed a state.
#pragma once

#include <string_view>

namespace polyform {

class StateTime {
 public:
  static constexpr std::string_view interface_name = "polyform.state_time.1";
  /// t: the time of the states that encode() is given from now on, s.
  virtual void set_state_time(double t) noexcept = 0;

 protected:
  ~StateTime() = default;
};

}  // namespace polyform
