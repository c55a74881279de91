// Variables of modules that follow from the motion of the attached bodies and joints.
#pragma once

#include <span>
#include <vector>

#include "framework/host/results/channel.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"
#include "framework/workbench/linearization/minimal_coordinates.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline linearization {

/// All first-order states of a system, in their order: names as in result columns if they have one there, else
/// `<force>.state[k]`.
std::vector<Channel> first_order_states(const SystemView&);

/// The rows A u + C V + B v = velocity_right of the modules, as far as they determine variables of their own modules:
/// as many as the rank of A. The rest of the rows constrains the motion (ConstraintJacobian::Of::all). A holonomic row
/// also determines a state, if its variable has one that is its integral.
class ModuleStates {
 public:
  /// The view outlives the object.
  explicit ModuleStates(const SystemView&);

  /// Finds which variables and integrals the rows of all modules determine, by complete pivoting over A at this state.
  /// The elimination counts rows through all modules, and its columns are the first-order states.
  Elimination choose(double t, std::span<const BodyMotion> frames, const CanonicalState&);
  /// Computes the dependent variables and integrals in state.x from all others. False if they are not determined.
  bool close(double t, std::span<const BodyMotion> frames, const Elimination&, CanonicalState& state);
  /// The kinetic energy of the modules' variables, J.
  double kinetic_energy(double t, std::span<const BodyMotion> frames, const CanonicalState&);

 private:
  /// Rows of one module and what they determine.
  struct Part {
    std::vector<std::size_t> rows, dependent;
  };
  static void pivot(const ModuleSet::Module&, bool integrals, Part& out);
  Part part_of(const ModuleSet::Module&, std::size_t first_row, bool integrals, const Elimination&) const;
  bool close_integrals(double t, std::span<const BodyMotion> frames, const Elimination&, CanonicalState& state);

  const SystemView& view_;
  ModuleSet modules_;
};

}  // namespace polyform::host::linearization
