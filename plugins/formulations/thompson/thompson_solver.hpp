// The solver: kinematics, forces, the two reductions, the equations of motion, and what is observed of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "closing_rows.hpp"
#include "equations.hpp"
#include "euler_angles.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/solvers/mending.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::thompson {

enum class Form { reduced, implicit_1, implicit_2 };

struct Options {
  Construction construction = Construction::velocity;
  Form form = Form::reduced;
  std::vector<EulerSequence> sequences;
  bool project = true;       ///< positions and velocities return to the constraints after each step
  double tolerance = 1e-10;  ///< largest position residual that is left: m, rad
};

/// The state vector is that of euler_angles.hpp. Velocities are those of the joints in either construction; the q̇2 of
/// the null space are made anew at each evaluation.
class ThompsonSolver final : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  ThompsonSolver(const SystemView&, Options);
  bool good() const { return forces_.good() && closing_.good(); }

  std::string_view failure() const noexcept override { return failure_; }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
    if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
    return asked == PowerSource::interface_name ? static_cast<PowerSource*>(this) : nullptr;
  }
  double power() noexcept override;
  std::span<const StateKind> kinds() const noexcept override { return vector_.kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 private:
  ~ThompsonSolver() = default;
  using Level = ClosingRows::Level;

  std::size_t do_state_size() const noexcept override { return vector_.size(); }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  // thompson_solver.cpp
  void read(std::span<const double> y) noexcept;
  bool write(double t, std::span<double> y) noexcept;
  void place(double t) noexcept;
  bool construct(bool with_H1) noexcept;
  void find_forces(double t, std::span<double> xdot) noexcept;
  void add_wrench(BodyIndex, const Spatial& about_origin) noexcept;
  void add_effort(const JointData&, const JointMotion&, const double* effort) noexcept;
  bool find_accelerations(double t, std::span<double> xdot, bool with_H1) noexcept;
  void mend(const Problem&) noexcept;
  bool find_rates(double t, std::span<double> xdot) noexcept;
  void find_position_rates() noexcept;
  const JointMotion& motion_of_joint(std::size_t j) const noexcept;
  std::size_t joint_of(std::size_t coordinate) const noexcept;
  bool fail_massless(std::size_t coordinate) noexcept;
  bool fail_angles(double t, std::size_t sequence, std::string_view what) noexcept;

  // thompson_correct.cpp
  bool close(double t, Correction&) noexcept;
  bool find_step(Level) noexcept;
  void find_left_out() noexcept;
  bool cannot_close(std::size_t steps) noexcept;
  bool is_abrupt(double change, double speed) noexcept;
  /// Whether dependent rows show: their pivots are of the size of the residual.
  bool is_closed() const noexcept { return closing_.position_violation() < 1e6 * closing_.position_rounding(); }

  // thompson_observe.cpp
  void find_multipliers() noexcept;
  void find_reactions(std::span<Spatial> out) noexcept;
  double acting() const noexcept;
  void observe_bodies(Observation&) noexcept;
  void observe_cut_joints(Observation&) noexcept;

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  Options options_;
  Yardstick yardstick_;
  H2 h2_;
  SecondReduction reduction_;
  ClosingRows closing_;
  ReducedForm reduced_;
  std::optional<ImplicitForm> implicit_;
  DiscreteValues discrete_{view_};
  StateVector vector_;
  RowsLeftOut left_out_{discrete_};  ///< per group of the closing rows
  ForceSet forces_;
  TreeKinematics tree_;
  bool loads_joints_ = false;

  std::vector<double> joints_, joint_rates_;  ///< y and ẏ as of JointState
  std::vector<double> q_, v_, efforts_;       ///< of all joints
  std::vector<double> vdot_, xdot_, udot_, step_, zero_;
  std::vector<double> multipliers_, carried_;  ///< of all closing rows, without and with what is given; per q̇2
  std::vector<double> kept_;                   ///< ẏ, of which the positions are asked for
  std::vector<Spatial> wrenches_;
  BodyVectors Q_, qddot_, gamma_, reaction_forces_;
  Mending mending_{1e-10};                     ///< as of Recursion
  BodyVectors steps_;                          ///< of q̈
  std::vector<Spatial> accelerations_, change_;
  std::vector<Quat> orientations_;
  std::string failure_;
};

}  // namespace polyform::thompson
