// Back onto the constraints: positions by Newton's method in the inertia metric.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/absolute_system.hpp"
#include "saddle_point.hpp"

namespace polyform::absolute {

/// Moves the motions of a model onto its constraints.
class PositionCorrector {
 public:
  /// All arguments outlive the object.
  PositionCorrector(Model&, LinearProblem&, SaddlePoint&, Failure&);

  /// Does what AbsoluteSystem::correct_positions says.
  bool correct(double t, std::span<Pose> poses, std::span<double> q, double tolerance, PositionCorrection&,
               std::span<double> eta, std::span<double> states, bool evaluated) noexcept;

  /// What is subtracted from the zero block of loops that are nearly closed, in place of projection_epsilon.
  void subtract_from_loops(double epsilon) noexcept { loop_epsilon_ = epsilon; }

 private:
  bool find_positions(double t, std::span<Pose> poses, std::span<double> q, double target, double tolerance,
                      PositionCorrection&, bool evaluated) noexcept;
  bool fail_open(std::size_t iterations) noexcept;
  double merit() const noexcept;
  double merit_at(double t, std::span<const Pose>, std::span<double> q) noexcept;
  bool find_step(double worst) noexcept;
  void move(std::span<Pose> poses) noexcept;
  void move_states(double fraction) noexcept;
  double search(double t, std::span<Pose> poses, std::span<double> q, double merit_before) noexcept;
  double start_search(std::span<const double> q) noexcept;
  void go(double fraction, std::span<Pose> poses, std::span<double> q) noexcept;

  Model& model_;
  LinearProblem& problem_;
  SaddlePoint& solver_;
  Failure& failure_;
  double loop_epsilon_ = projection_epsilon;
  TreeKinematics tree_;
  std::vector<Quat> orientations_;
  double extent_ = 0;                  ///< distance between bodies, m
  std::vector<double> start_, rates_;  ///< coordinates before a step from afar, and the step in them
  std::vector<double> start_eta_, eta_step_, start_states_;
  std::vector<double> velocities_;  ///< of joints at rest
};

}  // namespace polyform::absolute
