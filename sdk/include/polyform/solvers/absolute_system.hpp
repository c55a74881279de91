// All bodies free, all joints as constraints: the equations of motion in absolute coordinates,
//
//   [M  Aᵀ] [ẋ ]   [f]     x: per body the angular velocity and the velocity of the mass centre, ground axes,
//   [A  0 ] [−λ] = [b]     so that M is block diagonal: diag(J, m 1)
//
// solved as a sparse symmetric system with a cost linear in the bodies for chains, trees and ladders of loops.
// Constraints may be redundant (A without full row rank) and M singular, as long as the motion is determined: a
// quasi-definite neighbour of the matrix is factorized, and iterative refinement against the true matrix removes the
// difference. The multipliers of redundant rows are those of least norm (in a metric of the bodies' masses). If masses
// differ by so much that no neighbour is near enough, the matrix itself is factorized with twice the digits, without
// the rows that depend on others.
//
// For a flexible body x holds the angular velocity, the velocity of the frame origin and η̇, 6 + m in all.
//
// A module is a block of its own: x holds the rates of its variables u, M and f are its own, its rows stand in A.
//
// It serves formulations in absolute coordinates, which may solve the equations in a way of their own, and the host:
// closing loops, projecting velocities in the inertia metric.
//
// The parts are classes with a state of their own, in the folder absolute: blocks of unknowns and constraints (the
// structure), motions, inertia (M) and rows (A, b), which together are the model; scales; loads (f); factors, residual,
// refinement (saddle_point), the same with twice the digits (fine_solver); correction of positions and velocities;
// checks.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/solvers/absolute_accelerations.hpp"
#include "polyform/solvers/absolute_equations.hpp"

namespace polyform {

struct PositionCorrection {
  double residual_before = 0, residual = 0;  ///< largest constraint residual (rad, m)
  std::size_t iterations = 0;                ///< Newton steps
};

/// One object per thread; nothing allocates after construction. Functions that can fail return false or null and leave
/// a sentence in failure(). Constraints are those of all joints, of all constraint elements and of all modules of the
/// view: its constraints, in this order.
class AbsoluteSystem {
 public:
  /// absent: per constraint, whether its rows do not count; or empty. origin: the point from which positions count, for
  /// the elements. The view outlives the object.
  explicit AbsoluteSystem(const SystemView& view, const std::vector<bool>& absent = {}, const Vec3& origin = {});
  ~AbsoluteSystem();

  /// Whether all constraint elements, flexible bodies and modules could be made.
  bool good() const noexcept;
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept;
  /// Blocks and constraints, and the numbers last evaluated.
  const AbsoluteEquations& equations() const noexcept;
  const FlexibleSet& flexible() const noexcept;
  const ModuleSet& modules() const noexcept;

  /// Moves the bodies onto the constraints: Newton's method in the inertia metric, from near or far (steps are
  /// limited). poses: of the body frames, in and out; the quaternions stay continuous. q: coordinates of all joints,
  /// hints on entry; eta: of all modes, in and out. states: first-order states; those that are integrals of modules'
  /// variables are moved too. Without states, rows of modules ask nothing. Succeeds if the largest residual is at most
  /// tolerance, after going on to round-off. evaluated: evaluate_positions has just been called with this state.
  bool correct_positions(double t, std::span<Pose> poses, std::span<double> q, double tolerance, PositionCorrection&,
                         std::span<double> eta = {}, std::span<double> states = {}, bool evaluated = false) noexcept;
  /// The velocities nearest to the given ones in the inertia metric that respect the constraints at the given poses:
  /// min ½ (x − x₀)ᵀ M (x − x₀) subject to A x = right. bodies: V in and out; etadot too. q: hints on entry; q, v: the
  /// joints' coordinates and velocities afterwards. violation: the largest before. after_positions: the poses are those
  /// that correct_positions has just left, whose factors still serve. states: first-order states; the modules' u are
  /// moved too. Without states, rows of modules ask nothing.
  bool project_velocities(double t, std::span<BodyMotion> bodies, std::span<double> q, std::span<double> v,
                          double& violation, bool after_positions = false, std::span<const double> eta = {},
                          std::span<double> etadot = {}, std::span<double> states = {}) noexcept;

  /// Constraints, inertia and joint coordinates at these motions; q holds hints on entry. states: first-order states of
  /// the system, read for modules; without them, rows of modules ask nothing.
  const AbsoluteEquations& evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q,
                                    std::span<double> v, std::span<const double> eta = {},
                                    std::span<const double> etadot = {}, std::span<const double> states = {}) noexcept;
  /// The same for what positions violate: inertia and joint coordinates are those of evaluate(), and rows ask what
  /// correct_positions needs. Not for accelerations().
  const AbsoluteEquations& evaluate_positions(double t, std::span<const BodyMotion> bodies, std::span<double> q,
                                              std::span<double> v, std::span<const double> eta,
                                              std::span<const double> etadot, std::span<const double> states) noexcept;
  /// Accelerations at the evaluated motions, or null. wrenches: applied, about the mass centres (of flexible bodies:
  /// the frame origins), without gravity and gyroscopic terms; efforts: on the velocity coordinates of all joints;
  /// modal_forces: applied, of all modes.
  const AbsoluteAccelerations* accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                             std::span<const double> modal_forces = {},
                                             Accelerations = Accelerations::shown) noexcept;
  /// The first and the last part of accelerations(), for a solution that is found by other means: set f of the
  /// equations, φ included; then set a solution x, λ of them.
  void set_loads(std::span<const Spatial> wrenches, std::span<const double> efforts,
                 std::span<const double> modal_forces = {}) noexcept;
  const AbsoluteAccelerations& set_solution(std::span<const double> x, std::span<const double> multipliers) noexcept;

  /// Whether the accelerations just found (or set) meet all rows, dependent rows included; if not, failure() names the
  /// joint or element. A row that nearly depends on others needs to be met only in part (solvers/contradiction.hpp).
  /// given_way: what rows that are not rigid may miss, or empty. Do not call this at stages of an integrator: a stage
  /// may come so near to a singular position that a row counts as dependent there, and would be called a contradiction.
  /// States at the ends of steps are corrected first, so they do not come so near.
  bool check_rows(std::span<const double> given_way = {}) noexcept;
  /// Whether the evaluated motions and rows are finite: false names the joint or element in failure() that is not.
  bool check_finite() noexcept;
  /// The part by which rows that accelerations leave out, because they depend on others, are independent of them at the
  /// evaluated motions, relative to the row; zero where that is rounding. It costs a factorization.
  double nearly_dependent() noexcept;
  /// Where there are such rows at the evaluated motions, corrections from now on leave what is missed of them, as
  /// accelerations do. The first call decides, at the start: it would depend on the way to a later state.
  void look_at_dependent_rows() noexcept;
  /// Accelerations for the loads that were set, with twice the digits and without such rows; or null where that cannot
  /// be done.
  const AbsoluteAccelerations* accelerations_with_twice_the_digits() noexcept;
  /// Whether the inertia determines all accelerations at the evaluated motions: false names a body in failure() that
  /// has no mass or inertia for a motion which the joints leave free.
  bool check_regular() noexcept;

  /// Why the last call failed, naming the body or joint; empty after success.
  std::string_view failure() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform
