#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform {

RheonomicJoints::RheonomicJoints(const SystemView& view) : view_(view) {
  for (std::size_t j = 0; j < view.joints.size(); ++j)
    if (rheonomic_kernel(view.joints[j]) != nullptr) joints_.push_back(j);
}

void RheonomicJoints::set_clocks(double t, std::span<double> q) const noexcept {
  for (const std::size_t j : joints_) q[view_.joints[j].q_offset + view_.joints[j].nq - 1] = t;
}

double RheonomicJoints::power(std::span<const double> q, std::span<const BodyMotion> frames,
                              std::span<const Spatial> reactions) const noexcept {
  double power = 0;
  for (const std::size_t j : joints_) {
    const JointData& joint = view_.joints[j];
    const Mat3& R = motion_of(joint.base_frame, frames).R;
    const Spatial drift = joint_drift(joint, q.data() + joint.q_offset);
    power += dot(R * drift.angular, reactions[j].angular) + dot(R * drift.linear, reactions[j].linear);
  }
  return power;
}

void set_clocks(const SystemView& view, double t, std::span<double> q) { RheonomicJoints(view).set_clocks(t, q); }

}  // namespace polyform
