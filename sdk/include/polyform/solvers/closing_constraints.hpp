// The constraints that close a spanning tree at a state: those of the cut joints, then the rows of constraint elements
// and modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/closing_errors.hpp"
#include "polyform/solvers/element_rows.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/loop_layout.hpp"

namespace polyform {

/// The rows stand in groups: one group per cut joint, then the groups of the elements. All results hold for the motions
/// of the last evaluate(). A solver works with the object of its LoopClosure, which lets others read it.
class ClosingConstraints {
 public:
  /// The view and the flexible bodies outlive the object. origin: what positions of frames count from. postponed,
  /// matrix: as of LoopLayout.
  ClosingConstraints(const SystemView&, const FlexibleLinks&, const Vec3& origin,
                     std::span<const std::size_t> postponed, MultiplierMatrix& matrix);

  bool good() const { return elements_.good(); }
  /// Whether nothing closes the tree, and no module has variables of its own.
  bool empty() const { return layout_.empty() && !elements_.has_modules(); }
  const LoopLayout& layout() const { return layout_; }
  const ElementRows& elements() const { return elements_; }
  ElementRows& elements() { return elements_; }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { elements_.follow(discrete); }

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
  /// The group of an element in the place of a loop.
  const ElementRows::Group& element(std::size_t i) const { return elements_.group(i - joints_.size()); }
  /// Name of a cut joint, an element or a module, and what it is.
  std::string_view name(std::size_t i) const { return is_cut(i) ? cut(i).name : element(i).of->name; }
  const char* kind(std::size_t i) const {
    if (is_cut(i)) return "joint";
    return element(i).module == ElementRows::none ? "constraint" : "module";
  }

  std::size_t rows(std::size_t i) const { return is_cut(i) ? joints_[i].rows : element(i).rows; }
  /// By how much the positions miss a row; zero if the row asks nothing of positions.
  double residual(std::size_t i, std::size_t row) const {
    return is_cut(i) ? joints_[i].residual[row] : elements_.asked().row(element(i), row).residual;
  }
  /// By how much the velocities miss a row.
  double rate(std::size_t i, std::size_t row) const {
    return is_cut(i) ? dot(joints_[i].T[row], joints_[i].relative.twist) : elements_.asked().row(element(i), row).rate;
  }
  /// One bit per row: whether it asks nothing of positions. Not the rows that the elimination passes over: see
  /// ModuleVariables::given_up.
  unsigned nonholonomic(std::size_t i) const { return is_cut(i) ? 0 : element(i).nonholonomic; }
  const ClosingErrors& errors() const { return errors_; }

  /// The multipliers of the rows of elements among those of all rows.
  template <class T>
  std::span<T> of_elements(std::span<T> multipliers) const {
    return multipliers.subspan(cuts() < groups() ? layout_.loop(cuts()).first_row : layout_.sizes().rows);
  }
  /// Calls share(frame, row about the frame's origin) for the frames of bodies on which a row of a group acts.
  template <class Share>
  void each_share(std::size_t i, std::size_t row, std::span<const BodyMotion> frames,
                  const Share& share) const noexcept {
    if (!is_cut(i)) {
      const std::span<const FrameIndex> tied = elements_.frames(element(i));
      for (std::size_t f = 0; f < tied.size(); ++f) share(tied[f], elements_.solved().share(element(i), row, f).row);
      return;
    }
    const ConstraintRow shares = constraint_row(cut(i), motion_of(cut(i).base_frame, frames),
                                                motion_of(cut(i).moving_frame, frames), joints_[i].T[row]);
    if (!is_ground(cut(i).base_frame)) share(cut(i).base_frame, shares.base);
    if (!is_ground(cut(i).moving_frame)) share(cut(i).moving_frame, shares.moving);
  }

 private:
  void evaluate_cuts(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept;

  const SystemView& view_;
  ElementRows elements_;
  LoopLayout layout_;
  std::vector<JointConstraint> joints_;  ///< per cut joint
  ClosingErrors errors_;
};

}  // namespace polyform
