#include "polyform/solvers/closing_constraints.hpp"

#include <algorithm>

namespace polyform {

ClosingConstraints::ClosingConstraints(const SystemView& view, const FlexibleLinks& flexible, const Vec3& origin,
                                       std::span<const std::size_t> postponed, MultiplierMatrix& matrix)
    : view_(view),
      elements_(view, origin),
      layout_(view, flexible, elements_, postponed, matrix),
      joints_(view.cut_joints().size()) {}

void ClosingConstraints::evaluate(double t, std::span<const BodyMotion> frames, std::span<double> q,
                                  std::span<double> v, std::span<const double> x) noexcept {
  errors_.begin();
  for (const FrameIndex f : layout_.tied_frames()) errors_.note_frame(frames[at(f)]);
  evaluate_cuts(frames, q, v);
  if (elements_.empty()) return;
  elements_.evaluate(t, frames, q, v, x);
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    errors_.note_rate_of_element(elements_.asked().largest_rate(elements_.group(g)));
    errors_.note_residual(elements_.asked().largest_residual(elements_.group(g)), cuts() + g);
  }
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
      errors_.note_rate(dot(c.T[r], c.relative.twist));
      errors_.note_residual(c.residual[r], i);
    }
  }
}

}  // namespace polyform
