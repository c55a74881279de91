// Solvers whose state is the poses of all bodies: state, forces, corrections and observations around the equations of
// motion of AbsoluteSystem. A formulation says how it solves them.
#pragma once

#include <vector>

#include "polyform/solvers/absolute/applied_loads.hpp"
#include "polyform/solvers/absolute/state.hpp"
#include "polyform/solvers/absolute_system.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/time_of_states.hpp"
#include "polyform/contract/equations.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform {

/// State y, in this order:
///   per body 13: mass centre (3), orientation as quaternion (4), angular velocity (3), velocity of the mass
///                centre (3), all in ground axes; of a flexible body the frame origin instead of the mass centre;
///   η, η̇:        of all modes;
///   hints:       joint coordinates that the poses leave open, integrated from their rates: angles (whole turns), all
///                coordinates of code-defined joints;
///   x:           first-order states of forces and modules.
///
/// Discrete states of its own: the signs of the cut joints' quaternions. Most of its functions are those of the four
/// interfaces that it implements.
class AbsoluteSolver : public Solver, public Equations, public PowerSource, public SecondOrderSystem {
 public:
  std::string_view failure() const noexcept override { return failure_; }
  void* query(std::string_view asked) noexcept override;
  double power() noexcept override;
  std::span<const StateKind> kinds() const noexcept override { return state_.kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

  std::size_t blocks() const noexcept override { return system_.equations().blocks(); }
  void describe_block(std::size_t i, Block& out) const noexcept override {
    out.name = system_.equations().name_of_block(i);
    out.unknowns = system_.equations().size(i);
  }
  std::size_t constraints() const noexcept override { return system_.equations().constraints(); }
  void describe_constraint(std::size_t i, Constraint& out) const noexcept override {
    out.kind = system_.equations().kind_of_constraint(i);
    out.name = system_.equations().name_of_constraint(i);
    out.rows = system_.equations().rows(i);
  }
  std::size_t levels() const noexcept override { return 0; }
  std::size_t module_of(std::size_t, std::size_t) const noexcept override { return 0; }

 protected:
  /// project: positions and velocities return to the constraints after each step, to the tolerance (m and rad). absent:
  /// per constraint of AbsoluteSystem, whether its rows do not count; or empty.
  AbsoluteSolver(const SystemView&, bool project, double tolerance, const std::vector<bool>& absent = {});
  ~AbsoluteSolver() = default;
  bool made() const { return applied_.forces().good() && system_.good(); }

  /// Solves the equations of motion at the evaluated motions. wrenches, efforts, modal_forces: as in
  /// AbsoluteSystem::accelerations. nullptr after fail().
  virtual const AbsoluteAccelerations* solve(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                             std::span<const double> modal_forces, Accelerations) noexcept = 0;
  /// Whether the accelerations just found meet all rows, those that depend on others too. False after fail().
  virtual bool check_rows() noexcept = 0;
  /// Whether the inertia determines all accelerations at the evaluated motions. False after fail().
  virtual bool check_regular() noexcept = 0;
  bool fail(std::string_view why) noexcept {
    failure_ = why;
    return false;
  }
  const SystemView& view() const { return view_; }
  AbsoluteSystem& system() { return system_; }
  const AbsoluteSystem& system() const { return system_; }

 private:
  std::size_t do_state_size() const noexcept override { return state_.size(); }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;
  Status do_form(double t, const ConstStateView&, EquationValues&) noexcept override;

  void read(std::span<const double> y) noexcept;
  const AbsoluteEquations& evaluate(double t) noexcept;
  void find_loads(double t) noexcept;
  bool find_accelerations(double t, Accelerations) noexcept;
  void find_state_rates(std::span<double> xdot) const noexcept;
  void find_loads_off_constraints(double t) noexcept;
  bool solve_for_loads(Accelerations) noexcept;
  bool project(double t, std::span<const double> y, bool evaluated, Correction&) noexcept;

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  AbsoluteSystem system_;
  DiscreteValues discrete_{view_};
  absolute::AppliedLoads applied_;
  absolute::State state_;
  RheonomicJoints rheonomic_{view_};
  const AbsoluteAccelerations* found_ = nullptr;  ///< the last ones that were found
  bool project_;
  double tolerance_;
  /// Whether derivative() solves the equations of motion at the projection of y onto the constraints. The stages of an
  /// integrator lie off them by the square of the step. If loops are near a singular position (or have redundant
  /// constraints), so large a contradiction, divided by a nearly vanishing pivot, would spoil the accelerations. What
  /// acts is taken at y itself: the projection turns bodies against each other by as much as y violates constraints,
  /// and a stiff spring between them would answer to that, though the stage has left it as it was.
  bool project_stages_ = false;

  /// What an observation needs in addition to the state.
  struct Shown {
    std::vector<Quat> orientations;
    std::vector<Spatial> accelerations;
    std::vector<double> state_rates;
  };
  Shown shown_;
  std::vector<std::int32_t> kept_discrete_;  ///< room for discrete_ while equations are formed at another state
  KernelList kernels_;
  TimeOfStates encoded_;
  std::string_view failure_;
};

}  // namespace polyform
