// The solver: what the host asks for, from the parts that find it.
#pragma once

#include <memory>
#include <vector>

#include "equations.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "polyform/solvers/time_of_states.hpp"
#include "reactions.hpp"
#include "shown_particles.hpp"
#include "state_vector.hpp"

namespace polyform::particles {

struct Options {
  bool correct = true;       ///< positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position correction, m and rad
  bool recursive = true;     ///< accelerations of trees from the recursion, not from the sparse system
  bool printed = false;      ///< from the full system of the paper, which carries the model
};

/// The state vector is that of StateVector. Discrete states of its own: the signs of the cut joints' quaternions, and
/// per cut joint which of its rows depend on others, found where the loops are closed, see Equations.
/// Its members are the parts of one solver, which share its state.
class ParticleSolver final : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  ParticleSolver(const SystemView&, const Options&);
  bool good() const { return forces_.forces().good() && equations_->good(); }
  /// A body without four places that span a volume, or none.
  std::size_t degenerate_body() const { return layout_.degenerate; }

  std::string_view failure() const noexcept override { return equations_->failure(); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
    if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
    if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
    if (asked == StateTime::interface_name) return static_cast<StateTime*>(&encoded_);
    if (asked == ParticleModel::interface_name) return static_cast<ParticleModel*>(&shown_);
    // The power that drives joints with a function of time follows from their reactions, which only observations find.
    const bool tells_power = asked == PowerSource::interface_name && rheonomic_.empty();
    return tells_power ? static_cast<PowerSource*>(this) : nullptr;
  }
  std::span<const StateKind> kinds() const noexcept override { return state_.kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  double power() noexcept override {
    const ModuleSet* modules = equations_->modules();
    return forces_.forces().power() + equations_->driving_power() + (modules == nullptr ? 0 : modules->power());
  }

 private:
  ~ParticleSolver() = default;
  std::size_t do_state_size() const noexcept override { return state_.size(); }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  void make_equations();
  void read(std::span<const double> y, bool of_joints) noexcept;
  void keep_left_out() noexcept;
  bool project(double t, Correction& out) noexcept {
    return equations_->project(t, motion_, joints(), options_.tolerance, out);
  }
  bool find_accelerations(double t, std::span<double> xdot, bool all_joints, bool corrected) noexcept;
  bool find_stage_accelerations(double t, std::span<const double> y, std::span<double> xdot) noexcept;
  JointValues joints() noexcept { return {q_, v_, x_}; }

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  RheonomicJoints rheonomic_{view_};
  Options options_;
  Layout layout_;
  ShownParticles shown_{view_, layout_};
  DiscreteValues discrete_{view_};
  StateVector state_;
  RowsLeftOut left_out_{discrete_};  ///< per cut joint
  ActingForces forces_;
  std::unique_ptr<Equations> equations_;
  Reactions reactions_;
  KernelList kernels_;  ///< of the SDK: the sparse system is the formulation's own
  TimeOfStates encoded_;

  ParticleMotion motion_;
  std::vector<Vec3> accelerations_;  ///< of the particles
  std::vector<double> q_, v_;        ///< of all joints
  std::vector<double> x_;            ///< first-order states, as read or corrected
  std::vector<double> xdot_;         ///< of an observation
};

}  // namespace polyform::particles
