// Back onto the constraints: velocities by projection in the inertia metric.
#pragma once

#include <span>

#include "saddle_point.hpp"

namespace polyform::absolute {

/// Moves the velocities of a model onto its constraints.
class VelocityProjector {
 public:
  /// All arguments outlive the object.
  VelocityProjector(Model& model, LinearProblem& problem, SaddlePoint& solver, Failure& failure)
      : model_(model), problem_(problem), solver_(solver), failure_(failure) {}

  /// As AbsoluteSystem::project_velocities.
  bool project(double t, std::span<BodyMotion> bodies, std::span<double> q, std::span<double> v, double& violation,
               bool after_positions, std::span<const double> eta, std::span<double> etadot,
               std::span<double> states) noexcept;

  /// What is subtracted from the zero block of loops that are nearly closed, in place of projection_epsilon.
  void subtract_from_loops(double epsilon) noexcept { loop_epsilon_ = epsilon; }

 private:
  void start(std::span<const BodyMotion> bodies, std::span<const double> etadot) noexcept;
  bool check_rows(const Remainder&) noexcept;
  void take(std::span<BodyMotion> bodies, std::span<double> etadot, std::span<double> states) noexcept;
  void find_joint_velocities(std::span<double> v) noexcept;

  Model& model_;
  LinearProblem& problem_;
  SaddlePoint& solver_;
  Failure& failure_;
  double loop_epsilon_ = projection_epsilon;
};

}  // namespace polyform::absolute
