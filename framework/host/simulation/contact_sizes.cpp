#include "framework/host/simulation/contact_sizes.hpp"

#include <algorithm>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline simulation {

double size_of_places(const SystemView& view, const ConstStateView& start) {
  std::vector<double> q(start.q.begin(), start.q.end()), still(std::max(view.nv, view.modes));
  TreeKinematics tree(view);
  tree.evaluate(q.data(), still.data(), start.eta.data(), still.data());
  double farthest = 0;
  const auto see = [&](BodyIndex b, const Vec3& point) {
    farthest = std::max(farthest, norm(point) + (is_ground(b) ? 0 : norm(tree.bodies()[at(b)].p)));
  };
  for (const JointData& joint : view.joints) {
    see(joint.base, joint.p_base);
    see(joint.moving, joint.p_moving);
  }
  return std::max(std::min(farthest, 1.0), SystemScales(view).largest_reach());
}

bool turns(const SystemView& view, std::size_t velocity, const ConstStateView& start) {
  for (const JointData& joint : view.joints) {
    if (velocity < joint.v_offset || velocity >= joint.v_offset + joint.nv) continue;
    const std::vector<double> still(joint.nv);
    JointMotion motion;
    joint_motion(joint, start.q.data() + joint.q_offset, still.data(), motion);
    return norm(motion.H[velocity - joint.v_offset].angular) > 0;
  }
  return true;
}

}  // namespace polyform::host::inline simulation
