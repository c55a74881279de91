#pragma once

#include <vector>

#include "particle_system.hpp"
#include "polyform/centred_view.hpp"
#include "polyform/force_set.hpp"
#include "polyform/formulation.hpp"
#include "polyform/joint_hints.hpp"
#include "polyform/kernels.hpp"
#include "polyform/power_source.hpp"
#include "polyform/second_order.hpp"

namespace polyform::particles {

struct Options {
  bool correct = true;       ///< positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position correction, m and rad
  bool recursive = true;     ///< accelerations of trees from the recursion, not from the sparse system
};

/// State y, in this order:
///   positions of the moving particles (3 each), then their velocities, ground axes;
///   hints: what the positions leave open, integrated from its rate and read by observers only: the sign of each body's
///          quaternion (kept as the quaternion, 4 per body), whole turns of joints (their angles), displacements along
///          turned axes, all coordinates of code-defined joints, the sign of a cut joint's quaternion;
///   left:  per cut joint which of its rows depend on others, found where the loops are closed, see ParticleSystem;
///   x:     first-order states of forces.
class ParticleSolver final : public Solver, public PowerSource, public SecondOrderSystem {
 public:
  ParticleSolver(const SystemView&, const Options&);
  bool good() const { return forces_.good() && system_.good(); }
  /// A body without four places that span a volume, or none.
  std::size_t degenerate_body() const { return layout_.degenerate; }

  std::string_view failure() const noexcept override { return system_.failure(); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view interface_name) noexcept override {
    if (interface_name == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
    if (interface_name == SecondOrderSystem::query_name) return static_cast<SecondOrderSystem*>(this);
    return interface_name == PowerSource::query_name ? static_cast<PowerSource*>(this) : nullptr;
  }
  std::span<const StateKind> kinds() const noexcept override { return kinds_; }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  double power() noexcept override { return forces_.power() + system_.driving_power(); }

 private:
  ~ParticleSolver() = default;
  std::size_t do_state_size() const noexcept override {
    return 6 * layout_.moving + 4 * view_.bodies.size() + hints_.size() + view_.cut_joints().size() + view_.states;
  }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  void read_particles(std::span<const double> y) noexcept;
  void write_particles(std::span<double> y) noexcept;
  void read_hints(std::span<const double> y, bool of_joints) noexcept;
  void write_hints(std::span<double> y) noexcept;
  void write_left_out(std::span<double> y) noexcept;
  void find_kinds();
  void find_position_rates(std::span<double> ydot) noexcept;
  void settle_orientations() noexcept;
  void reset_hints() noexcept;
  double revolute_rate(std::size_t joint) noexcept;
  bool project(double t, Correction&) noexcept;
  bool find_accelerations(double t, std::span<const double> x, std::span<double> xdot, bool all_joints,
                          bool corrected) noexcept;
  bool find_stage_accelerations(double t, std::span<const double> y, std::span<double> xdot) noexcept;
  std::span<const double> states_of(std::span<const double> y) const { return y.last(view_.states); }

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  Options options_;
  Layout layout_;
  ForceSet forces_;
  ParticleSystem system_;
  TreeKinematics tree_;
  JointHints hints_;

  std::vector<Quat> orientations_;     ///< of the bodies, continuous
  std::vector<double> q_, v_, rates_;  ///< of all joints
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_, xdot_;
  KernelList kernels_;  ///< of the SDK: the sparse system is the formulation's own
  std::vector<StateKind> kinds_;  ///< of each number of y
  std::size_t discrete_ = 0;      ///< numbers before the elements' states: signs, and what is left out
};

}  // namespace polyform::particles
