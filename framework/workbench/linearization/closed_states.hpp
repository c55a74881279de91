// States that respect all constraints, from deviations of independent coordinates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/workbench/linearization/canonical_state.hpp"
#include "framework/workbench/linearization/minimal_coordinates.hpp"
#include "framework/workbench/linearization/module_states.hpp"

namespace polyform::host::inline linearization {

/// Places deviations about a nominal state at a frozen time: [independent positions; independent velocities;
/// independent first-order states]. Dependent coordinates are found by Newton's method down to round-off, dependent
/// velocities and variables of modules by a linear solution, so that every state is closed exactly.
class ClosedStates {
 public:
  /// The view and the choice outlive the object. nominal: a nearly closed state.
  ClosedStates(const SystemView&, double t, const MinimalCoordinates&, CanonicalState nominal);

  std::size_t size() const { return choice_.positions() + choice_.velocities() + choice_.states(); }
  const CanonicalState& nominal() const { return nominal_; }
  /// The closed state at a deviation, with coordinates and velocities of the cut joints. False when there is none
  /// nearby: failure() says why.
  bool place(std::span<const double> deviation, CanonicalState& out);
  const std::string& failure() const { return failure_; }
  /// After place: δ of all coordinates.
  std::span<const double> delta() const { return delta_; }
  /// Motions of all frames at a state that was placed; valid until the next call.
  std::span<const BodyMotion> frames(CanonicalState& placed);

 private:
  /// Whether nothing follows from the independent coordinates.
  bool all_independent() const;
  bool close_positions(CanonicalState& out);
  bool close_velocities(std::span<const double> independent, CanonicalState& out);
  bool solve_velocities(CanonicalState& out) const;
  bool fail(std::string why) {
    failure_ = std::move(why);
    return false;
  }

  const SystemView& view_;
  double t_;
  const MinimalCoordinates& choice_;
  CanonicalState nominal_;
  ConstraintJacobian jacobian_;
  ModuleStates modules_;
  std::vector<double> delta_, scales_;
  std::string failure_;
};

}  // namespace polyform::host::linearization
