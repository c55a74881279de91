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
#include "polyform/contract/lost_digits.hpp"
#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/joint_coordinate_source.hpp"
#include "polyform/solvers/joint_failure.hpp"
#include "polyform/solvers/joint_loads.hpp"
#include "polyform/solvers/joint_observer.hpp"
#include "polyform/solvers/joint_placement.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/lane_evaluation.hpp"
#include "polyform/solvers/loop_projection.hpp"
#include "polyform/solvers/newton/tree_newton.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "polyform/solvers/time_of_states.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// A solver with the state of joint_state.hpp. Freed by destroy().
///
/// Most of its functions are those of the six interfaces that it implements. Its members are the parts that share one
/// state: view, sweep, loops, forces, corrections, Newton's matrix, observation.
class JointCoordinateSolver : public Solver, public PowerSource, public SecondOrderSystem, private NewtonMatrix,
                              private NewtonDerivative, private ErrorFilter {
 public:
  using MakeSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&)>;
  using MakeLoopedSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&, LoopClosure&)>;

  /// Solves by the Recursion: trees with loops, constraint elements and flexible bodies.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&);
  /// Solves by another sweep, which is made for the view in which the solver works: trees of rigid bodies.
  JointCoordinateSolver(const SystemView&, const MakeSweep&);
  /// Solves by another sweep that finds the multipliers of the loops itself and has a Recursion for their correction.
  JointCoordinateSolver(const SystemView&, const LoopCorrection&, const MakeLoopedSweep&);
  virtual ~JointCoordinateSolver() = default;

  bool good() const { return loads_.good() && flexible_.good() && loops_.good(); }
  std::string_view failure() const noexcept override { return failure_.text(); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;
  double power() noexcept override { return observer_.power(); }
  std::span<const StateKind> kinds() const noexcept override { return state_.kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 protected:
  /// Brings y back onto the loops at time t, at the end of a step of a system with loops. False, with a failure, if
  /// that is not possible.
  virtual bool return_to_loops(double t, std::span<double> y, Correction& out) noexcept {
    return projection_->close(t, y, out);
  }
  /// Only a solver by the Recursion has one.
  LoopProjection& projection() { return *projection_; }
  LoopClosure& loops() { return loops_; }

  std::size_t do_state_size() const noexcept override { return state_.size(); }
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
  // Of a system that TreeNewton carries: in its sweep no rows stand in for inertia. What it takes is made when it is
  // first asked for.
  bool has_newton_matrix() const { return TreeNewton::carries(view_) && !loops_.completes_inertia(); }
  NewtonMatrix* newton_matrix() noexcept;
  // nullptr unless the solver runs the Recursion and LaneEvaluation carries its system. The lanes are made when they
  // are first asked for.
  LaneWorld* lane_world() noexcept;
  BatchEvaluation* batch_evaluation() noexcept;
  // The same, and of this class itself: the source knows nothing of corrections that others make.
  JointCoordinateSource* source() noexcept;
  Status linearize(double t, std::span<const double> y) noexcept override;
  Status prepare(double gamma) noexcept override;
  Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  /// Filters an error of accelerations as Newton's solutions do.
  void apply(std::span<double> error) noexcept override;
  Status prepare_complex(double real, double imaginary) noexcept override;
  void solve(std::span<double> x) noexcept override { newton_->solve(x); }
  void solve_complex(std::span<double> real, std::span<double> imaginary) noexcept override {
    newton_->solve(real, imaginary);
  }

  struct ByLoopedSweep {};
  JointCoordinateSolver(const SystemView&, ByLoopedSweep, const MakeLoopedSweep&);

  Status solve(double t, std::span<const double> y, const JointRates&, bool observing, PlacedState&) noexcept;
  void decode(std::span<const double> y, const PlacedState&, const StateView&) noexcept;
  Status find_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept;
  void find_position_rates(std::span<const double> y, const PlacedState&, std::span<double> ydot) noexcept;

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  JointState state_;
  DiscreteValues discrete_;
  RowsLeftOut left_out_;                        ///< per loop
  std::vector<std::int32_t> kept_discrete_;     ///< room for discrete_ while a stage is brought onto the loops
  FlexibleLinks flexible_;
  LoopClosure loops_;
  std::unique_ptr<TreeSweep> sweep_;
  JointPlacement placement_;
  JointLoads loads_;
  JointFailure failure_;
  JointObserver observer_;
  std::optional<LoopProjection> projection_;
  std::vector<double> closed_;       ///< y of a stage, brought onto the loops
  LostDigits lost_;
  KernelList kernels_;
  TimeOfStates encoded_;
  std::unique_ptr<TreeNewton> newton_;
  bool newton_prepared_ = false;
  std::vector<double> newton_rates_, newton_error_;
  std::vector<Spatial> newton_cuts_;   ///< what each cut joint transmits
  bool by_recursion_ = false;          ///< the accelerations are those of the Recursion itself
  LaneWorld lane_world_;
  std::unique_ptr<LaneEvaluation> lanes_;
  JointCoordinateSource source_;
};

}  // namespace polyform
