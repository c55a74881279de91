// First-order states that begin with the motion: a filter that starts settled, a relaxation length in a running tyre.
//
// ForceBatch::initial_states and ModuleBatch::initial_state give states without knowing the motion. A batch whose
// states depend on it answers `query` with an InitialStates, which the host calls once the initial motion of the model
// is found.
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

class InitialStates {
 public:
  static constexpr std::string_view interface_name = "polyform.initial_states.1";
  /// start: the initial motion, at t = 0; its `states` are empty. u: variables of modules. x: states of forces or
  /// modules, instance after instance. Both hold the values found without the motion, and those left alone stay. A
  /// state that is the integral of a variable (Variable::integral_of) stays as assembly has left it; where u does not
  /// fit the rows of its module, the host moves it the least. May not throw.
  virtual void states_at_start(const ForceInput& start, std::span<double> u, std::span<double> x) noexcept = 0;

 protected:
  ~InitialStates() = default;
};

}  // namespace polyform
