// The solver: what the host asks for, from the parts that find it.
#pragma once

#include <vector>

#include "accelerations.hpp"
#include "encoding.hpp"
#include "generalized_forces.hpp"
#include "options.hpp"
#include "placed_tree.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/time_of_states.hpp"
#include "projection.hpp"
#include "reactions.hpp"
#include "reductions.hpp"
#include "shown_equations.hpp"

namespace polyform::thompson {

/// The state vector is that of euler_angles.hpp. Velocities are those of the joints in either construction; the q̇2 of
/// the null space are made anew at each evaluation.
/// Its members are the parts of one solver, which share its state.
class ThompsonSolver final : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  ThompsonSolver(const SystemView&, const Options&);
  bool good() const { return forces_.good() && closing_.good() && reductions_.mass().good(); }

  std::string_view failure() const noexcept override { return failure_.text(); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
    if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
    if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
    if (asked == StateTime::interface_name) return static_cast<StateTime*>(&encoded_);
    if (asked == EquationMatrices::interface_name) return static_cast<EquationMatrices*>(&shown_);
    // What drives joints that depend on time shows in their reactions, which only observations find.
    const bool tells_power = asked == PowerSource::interface_name && rheonomic_.empty();
    return tells_power ? static_cast<PowerSource*>(this) : nullptr;
  }
  double power() noexcept override;
  std::span<const StateKind> kinds() const noexcept override { return encoding_.kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 private:
  ~ThompsonSolver() = default;

  std::size_t do_state_size() const noexcept override { return encoding_.size(); }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  void read(std::span<const double> y) noexcept { encoding_.read(y, tree_, reductions_.loops()); }
  bool take(double t, const ConstStateView&) noexcept;
  bool find_accelerations(double t, std::span<double> xdot, bool with_H1) noexcept;
  bool find_rates(double t) noexcept;
  void observe_accelerations(Observation&) noexcept;
  double given_power() const noexcept;
  std::span<const double> etaddot() const {
    return accelerations_.udot().subspan(reductions_.tree().joint_coordinates(), view_.modes);
  }

  KernelList kernels_;  ///< none of the SDK's
  TimeOfStates encoded_;
  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  RheonomicJoints rheonomic_{view_};
  bool project_;  ///< positions and velocities return to the constraints
  ClosingConstraints closing_;
  Reductions reductions_;
  DiscreteValues discrete_{view_};
  Encoding encoding_;
  MovingTree tree_;
  GeneralizedForces forces_;
  Accelerations accelerations_;
  Failure failure_;
  Projection projection_;
  Reactions reactions_;
  ShownEquations shown_;
  std::vector<double> joint_rates_;  ///< ẏ as of JointState
  /// What an observation needs.
  struct Observing {
    std::vector<double> xdot;
    std::vector<Quat> orientations;
    std::vector<Spatial> of_bodies;  ///< accelerations of the frame origins, then of the nodes
  } observing_;
};

}  // namespace polyform::thompson
