#include "polyform/state_origin.hpp"

#include <vector>

#include "polyform/kinematics.hpp"

namespace polyform {

Vec3 state_origin(const SystemView& view) {
  if (view.bodies.empty()) return {};
  std::vector<double> q(view.nq), v(view.nv), modes(view.modes);
  for (const JointData& joint : view.tree_joints()) joint_neutral(joint, q.data() + joint.q_offset);
  TreeKinematics drawn(view);
  drawn.evaluate(q.data(), v.data(), modes.data(), modes.data());
  // Summed as means, so that a far origin costs no digits with the number of bodies.
  Vec3 middle;
  double count = 0;
  for (const BodyMotion& body : drawn.bodies()) middle += (1 / ++count) * (body.p - middle);
  return middle;
}

}  // namespace polyform
