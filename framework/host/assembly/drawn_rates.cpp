#include "framework/host/assembly/drawn_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/nearest_rates.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform::host::inline assembly {

bool BodyVelocities::differ(const Start& start, const Spatial& a, const Spatial& b) const {
  return start.speed_of(a - b) > met * speed;
}

GivenTwist DrawnRates::given_twist(std::size_t body, const BodyMotion& pose) const {
  const BodyItem& b = start_.body_item(body);
  GivenTwist given;
  given.whole = b.velocity.has_value();
  given.turn = given.whole || b.angular_velocity.has_value();
  given.twist.angular = b.angular_velocity.value_or(Vec3{});
  if (!given.whole) return given;
  const Vec3 arm = b.flexible == nullptr ? pose.R * b.center_of_mass : Vec3{};
  given.twist.linear = *b.velocity - cross(given.twist.angular, arm);
  return given;
}

void DrawnRates::fit() {
  const std::size_t n = start_.view().bodies.size();
  std::vector<BodyMotion> frames(start_.view().frames());
  NodeMotions nodes(start_.view());
  nodes.evaluate(start_.parts.eta.data(), start_.parts.etadot.data());
  bodies_.twists.resize(n);
  for (std::size_t i = 0; i < n; ++i) fit_joint(i, nodes, frames);
  for (const GivenTwist& given : bodies_.twists) bodies_.by_body.push_back(given.turn);
  for (const BodyMotion& frame : frames)
    bodies_.speed = std::max(bodies_.speed, start_.speed_of(frame.V));  // nodes of moving modes too
  for (std::size_t i = 0; i < n; ++i) {
    bodies_.speed = std::max(bodies_.speed, start_.speed_of(bodies_.twists[i].twist));
    if (!bodies_.twists[i].whole) bodies_.twists[i].twist.linear = frames[i].V.linear;
  }
  bodies_.excess.assign(n, {});
  bool left = false;
  for (std::size_t i = 0; i < n; ++i) {
    const GivenTwist& given = bodies_.twists[i];
    if (!given.turn || !bodies_.differ(start_, given.twist, frames[i].V)) continue;
    if (start_.given[i].velocity)
      warn_of_overruled(i, frames[i].V);
    else
      bodies_.excess[i] = given.twist - frames[i].V;
    left = left || !start_.given[i].velocity;
  }
  if (!left) bodies_.excess.clear();
}

/// Rate of the joint that moves a body, and the motion of the body's frames.
void DrawnRates::fit_joint(std::size_t i, const NodeMotions& nodes, std::vector<BodyMotion>& frames) {
  const JointData& joint = start_.view().joints[i];
  double* v = start_.parts.v.data() + joint.v_offset;
  const double* q = start_.parts.q.data() + joint.q_offset;
  const double still[6]{};
  JointMotion motion;
  joint_motion(joint, q, still, motion);
  place_body(motion, nodes, i, frames);  // the pose, and the inboard body's twist
  bodies_.twists[i] = given_twist(i, frames[i]);
  if (start_.given[i].velocity)
    std::copy_n(start_.given_v.data() + joint.v_offset, joint.nv, v);
  else if (bodies_.twists[i].turn)
    fit_rate(i, motion, nodes, frames, v);
  joint_motion(joint, q, v, motion);
  place_body(motion, nodes, i, frames);
}

/// Motions of the frames of a body from its tree joint.
void DrawnRates::place_body(const JointMotion& motion, const NodeMotions& nodes, std::size_t i,
                            std::vector<BodyMotion>& frames) {
  const JointData& joint = start_.view().joints[i];
  const FrameIndex placed = joint.outboard_frame();
  outboard_motion(joint, motion, motion_of(joint.inboard_frame(), frames), frames[at(placed)]);
  if (!nodes.empty()) nodes.place_body(body_index(i), placed, frames);
}

/// Rates that bring a body's twist nearest to the given one (its angular part only, if no more is given).
void DrawnRates::fit_rate(std::size_t i, const JointMotion& motion, const NodeMotions& nodes,
                          std::span<const BodyMotion> frames, double* v) const {
  const JointData& joint = start_.view().joints[i];
  const bool angular_only = !bodies_.twists[i].whole;
  BodyMotion body = frames[i];
  body.V = bodies_.twists[i].twist;
  BodyMotion out = body;
  if (joint.outboard_frame() != frame_of(body_index(i)))
    node_from_body(nodes[at(joint.outboard_frame()) - start_.view().bodies.size()], body, out);
  const BodyMotion& in = motion_of(joint.inboard_frame(), frames);
  const RelativeMotion relative = joint.reversed ? relative_motion(joint, out, in) : relative_motion(joint, in, out);
  Spatial H[6], target = relative.twist - joint_drift(joint, start_.parts.q.data() + joint.q_offset);
  for (std::size_t k = 0; k < joint.nv; ++k) {
    H[k] = motion.H[k];
    if (angular_only) H[k].linear = {};
  }
  if (angular_only) target.linear = {};
  solve_least_squares(H, joint.nv, target, v);
}

/// The rate of a joint wins over the velocity of the body that it moves. One that a state gives replaces that velocity.
void DrawnRates::warn_of_overruled(std::size_t body, const Spatial& taken) {
  if (start_.is_added(body) || start_.item(body).starts_from_state) return;
  const Spatial off = bodies_.twists[body].twist - taken;
  const double by = bodies_.twists[body].whole ? std::max(norm(off.angular), norm(off.linear)) : norm(off.angular);
  start_.complain(
      body, "initial.velocity",
      fmt::format("the velocity given to body `{}` differs from the one given to joint `{}` by {:.3g}: the joint's "
                  "is taken",
                  start_.body_item(body).name, start_.view().joints[body].name, by),
      "give the velocity once, to the body or to the joint", Severity::warning);
}

}  // namespace polyform::host::inline assembly
