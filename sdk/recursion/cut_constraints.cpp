#include "polyform/solvers/cut_constraints.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

CutConstraints::CutConstraints(const SystemView& view, const LoopLayout& layout)
    : view_(view), layout_(layout), joints_(layout.count()) {}

void CutConstraints::evaluate(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept {
  position_violation_ = velocity_violation_ = 0;
  size_ = speed_ = 1;
  for (const FrameIndex f : layout_.tied_frames()) {
    const BodyMotion& m = frames[at(f)];
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    JointConstraint& c = joints_[i];
    joint_constraint(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames),
                     q.data() + cut.q_offset, v.data() + cut.v_offset, c);
    // Where H loses rank there are more rows than the joint has room for: the first ones do.
    c.rows = std::min(c.rows, layout_.loop(i).rows);
    for (std::size_t r = 0; r < c.rows; ++r) {
      velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[r], c.relative.twist)));
      if (std::abs(c.residual[r]) <= position_violation_) continue;  // what is no number counts as the worst
      position_violation_ = std::abs(c.residual[r]);
      worst_ = view_.bodies.size() + i;
    }
  }
}

}  // namespace polyform
