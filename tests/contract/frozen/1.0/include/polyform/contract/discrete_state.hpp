// Discrete state: small integers that a solver or an element has in addition to the numbers that are integrated.
//
// Which rows of a closed loop depend on others, the sign of a quaternion, whether a brake sticks or slips: such a value
// is part of the state, for the future depends on it, but it has no rate, no error and no tolerance. So y does not
// contain it. It changes between steps only:
//
//   - values of elements change where the host has located an event of the element, in DiscreteElement::pass_event;
//   - values of the solver itself change in Solver::encode and Solver::correct;
//   - the host puts back what it has kept (DiscreteState::set): where it asks for the state at an earlier time, repeats
//     a step, or uses one solver for several motions in turn.
//
// Within a step all values are constant: no derivative, observation or decoding changes them. An integrator knows
// nothing of them; after a correction that has changed some, the host begins the integrator anew.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/events.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// What one value is.
struct DiscreteDescription {
  Size<DiscreteDescription> size{};
  std::string_view owner{};  ///< the element, joint or body that it belongs to
  std::string_view name{};   ///< in a few words: "latch", "dependent rows"
  std::int32_t least = 0, greatest = 0;
  std::span<const std::string_view> words{};  ///< a word for each value from `least` on, for people; may be empty
};

/// What Solver::query(DiscreteState::interface_name) gives. A solver has one set of values at a time: its calls compute
/// at y, t and these values.
class DiscreteState {
 public:
  static constexpr std::string_view interface_name = "polyform.discrete_state.1";
  /// First SystemView::discrete values of the elements, group after group as ElementInstances::discrete_offset says,
  /// then those of the solver itself. Their number and their place in memory never change.
  virtual std::span<const std::int32_t> values() const noexcept = 0;
  /// Sets all values, as values() gave them before. failed, and nothing is changed, if their number is wrong or one is
  /// out of its range.
  virtual Status set(std::span<const std::int32_t> values) noexcept = 0;
  /// i < values().size(). What it points to lives as long as the solver.
  virtual void describe(std::size_t i, DiscreteDescription& out) const noexcept = 0;

 protected:
  ~DiscreteState() = default;
};

/// The values of all instances of a batch whose type declares some (TypeDescriptor::discrete), instance after instance.
/// ForceBatch::query, ConstraintBatch::query or ModuleBatch::query give it; an EventSource belongs to it, for without
/// events nothing changes. `evaluate` reads the values in ForceInput::discrete. Nothing allocates or throws.
class DiscreteElement {
 public:
  static constexpr std::string_view interface_name = "polyform.discrete_element.1";
  /// Writes the values at the start of a run; they are zero on entry.
  virtual void initial_values(std::span<std::int32_t> values) const noexcept = 0;
  /// Called at an event: event function k of the batch has just changed its sign, to positive if `rising`. The input is
  /// the state right after that, with the values before the event in ForceInput::discrete. `values` holds these on
  /// entry, and on return those that apply from now on. The result depends on the arguments only.
  virtual void pass_event(std::size_t k, bool rising, const EventInput&, std::span<std::int32_t> values) noexcept = 0;

 protected:
  ~DiscreteElement() = default;
};

}  // namespace polyform
