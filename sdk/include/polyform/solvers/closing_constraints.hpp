// The constraints that close a spanning tree at a state: those of the cut joints, then the rows of constraint elements
// and modules.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/element_rows.hpp"
#include "polyform/solvers/loop_layout.hpp"

namespace polyform {

/// The rows stand in groups: one group per cut joint, then the groups of the elements. All results hold for the motions
/// of the last evaluate(). A solver works with the object of its LoopClosure, which lets others read it.
class ClosingConstraints {
 public:
  /// All arguments outlive the object.
  ClosingConstraints(const SystemView&, const LoopLayout&, ElementRows&);

  /// frames: motions of all frames. q and v: coordinates and velocities of all joints (canonical order). The function
  /// sets those of the cut joints, whose q holds hints on entry. x: first-order states of the system, read if there are
  /// modules.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v,
                std::span<const double> x = {}) noexcept;

  std::size_t groups() const { return layout_.count(); }
  std::size_t cuts() const { return joints_.size(); }
  bool is_cut(std::size_t i) const { return i < joints_.size(); }
  /// The constraint and the motion of the i-th cut joint.
  const JointConstraint& joint(std::size_t i) const { return joints_[i]; }
  const JointData& cut(std::size_t i) const { return view_.cut_joints()[i]; }
  const ElementRows& elements() const { return elements_; }
  /// The place of a group of an element among the groups of the elements.
  std::size_t element(std::size_t i) const { return i - joints_.size(); }
  /// Name of a cut joint, an element or a module, and what it is.
  std::string_view name(std::size_t i) const { return is_cut(i) ? cut(i).name : elements_.name(element(i)); }
  const char* kind(std::size_t i) const {
    if (is_cut(i)) return "joint";
    return elements_.group(element(i)).module == ElementRows::none ? "constraint" : "module";
  }

  std::size_t rows(std::size_t i) const {
    return is_cut(i) ? joints_[i].rows : elements_.group(element(i)).rows;
  }
  /// By how much the positions miss a row; zero if the row asks nothing of positions.
  double residual(std::size_t i, std::size_t row) const {
    return is_cut(i) ? joints_[i].residual[row] : elements_.asked_residual(element(i), row);
  }
  /// By how much the velocities miss a row.
  double rate(std::size_t i, std::size_t row) const {
    return is_cut(i) ? dot(joints_[i].T[row], joints_[i].relative.twist) : elements_.asked_rate(element(i), row);
  }
  /// One bit per row: whether it asks nothing of positions. Not the rows that the elimination passes over: see
  /// ElementRows::given_up.
  unsigned nonholonomic(std::size_t i) const { return is_cut(i) ? 0 : elements_.group(element(i)).nonholonomic; }

  double position_violation() const { return position_violation_; }  ///< largest residual, rad or m
  double velocity_violation() const { return velocity_violation_; }  ///< largest rate, rad/s or m/s
  double missed_by_elements() const { return missed_by_elements_; }  ///< largest rate of the elements alone
  double size() const { return size_; }     ///< largest distance of a constrained frame from the origin, m, or 1
  double speed() const { return speed_; }   ///< largest of the constrained frames, rad/s or m/s, or 1
  /// About the part of the violations that is rounding.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// Whether the loops are closed so well that dependent rows show: their pivots are the square of the residual.
  bool shows_dependence() const { return position_violation_ < 1e-8 * size_; }
  /// The group with the largest residual.
  std::size_t worst() const { return worst_; }

  /// Calls share(frame, row about the frame's origin) for the frames of bodies on which a row of a group acts.
  template <class Share>
  void each_share(std::size_t i, std::size_t row, std::span<const BodyMotion> frames,
                  const Share& share) const noexcept {
    if (!is_cut(i)) {
      const std::span<const FrameIndex> tied = elements_.frames(element(i));
      for (std::size_t f = 0; f < tied.size(); ++f) share(tied[f], elements_.share(element(i), row, f).row);
      return;
    }
    const ConstraintRow shares = constraint_row(cut(i), motion_of(cut(i).base_frame, frames),
                                                motion_of(cut(i).moving_frame, frames), joints_[i].T[row]);
    if (!is_ground(cut(i).base_frame)) share(cut(i).base_frame, shares.base);
    if (!is_ground(cut(i).moving_frame)) share(cut(i).moving_frame, shares.moving);
  }

 private:
  void note_residual(double residual, std::size_t group) noexcept {
    if (std::abs(residual) <= position_violation_) return;  // NaN counts as the worst
    position_violation_ = std::abs(residual);
    worst_ = group;
  }
  void evaluate_cuts(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept;

  const SystemView& view_;
  const LoopLayout& layout_;
  ElementRows& elements_;
  std::vector<JointConstraint> joints_;   ///< per cut joint
  double position_violation_ = 0, velocity_violation_ = 0;
  double missed_by_elements_ = 0;   ///< largest rate of the elements' rows
  double size_ = 1, speed_ = 1;
  std::size_t worst_ = 0;
};

}  // namespace polyform
