// Jumps of first-order states at events: a sampler that takes a new value, a contact that keeps the speed at which it
// began.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/events.hpp"

namespace polyform {

/// EventSource::query of a force's batch gives it. Positions and velocities do not jump.
class StateJumps {
 public:
  static constexpr std::string_view interface_name = "polyform.state_jumps.1";
  /// Called at an event: event function k of the batch has just changed its sign, to positive if `rising`. The input is
  /// the state right after that. states: those of all instances; on entry as in ForceInput::states, on return those
  /// that apply from now on. The result depends on the arguments only; nothing allocates or throws.
  virtual void jump_states(std::size_t k, bool rising, const EventInput&, std::span<double> states) noexcept = 0;

 protected:
  ~StateJumps() = default;
};

}  // namespace polyform
