#pragma once

#include <vector>

#include "polyform/absolute_system.hpp"
#include "polyform/force_set.hpp"
#include "polyform/formulation.hpp"

namespace polyform::cartesian {

struct Options {
  bool project = true;       ///< correct positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position projection, m and rad
};

/// State y, in this order:
///   per body 13: mass centre (3), orientation as quaternion (4), angular velocity (3), velocity of the mass centre
///   (3),
///                all in ground axes;
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
  std::size_t do_state_size() const noexcept override { return 13 * poses_.size() + hints_ + view_.states; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  /// Joint coordinates first_q … first_q + count − 1 are kept in y.
  struct Hint {
    std::size_t joint, first_q, count;
  };
  /// The quaternion at first_q of a joint follows from those of the bodies, up to a sign for a cut joint.
  struct Ball {
    std::size_t joint, first_q;
    Quat drawn;
    bool signed_by_hint;
  };

  void find_hints();
  void read_bodies(std::span<const double> y) noexcept;
  void write_bodies(std::span<double> y) const noexcept;
  void read_hints(std::span<const double> y) noexcept;
  void write_hints(std::span<double> y) const noexcept;
  Quat joint_quaternion(const Ball&) const noexcept;
  bool project(double t, std::span<const double> y, Correction&) noexcept;
  bool find_accelerations(double t, std::span<const double> x, std::span<double> xdot) noexcept;
  std::span<const double> states_of(std::span<const double> y) const { return y.last(view_.states); }

  const SystemView& view_;
  Options options_;
  AbsoluteSystem system_;
  ForceSet forces_;
  TreeKinematics tree_;
  std::vector<Hint> angles_;
  std::vector<Ball> balls_;
  std::size_t hints_ = 0;
  /// Whether derivative() works at the projection of y onto the constraints. The stages of an integrator lie beside
  /// them by the square of the step, and where loops are near a singular position (or have redundant constraints)
  /// that much contradiction divided by a nearly vanishing pivot would spoil the accelerations.
  bool project_stages_ = false;

  std::vector<Pose> poses_;             ///< of the body frames
  std::vector<BodyMotion> motions_;
  std::vector<Quat> orientations_;      ///< as encoded
  std::vector<double> q_, v_, rates_;   ///< of all joints
  std::vector<double> signs_;           ///< of the quaternions of cut joints, in the order of balls_
  std::vector<Spatial> wrenches_, accelerations_;
  std::vector<double> efforts_, xdot_;
};

}  // namespace polyform::cartesian
