// The constraints of the cut joints at a state, and how far they are from being met.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/loop_layout.hpp"

namespace polyform {

/// Stands for the motions that evaluate() was given last. LoopClosure has the one that its solver works with, and hands
/// it out to be read.
class CutConstraints {
 public:
  /// The view and the layout outlive the object.
  CutConstraints(const SystemView&, const LoopLayout&);

  /// frames: motions of all frames. q: coordinates of all joints (canonical order), of which those of the cut joints
  /// hold hints on entry and are set; v: those of the cut joints are set.
  void evaluate(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept;

  /// The constraint and the motion of the i-th cut joint.
  const JointConstraint& joint(std::size_t i) const { return joints_[i]; }
  double position_violation() const { return position_violation_; }  ///< largest residual, rad or m
  double velocity_violation() const { return velocity_violation_; }  ///< largest of Tᵀ V_FM, rad/s or m/s
  double size() const { return size_; }     ///< largest distance of a tied frame from the origin, m, at least 1
  double speed() const { return speed_; }   ///< largest of the tied frames, rad/s or m/s, at least 1
  /// What rounding alone leaves of the violations, about.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// Whether the loops are so nearly closed that dependent rows show: their pivots are of the square of the residual.
  bool shows_dependence() const { return position_violation_ < 1e-8 * size_; }
  /// Place of the cut joint with the largest residual among the joints of the view.
  std::size_t worst_joint() const { return worst_; }

  /// Calls share(frame, row about the frame's origin) for the frames of bodies that a row of the i-th cut joint ties.
  template <class Share>
  void each_share(std::size_t i, std::size_t row, std::span<const BodyMotion> frames,
                  const Share& share) const noexcept {
    const JointData& cut = view_.cut_joints()[i];
    const ConstraintRow shares = constraint_row(cut, motion_of(cut.base_frame, frames),
                                                motion_of(cut.moving_frame, frames), joints_[i].T[row]);
    if (!is_ground(cut.base_frame)) share(cut.base_frame, shares.base);
    if (!is_ground(cut.moving_frame)) share(cut.moving_frame, shares.moving);
  }

 private:
  const SystemView& view_;
  const LoopLayout& layout_;
  std::vector<JointConstraint> joints_;   ///< per cut joint
  double position_violation_ = 0, velocity_violation_ = 0;
  double size_ = 1, speed_ = 1;
  std::size_t worst_ = 0;
};

}  // namespace polyform
