// Solvers in joint coordinates: state, forces, loops and observations around a sweep over the spanning tree.
//
// The parts of such a solver (joint_dynamics.hpp, loop_closure.hpp, recursion.hpp …) are not installed; only
// formulations of this tree include them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/solvers/loop_correction.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

// Two of the parts. What takes or gives them is for the formulations of this tree.
class LoopClosure;
class LoopProjection;

/// A solver with the state y = [q v η η̇ x c]: coordinates and velocities of the tree joints, modes and their rates,
/// first-order states of elements, coordinates of the cut joints (JointState). Freed by destroy().
class JointCoordinateSolver : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  using MakeSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&)>;
  using MakeLoopedSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&, LoopClosure&)>;

  /// Solves by the Recursion: trees with loops, constraint elements and flexible bodies.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&);
  /// Solves by another sweep, which is made for the view in which the solver works: trees of rigid bodies.
  JointCoordinateSolver(const SystemView&, const MakeSweep&);
  /// Solves by another sweep that finds the multipliers of the loops itself and has a Recursion for their correction.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&, const MakeLoopedSweep&);
  virtual ~JointCoordinateSolver();

  bool good() const;
  std::string_view failure() const noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;
  double power() noexcept override;
  std::span<const StateKind> kinds() const noexcept override;
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 protected:
  /// Brings y back onto the loops at time t, at the end of a step of a system with loops. False, with a failure, if
  /// that is not possible.
  virtual bool return_to_loops(double t, std::span<double> y, Correction& out) noexcept;
  /// Only a solver by the Recursion has one.
  LoopProjection& projection();
  LoopClosure& loops();

  std::size_t do_state_size() const noexcept override;
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  /// The stages of an integrator lie off the loops by the square of the step. Near a singular position that would be
  /// blown up: there the derivative is that of the nearest closed state, in the metric of the inertia. So the work of
  /// bringing a stage back is no more than that of the constraint forces that the stage went without.
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  /// Joint coordinates of a tree satisfy every joint: only the lengths of quaternions and the closed loops drift.
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform
