// Variables of modules that follow from the motion of what the modules are attached to.
#pragma once

#include <span>
#include <vector>

#include "framework/linearization/canonical_state.hpp"
#include "framework/linearization/minimal_coordinates.hpp"
#include "framework/results/channel.hpp"
#include "polyform/module_set.hpp"

namespace polyform::host {

/// All first-order states of a system, in their order: names as in result columns where they have one there,
/// `<force>.state[k]` else.
std::vector<Channel> first_order_states(const SystemView&);

/// The rows A u + C V + B v = velocity_right of the modules, each of which determines one of its module's variables.
class ModuleStates {
 public:
  /// The view outlives the object.
  explicit ModuleStates(const SystemView&);

  /// Which variables the rows of all modules determine, by complete pivoting over A at this state: rows of all modules
  /// one after another, columns the first-order states. Failure (bad_input) where the rows of a module do not determine
  /// as many of its own variables: such a module ties the motion itself.
  Elimination choose(double t, std::span<const BodyMotion> frames, const CanonicalState&);
  /// The dependent variables in state.x from all others. False where they are not determined.
  bool close(double t, std::span<const BodyMotion> frames, const Elimination&, CanonicalState& state);
  /// Kinetic energy that goes with the modules' variables, J.
  double kinetic_energy(double t, std::span<const BodyMotion> frames, const CanonicalState&);

 private:
  const SystemView& view_;
  ModuleSet modules_;
};

}  // namespace polyform::host
