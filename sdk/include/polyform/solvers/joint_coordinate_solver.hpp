// Solvers in joint coordinates: state, forces, loops and observations around a sweep over the spanning tree.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/solvers/joint_dynamics.hpp"
#include "polyform/solvers/joint_lanes.hpp"
#include "polyform/solvers/joint_newton.hpp"
#include "polyform/solvers/joint_observer.hpp"
#include "polyform/solvers/loop_projection.hpp"
#include "polyform/solvers/time_of_states.hpp"

namespace polyform {

/// A solver with the state of joint_state.hpp. Freed by destroy().
class JointCoordinateSolver : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  using MakeSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&)>;
  using MakeLoopedSweep = JointDynamics::MakeSweep;

  /// Solves by the Recursion: trees with loops, constraint elements and flexible bodies.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&);
  /// Solves by another sweep, which is made for the view in which the solver works: trees of rigid bodies.
  JointCoordinateSolver(const SystemView&, const MakeSweep&);
  /// Solves by another sweep that finds the multipliers of the loops itself and has a Recursion for their correction.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&, const MakeLoopedSweep&);
  virtual ~JointCoordinateSolver() = default;

  bool good() const { return dynamics_.good(); }
  std::string_view failure() const noexcept override { return dynamics_.failure().text(); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;
  double power() noexcept override { return observer_.power(); }
  std::span<const StateKind> kinds() const noexcept override { return dynamics_.state().kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 protected:
  /// Brings y back onto the loops at time t, at the end of a step of a system with loops. False, with a failure, if
  /// that is not possible.
  virtual bool return_to_loops(double t, std::span<double> y, Correction& out) noexcept {
    return projection_->close(t, y, out);
  }
  /// Only a solver by the Recursion has one.
  LoopProjection& projection() { return *projection_; }
  LoopClosure& loops() { return dynamics_.loops(); }

  std::size_t do_state_size() const noexcept override { return dynamics_.state().size(); }
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
  struct ByLoopedSweep {};
  JointCoordinateSolver(const SystemView&, ByLoopedSweep, const MakeLoopedSweep&);

  JointDynamics dynamics_;
  JointObserver observer_;
  std::optional<LoopProjection> projection_;
  JointNewton newton_;
  std::optional<JointLanes> lanes_;             ///< of a solver by the Recursion itself
  KernelList kernels_;
  TimeOfStates encoded_;
  std::vector<double> closed_;                  ///< y of a stage, brought onto the loops
  std::vector<std::int32_t> kept_discrete_;     ///< room for the discrete state while a stage is brought there
};

}  // namespace polyform
