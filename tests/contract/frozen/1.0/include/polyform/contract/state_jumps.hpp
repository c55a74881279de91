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
  /// At an event: event function k of the batch has just changed its sign, to positive where `rising`. The input is the
  /// state right after that. states: of all instances, as in ForceInput::states on entry, and what they shall be from
  /// now on when the function returns. Depends only on what it is given; nothing allocates or throws.
  virtual void jump_states(std::size_t k, bool rising, const EventInput&, std::span<double> states) noexcept = 0;

 protected:
  ~StateJumps() = default;
};

}  // namespace polyform
