// What the C functions of both versions do alike. Each does one call for an instance that may be none, and lets nothing
// leave by an exception; versions turn the answer into their status.
#pragma once

#include <cstdint>

#include "apps/fmi/component.hpp"

namespace polyform::fmi {

using Reference = std::uint32_t;

/// Nothing has to be done: the instance need only be one.
Answer nothing(Component*) noexcept;
/// An error where variables of a kind are asked for that no FMU of Polyform has.
Answer no_variables(Component*, std::size_t count, const char* kind) noexcept;
Answer log_warnings_from_now_on(Component*, bool on) noexcept;
Answer set_up(Component*, double start, std::optional<double> stop, std::optional<double> tolerance) noexcept;
Answer begin_initialization(Component*) noexcept;
Answer finish_initialization(Component*) noexcept;
Answer terminate(Component*) noexcept;
Answer reset(Component*) noexcept;

/// Failure if there are not as many values as references.
Answer get_values(Component*, std::span<const Reference>, std::span<double>) noexcept;
Answer set_values(Component*, std::span<const Reference>, std::span<const double>) noexcept;
Answer differentiate(Component*, std::span<const Reference> unknowns, std::span<const Reference> knowns,
                     std::span<const double> seed, std::span<double> out) noexcept;

Answer get_state(Component*, void** out) noexcept;
Answer set_state(Component*, const void* state) noexcept;
Answer free_state(Component*, void** state) noexcept;
Answer size_of_state(Component*, const void* state, std::size_t* size) noexcept;
Answer serialize_state(Component*, const void* state, std::span<std::byte> out) noexcept;
Answer deserialize_state(Component*, std::span<const std::byte> bytes, void** out) noexcept;

// Model exchange.
Answer set_time(Component*, double) noexcept;
Answer set_states(Component*, std::span<const double>) noexcept;
Answer get_states(Component*, std::span<double>) noexcept;
Answer get_rates(Component*, std::span<double>) noexcept;
Answer get_indicators(Component*, std::span<double>) noexcept;
Answer get_nominals(Component*, std::span<double>) noexcept;
Answer complete_step(Component*, bool& enters_event_mode) noexcept;
/// What an event changes; next: infinity if the clock has none, s.
struct Passed {
  bool states_changed = false;
  bool ended = false;  ///< an element ends the run
  double next = 0;
};
Answer pass_events(Component*, Passed&) noexcept;

// Co-simulation. last: the time that was reached.
Answer step(Component*, double time, double step, double& last) noexcept;

}  // namespace polyform::fmi
