#pragma once

#include <vector>

#include "polyform/absolute_system.hpp"
#include "polyform/force_set.hpp"
#include "polyform/formulation.hpp"
#include "polyform/joint_hints.hpp"

namespace polyform::cartesian {

struct Options {
  bool project = true;       ///< correct positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position projection, m and rad
};

/// State y, in this order:
///   per body 13: mass centre (3), orientation as quaternion (4), angular velocity (3), velocity of the mass centre
///   (3),
///                all in ground axes; of a flexible body the frame origin instead of the mass centre;
///   η, η̇:        of all modes;
///   hints:       joint coordinates that the poses leave open, integrated from their rates: angles (whole turns), all
///                coordinates of code-defined joints, the sign of a cut joint's quaternion;
///   x:           first-order states of forces.
class CartesianSolver final : public Solver {
 public:
  CartesianSolver(const SystemView&, const Options&);
  bool good() const { return forces_.good() && system_.good(); }

  std::string_view failure() const noexcept override { return system_.failure(); }
  void destroy() noexcept override { delete this; }

 private:
  ~CartesianSolver() = default;
  std::size_t do_state_size() const noexcept override { return hints_at() + hints_.size() + view_.states; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  void read(std::span<const double> y) noexcept;
  void write(std::span<double> y) const noexcept;
  std::size_t hints_at() const { return 13 * poses_.size() + 2 * view_.modes; }
  Vec3 center_of(std::size_t body) const {
    return view_.bodies[body].flexible == rigid ? view_.bodies[body].center_of_mass : Vec3{};
  }
  void put_state(std::span<const double> y, const StateView&) const noexcept;
  bool project(double t, std::span<const double> y, Correction&) noexcept;
  bool find_accelerations(double t, std::span<const double> x, std::span<double> xdot) noexcept;
  std::span<const double> states_of(std::span<const double> y) const { return y.last(view_.states); }

  const SystemView& view_;
  Options options_;
  AbsoluteSystem system_;
  ForceSet forces_;
  TreeKinematics tree_;
  JointHints hints_;
  /// Whether derivative() works at the projection of y onto the constraints. The stages of an integrator lie beside
  /// them by the square of the step, and where loops are near a singular position (or have redundant constraints)
  /// that much contradiction divided by a nearly vanishing pivot would spoil the accelerations.
  bool project_stages_ = false;

  std::vector<Pose> poses_;             ///< of the body frames
  std::vector<BodyMotion> motions_;
  std::vector<Quat> orientations_;      ///< of bodies and nodes, continuous
  std::vector<double> eta_, etadot_;
  std::vector<double> q_, v_, rates_;   ///< of all joints
  std::vector<Spatial> wrenches_, accelerations_;
  std::vector<double> efforts_, modal_forces_, etaddot_, xdot_;
};

}  // namespace polyform::cartesian
