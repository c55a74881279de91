#include "polyform/solvers/centred_view.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/helpers/completed.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform {
namespace {

/// From nearer than ten of its own sizes the ground origin costs one digit at most. A thousand would cost three, of
/// tolerances too, which are relative to positions: next to a singular position none is there to spare.
constexpr double far_away = 10;

/// The first body's frame origin as drawn, where the system is far away; else zero.
Vec3 origin_of(const SystemView& view) {
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
  // A place that is drawn: what is drawn there, or some even distance from it, loses no digit.
  return norm(middle) > far_away * size ? drawn.bodies().front().p : Vec3{};
}

}  // namespace

CentredView::CentredView(const SystemView& given) : origin_(origin_of(given)), view_(complete(given)) {
  if (dot(origin_, origin_) == 0) return;
  joints_ = completed(given.joints);
  for (JointData& joint : joints_) {
    if (is_ground(joint.base_frame)) joint.p_base -= origin_;
    if (is_ground(joint.moving_frame)) joint.p_moving -= origin_;
  }
  view_.joints = joints_;
  std::vector<BodyMotion> at_zero(given.frames()), at_origin(given.frames());
  for (BodyMotion& body : at_origin) body.p = origin_;
  const std::vector<double> modes(given.modes);
  potential_ = gravity_potential(given, at_origin, modes.data()) - gravity_potential(given, at_zero, modes.data());
}

}  // namespace polyform
