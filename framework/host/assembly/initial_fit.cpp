// Initial velocities as drawn: rates of the tree joints, root to tip, from given rates and from the bodies' velocities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/initial_state.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform::host::inline assembly {

InitialState::GivenTwist InitialState::given_twist(std::size_t body, const BodyMotion& pose) const {
  const BodyItem& b = body_item(body);
  GivenTwist given;
  given.whole = b.velocity.has_value();
  given.turn = given.whole || b.angular_velocity.has_value();
  given.twist.angular = b.angular_velocity.value_or(Vec3{});
  if (!given.whole) return given;
  const Vec3 arm = b.flexible == nullptr ? pose.R * b.center_of_mass : Vec3{};
  given.twist.linear = *b.velocity - cross(given.twist.angular, arm);
  return given;
}

/// Rates of the tree joints that come nearest to what is given, joint by joint. excess_ is what they leave of the
/// bodies' velocities.
void InitialState::fit_rates() {
  const std::size_t n = view().bodies.size();
  std::vector<BodyMotion> frames(view().frames());
  NodeMotions nodes(view());
  nodes.evaluate(parts_.eta.data(), parts_.etadot.data());
  given_twists_.resize(n);
  for (std::size_t i = 0; i < n; ++i) fit_joint(i, nodes, frames);
  for (const GivenTwist& given : given_twists_) by_body_.push_back(given.turn);
  for (const BodyMotion& frame : frames) speed_ = std::max(speed_, speed_of(frame.V));  // nodes of moving modes too
  for (std::size_t i = 0; i < n; ++i) {
    speed_ = std::max(speed_, speed_of(given_twists_[i].twist));
    if (!given_twists_[i].whole) given_twists_[i].twist.linear = frames[i].V.linear;
  }
  excess_.assign(n, {});
  bool left = false;
  for (std::size_t i = 0; i < n; ++i) {
    const GivenTwist& given = given_twists_[i];
    if (!given.turn || !differ(given.twist, frames[i].V)) continue;
    if (given_[i].velocity)
      warn_of_overruled(i, frames[i].V);
    else
      excess_[i] = given.twist - frames[i].V;
    left = left || !given_[i].velocity;
  }
  if (!left) excess_.clear();
}

/// Rate of the joint that moves a body, and the motion of the body's frames.
void InitialState::fit_joint(std::size_t i, const NodeMotions& nodes, std::vector<BodyMotion>& frames) {
  const JointData& joint = view().joints[i];
  double* v = parts_.v.data() + joint.v_offset;
  const double* q = parts_.q.data() + joint.q_offset;
  const double still[6]{};
  JointMotion motion;
  joint_motion(joint, q, still, motion);
  place_body(motion, nodes, i, frames);  // the pose, and the inboard body's twist
  given_twists_[i] = given_twist(i, frames[i]);
  if (given_[i].velocity)
    std::copy_n(given_v_.data() + joint.v_offset, joint.nv, v);
  else if (given_twists_[i].turn)
    fit_rate(i, motion, nodes, frames, v);
  joint_motion(joint, q, v, motion);
  place_body(motion, nodes, i, frames);
}

/// Motions of the frames of a body from its tree joint.
void InitialState::place_body(const JointMotion& motion, const NodeMotions& nodes, std::size_t i,
                              std::vector<BodyMotion>& frames) {
  const JointData& joint = view().joints[i];
  const FrameIndex placed = joint.outboard_frame();
  outboard_motion(joint, motion, motion_of(joint.inboard_frame(), frames), frames[at(placed)]);
  if (!nodes.empty()) nodes.place_body(body_index(i), placed, frames);
}

/// Rates that bring a body's twist nearest to the given one (its angular part only, if no more is given).
void InitialState::fit_rate(std::size_t i, const JointMotion& motion, const NodeMotions& nodes,
                            std::span<const BodyMotion> frames, double* v) const {
  const JointData& joint = view().joints[i];
  const bool angular_only = !given_twists_[i].whole;
  BodyMotion body = frames[i];
  body.V = given_twists_[i].twist;
  BodyMotion out = body;
  if (joint.outboard_frame() != frame_of(body_index(i)))
    node_from_body(nodes[at(joint.outboard_frame()) - view().bodies.size()], body, out);
  const BodyMotion& in = motion_of(joint.inboard_frame(), frames);
  const RelativeMotion relative = joint.reversed ? relative_motion(joint, out, in) : relative_motion(joint, in, out);
  Spatial H[6], target = relative.twist - joint_drift(joint, parts_.q.data() + joint.q_offset);
  for (std::size_t k = 0; k < joint.nv; ++k) {
    H[k] = motion.H[k];
    if (angular_only) H[k].linear = {};
  }
  if (angular_only) target.linear = {};
  solve_least_squares(H, joint.nv, target, v);
}

double InitialState::speed_of(const Spatial& V) const { return std::max(length_ * norm(V.angular), norm(V.linear)); }

bool InitialState::differ(const Spatial& a, const Spatial& b) const { return speed_of(a - b) > met * speed_; }

}  // namespace polyform::host::assembly
