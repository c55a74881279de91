// Quantities that follow from accelerations and multipliers: reactions, accelerations of joints, rates of modules.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/absolute/model.hpp"

namespace polyform {

/// A solution of the equations of motion. AbsoluteSystem gives it when it has found one; it is valid until the next
/// evaluation.
class AbsoluteAccelerations {
 public:
  /// solution: x and −λ. Both outlive the object.
  AbsoluteAccelerations(const absolute::Model&, std::span<const double> solution);
  /// To be called after a solution has been found. applied: efforts on the velocity coordinates of all joints.
  void found(std::span<const double> applied) noexcept;

  /// x of all blocks: accelerations of the mass centres (of flexible bodies: of the frame origins; angular, linear;
  /// ground axes) and η̈, rates of modules' variables.
  std::span<const double> of_blocks() const { return solution_.first(model_.blocks.unknowns()); }
  /// Acceleration of the mass centre of a body (of a flexible one: of the frame origin).
  Spatial of_center(std::size_t body) const noexcept;
  /// Acceleration of the frame origin of a body.
  Spatial of_origin(std::size_t body) const noexcept;
  /// η̈ of all modes.
  void modal_accelerations(std::span<double> etaddot) const noexcept;
  /// d/dt of the velocity coordinates of all joints.
  void joint_accelerations(std::span<double> vdot) const noexcept;
  /// Writes the rates of the modules' u and x to their places among the first-order states.
  void module_rates(std::span<double> xdot) const noexcept;

  /// What a joint transmits to its moving body at the origin of M, ground axes: constraint force, joint effort and the
  /// force of constraint elements on its velocity coordinates.
  Spatial reaction(std::size_t joint) const noexcept;
  /// Multipliers of the rows of all modules.
  void module_multipliers(std::span<double> out) const noexcept;
  /// Writes λ + effort of constraint elements as in Observation::constraint_multipliers; zero for rows that do not
  /// count.
  void constraint_multipliers(std::span<double> out) const noexcept;
  /// The power of constraint elements and modules whose rows ask for a velocity: (λ + effort) · right-hand side of the
  /// velocities, W.
  double driving_power() const noexcept;
  /// The power that drives joints that depend on time, W. q, reactions: of all joints.
  double clock_power(const RheonomicJoints&, std::span<const double> q,
                     std::span<const Spatial> reactions) const noexcept;

 private:
  double multiplier(std::size_t row) const { return -solution_[model_.blocks.row_at(row)]; }
  Spatial of_frame(FrameIndex) const noexcept;

  const absolute::Model& model_;
  std::span<const double> solution_;
  std::vector<double> efforts_;  ///< on the joints, those of constraint elements included
};

}  // namespace polyform
