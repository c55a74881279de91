#include "placed_tree.hpp"

#include <algorithm>

namespace polyform::thompson {

const PlacedTree& MovingTree::place(double t) noexcept {
  std::vector<double>& q = placed_.q_;
  std::vector<double>& v = placed_.v_;
  const JointState::Parts of = parts();
  std::copy(of.q.begin(), of.q.end(), q.begin());
  std::copy(of.v.begin(), of.v.end(), v.begin());
  std::copy(of.cut.begin(), of.cut.end(), q.begin() + static_cast<std::ptrdiff_t>(view_.nq_tree));
  placed_.tree_.evaluate(q.data(), v.data());
  if (!placed_.closing_.empty()) placed_.closing_.evaluate(t, placed_.tree_, q, v);
  return placed_;
}

void MovingTree::find_position_rates(std::span<double> rates) const noexcept {
  const auto rates_of = [&](const JointData& joint, double* into) {
    joint_position_rates(joint, placed_.q_.data() + joint.q_offset, placed_.v_.data() + joint.v_offset, into);
  };
  for (const JointData& joint : view_.tree_joints()) rates_of(joint, rates.data() + joint.q_offset);
  for (const JointData& cut : view_.cut_joints())
    rates_of(cut, rates.data() + layout_.uncut() + (cut.q_offset - view_.nq_tree));
}

}  // namespace polyform::thompson
