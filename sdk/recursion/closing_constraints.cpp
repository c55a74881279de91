#include "polyform/solvers/closing_constraints.hpp"

#include <algorithm>

namespace polyform {

ClosingConstraints::ClosingConstraints(const SystemView& view, const LoopLayout& layout, ElementRows& elements)
    : view_(view), layout_(layout), elements_(elements), joints_(view.cut_joints().size()) {}

void ClosingConstraints::evaluate(double t, std::span<const BodyMotion> frames, std::span<double> q,
                                  std::span<double> v, std::span<const double> x) noexcept {
  position_violation_ = velocity_violation_ = missed_by_elements_ = 0;
  size_ = speed_ = 1;
  for (const FrameIndex f : layout_.tied_frames()) {
    const BodyMotion& m = frames[at(f)];
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  evaluate_cuts(frames, q, v);
  if (elements_.empty()) return;
  elements_.evaluate(t, frames, q, v, x);
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    missed_by_elements_ = std::max(missed_by_elements_, elements_.missed_by_velocities(g));
    note_residual(elements_.missed_by_positions(g), joints_.size() + g);
  }
  velocity_violation_ = std::max(velocity_violation_, missed_by_elements_);
}

void ClosingConstraints::evaluate_cuts(std::span<const BodyMotion> frames, std::span<double> q,
                                       std::span<double> v) noexcept {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    JointConstraint& c = joints_[i];
    joint_constraint(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames),
                     q.data() + cut.q_offset, v.data() + cut.v_offset, c);
    // If H loses rank, there are more rows than the joint has room for; the first ones suffice.
    c.rows = std::min(c.rows, layout_.loop(i).rows);
    for (std::size_t r = 0; r < c.rows; ++r) {
      velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[r], c.relative.twist)));
      note_residual(c.residual[r], i);
    }
  }
}

}  // namespace polyform
