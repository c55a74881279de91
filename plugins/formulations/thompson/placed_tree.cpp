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
  std::copy(of.eta.begin(), of.eta.end(), placed_.eta_.begin());
  std::copy(of.etadot.begin(), of.etadot.end(), placed_.etadot_.begin());
  placed_.tree_.evaluate(q.data(), v.data(), placed_.eta_.data(), placed_.etadot_.data());
  if (!placed_.closing_.is_idle()) placed_.closing_.evaluate(t, placed_.tree_, q, v, of.x);
  return placed_;
}

void MovingTree::move(std::span<const double> by) noexcept {
  layout_.move(joints_, by);
  const double* of_module = by.data() + view_.nv_tree + view_.modes;
  for (const ModuleSet::Module& module : placed_.closing_.modules().modules()) {
    for (const ModuleSet::Module::Integral& integral : module.integrals)
      joints_[layout_.moving() + integral.state] += of_module[integral.variable];
    of_module += module.variables;
  }
}

void MovingTree::accelerate(std::span<const double> by) noexcept {
  layout_.accelerate(joints_, by);
  const double* of_module = by.data() + view_.nv_tree + view_.modes;
  for (const ModuleSet::Module& module : placed_.closing_.modules().modules())
    for (std::size_t k = 0; k < module.variables; ++k) joints_[layout_.moving() + module.u + k] += *of_module++;
}

void MovingTree::find_position_rates(std::span<double> rates) const noexcept {
  const auto rates_of = [&](const JointData& joint, double* into) {
    joint_position_rates(joint, placed_.q_.data() + joint.q_offset, placed_.v_.data() + joint.v_offset, into);
  };
  for (const JointData& joint : view_.tree_joints()) rates_of(joint, rates.data() + joint.q_offset);
  for (const JointData& cut : view_.cut_joints())
    rates_of(cut, rates.data() + layout_.uncut() + (cut.q_offset - view_.nq_tree));
  std::copy(placed_.etadot_.begin(), placed_.etadot_.end(),
            rates.begin() + static_cast<std::ptrdiff_t>(layout_.joints()));
}

}  // namespace polyform::thompson
