// States that follow from the initial motion: a filter that starts settled, a relaxation length in a running tyre, a
// latch that holds from the start.
//
// ForceBatch::initial_states and ModuleBatch::initial_state give states without knowing the motion. A batch whose
// states depend on it answers `query` with an InitialStates, which the host calls once the initial motion of the model
// is found.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

class InitialStates {
 public:
  static constexpr std::string_view interface_name = "polyform.initial_states.1";
  /// start: the initial motion, at the time where the run begins, 0 or later; its `states` are empty. u: variables of
  /// modules. x: states of forces or modules, instance after instance. Both hold the values found without the motion;
  /// change those that depend on it. A state that is the integral of a variable (Variable::integral_of) stays as
  /// assembly has left it; if u does not fit the rows of its module, the host moves it the least. May not throw.
  virtual void states_at_start(const ForceInput& start, std::span<double> u, std::span<double> x) noexcept = 0;

 protected:
  ~InitialStates() = default;
};

/// Discrete states that depend on the initial motion. A batch with a DiscreteElement (contract/discrete_state.hpp) may
/// answer `query` with this too: DiscreteElement::initial_values gives the values before the motion is known,
/// values_at_start those at the start of the run.
class DiscreteAtStart {
 public:
  static constexpr std::string_view interface_name = "polyform.discrete_at_start.1";
  /// start: the initial motion, at the time where the run begins, 0 or later; its `states` are empty. values: those of
  /// all instances, as initial_values gave them; change those that depend on the motion. Rounding should not decide a
  /// value: the motion has passed through assembly. May not throw.
  virtual void values_at_start(const ForceInput& start, std::span<std::int32_t> values) noexcept = 0;

 protected:
  ~DiscreteAtStart() = default;
};

}  // namespace polyform
