#pragma once

#include <vector>

#include "level_view.hpp"
#include "polyform/absolute_system.hpp"
#include "polyform/force_set.hpp"
#include "polyform/formulation.hpp"
#include "polyform/joint_hints.hpp"
#include "recursion.hpp"

namespace polyform::hierarchy {

struct Options {
  Method method = Method::udwadia_kalaba;
  bool project = true;       ///< correct positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position projection, m and rad
};

/// The hierarchy of a model, cut off at a level: what is found before any state is known.
struct Plan {
  std::vector<Tie> ties;
  MergeTree tree;
  std::size_t level = 0;  ///< the last one that counts
  std::vector<BodyInertia> inertia;
  std::vector<double> noise;  ///< R of the joints (4.17), per tie; empty without clearance
};

/// State y, in this order:
///   per body 13: mass centre (3), orientation as quaternion (4), angular velocity (3), velocity of the mass centre
///   (3), all in ground axes;
///   hints:       joint coordinates that the poses leave open, integrated from their rates (JointHints);
///   x:           first-order states of forces.
class HierarchySolver final : public Solver {
 public:
  HierarchySolver(const SystemView&, Plan, const Options&);
  bool good() const { return forces_.good() && rows_.good() && system_.good(); }

  std::string_view failure() const noexcept override { return failure_; }
  void destroy() noexcept override { delete this; }

 private:
  ~HierarchySolver() = default;
  std::size_t do_state_size() const noexcept override { return 13 * poses_.size() + hints_.size() + view_.states; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  void read_bodies(std::span<const double> y) noexcept;
  void write_bodies(std::span<double> y) const noexcept;
  bool project(double t, std::span<const double> y, Correction&) noexcept;
  bool find_accelerations(double t, std::span<const double> x, std::span<double> xdot) noexcept;
  const double* hints_of(std::span<const double> y) const { return y.data() + 13 * poses_.size(); }
  std::span<const double> states_of(std::span<const double> y) const { return y.last(view_.states); }

  const SystemView& view_;
  Options options_;
  Plan plan_;
  LevelView level_;
  ConstraintRows rows_;
  Recursion recursion_;
  AbsoluteSystem system_;  ///< returns positions and velocities to the constraints of the level
  ForceSet forces_;
  TreeKinematics tree_;
  JointHints hints_;
  /// Whether derivative() works at the projection of y onto the constraints. The stages of an integrator lie beside
  /// them by the square of the step, and where loops are near a singular position (or have redundant constraints)
  /// that much contradiction divided by a nearly vanishing pivot would spoil the accelerations.
  bool project_stages_ = false;

  std::vector<Pose> poses_;  ///< of the body frames
  std::vector<BodyMotion> motions_;
  std::vector<Quat> orientations_;         ///< of the bodies, continuous
  std::vector<double> q_, v_, rates_;      ///< of all joints
  std::vector<double> level_q_, level_v_;  ///< of the joints of the level
  std::vector<Spatial> wrenches_, loads_;
  std::vector<double> efforts_, xdot_;
  std::string_view failure_;
};

}  // namespace polyform::hierarchy
