// Assembly: description to an immutable system view with an initial state whose loops are closed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/reaction_uniqueness.hpp"
#include "framework/host/graph/system_graph.hpp"
#include "framework/host/reading/description.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline assembly {

/// What `check` tells of the constraints of a system in its initial state.
struct ConstraintCount {
  std::size_t degrees_of_freedom = 0;
  std::size_t redundant = 0;                  ///< number of redundant constraint equations
  std::vector<std::string> redundant_joints;  ///< joints whose reactions are open in part, in the user's order
  std::vector<OpenDirections> open;           ///< that part, joint by joint
  /// Multipliers that are not unique: of constraint elements as in Observation, then those of modules, counted on.
  std::vector<std::size_t> open_rows;
  std::vector<std::string> redundant_constraints;  ///< whose these are: "constraint a", "module b"
};

/// A model ready to run. Owns the view and everything it points to; outlives all solvers compiled from it.
class System {
 public:
  /// Builds the system. Reports to the diagnostics; nullptr when anything was an error. keep_alive: the registry's
  /// libraries.
  static std::unique_ptr<System> assemble(Description, std::shared_ptr<const void> keep_alive, Diagnostics&);
  /// Changes numbers of the model in place: mass properties and velocities of rigid bodies, gravity, initial
  /// coordinates of joints, numbers of elements. `change` writes them into the description and tells whether it could.
  /// All solvers of the system are gone by then. View, initial state and description are then as assemble() makes them
  /// of the changed description, at the same places. False where that cannot be said: a number was refused, or the
  /// bodies have flexible ones among them or would be tied in another order; then the system is of no more use.
  /// Warnings on numbers that were changed go to the diagnostics.
  bool change_numbers(const std::function<bool(Description&)>& change, Diagnostics&);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const SystemView& view() const;
  const Description& description() const;
  /// What the clock shows at the start, s.
  double start_time() const;
  /// The assembled initial state, at the start time; solvers start by encoding it.
  ConstStateView initial_state() const;
  /// Joints that start to move at rates which the assembly chose, because the model gives none and the constraints
  /// leave them open: "`a` 1.5, `b` -2"; or empty.
  const std::string& chosen_rates() const;
  /// The user's bodies and joints (in the order of the file) as indices into the view.
  const std::vector<BodyIndex>& bodies() const;
  const std::vector<JointIndex>& joints() const;
  std::size_t loops() const;
  /// Rank analysis of the loop constraints (cheap for trees).
  ConstraintCount count_constraints() const;
  /// The same at another state, at time t. absent: per joint, then constraint element, whether a solver leaves it out;
  /// or empty.
  ConstraintCount count_constraints(double t, const ConstStateView&, const std::vector<bool>& absent) const;

  struct Parts;  ///< storage, of this room only

 private:
  explicit System(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform::host::assembly
