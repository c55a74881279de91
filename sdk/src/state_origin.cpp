#include "polyform/state_origin.hpp"

#include <algorithm>
#include <cmath>
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
  double size = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const JointData& joint = view.joints[i];
    const BodyData& body = view.bodies[i];
    const double gyration =
        body.mass > 0 ? std::sqrt((body.inertia.xx + body.inertia.yy + body.inertia.zz) / body.mass) : 0;
    size = std::max(size, norm(drawn.bodies()[i].p - middle) + norm(body.center_of_mass) + gyration +
                              norm(joint.reversed ? joint.p_base : joint.p_moving));
  }
  // From nearer than a thousand of its own sizes the ground origin costs three digits at most, which are there to spare.
  return norm(middle) > 1000 * size ? middle : Vec3{};
}

}  // namespace polyform
