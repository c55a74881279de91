// What the passes need of a system, laid out for them.
#include <algorithm>
#include <cmath>

#include "inertia.hpp"
#include "polyform/solvers/recursion.hpp"

namespace polyform {
namespace {

/// Several primitives, code, or a ball in a loop: all that is passed direction by direction.
bool is_general(const SystemView& view, const LoopClosure& loops, std::size_t i) {
  const JointData& joint = view.joints[i];
  return joint.kernel != nullptr || joint.primitives.size() > 1 || (loops.carries(i) && joint.nv > 1);
}

std::vector<JointData> general_joints(const SystemView& view, const LoopClosure& loops) {
  std::vector<JointData> joints;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (is_general(view, loops, i)) joints.push_back(view.joints[i]);
  return joints;
}

bool is_identity(const Mat3& m) {
  const Mat3 one = Mat3::identity();
  for (std::size_t i = 0; i < 9; ++i)
    if (std::abs(m.m[i] - one.m[i]) > 1e-15) return false;
  return true;
}

}  // namespace

Recursion::Recursion(const SystemView& view, LoopClosure& loops)
    : loops_(loops), flexible_(loops.flexible()),
      refinement_(flexible_.empty() ? view.bodies.size() : 0, flexible_.empty() ? view.nv_tree : 0), gravity_(view.gravity), links_(view.bodies.size()), bodies_(view.bodies.size()),
      frames_(view.bodies.size()), general_joints_(general_joints(view, loops)), general_(general_joints_),
      work_(view.bodies.size() + flexible_.attachments()), beta_(view.bodies.size()), z_(work_.size()), motions_(view.frames()),
      general_slide_(general_joints_.size()), load_(view.bodies.size()), kept_(view.bodies.size()),
      arms_(loops.empty() ? 0 : view.bodies.size()) {
  std::vector<std::int32_t> last_child(links_.size(), -1);
  std::size_t columns = 0, balls = 0;
  std::uint32_t general = 0;
  std::int32_t slots = 0;
  static const Frame ground{Mat3::identity(), 0, {}, Mat3::identity()};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointData& joint = view.joints[i];
    const BodyData& body = view.bodies[i];
    Link& link = links_[i];
    Frame& frame = frames_[i];
    link.parent = static_cast<std::int32_t>(joint.inboard());
    link.inboard = link.parent;
    link.frame = static_cast<std::int32_t>(joint.inboard_frame());
    link.flexible = body.flexible != rigid;
    Frame in = link.parent < 0 ? ground : frames_[static_cast<std::size_t>(link.parent)];
    if (const std::size_t a = flexible_.attachment_of(joint.inboard_frame()); a != FlexibleLinks::none) {
      link.on_frame = true;
      link.inboard = static_cast<std::int32_t>(frame_work(a));
      in.to_P = {};  // frames are held at their origins
    }
    if (link.flexible) taken_.resize(std::max(taken_.size(), view.flexible[body.flexible].modes));
    link.reversed = joint.reversed;
    link.q = static_cast<std::uint32_t>(joint.q_offset);
    link.v = static_cast<std::uint32_t>(joint.v_offset);
    link.count = static_cast<std::uint32_t>(joint.nv);

    frame.K = joint.reversed ? joint.R_drawn * in.K : transpose_times(joint.R_drawn, in.K);
    frame.carried = at(joint.outboard_frame());
    frame.to_P = joint.reversed ? joint.p_base : joint.p_moving;
    frame.base_K = joint.reversed ? frame.K : in.K;
    const Vec3 center = body.center_of_mass - frame.to_P;
    Sym3 about_P = body.inertia;
    const Sym3 unit = unit_mass_inertia(center);
    about_P += Sym3{body.mass * unit.xx, body.mass * unit.yy, body.mass * unit.zz, body.mass * unit.xy, body.mass * unit.xz, body.mass * unit.yz};
    bodies_[i] = body_inertia(body.mass, body.mass * center, about_P).turned(transpose(frame.K));
    link.lever = transpose_times(in.K, (joint.reversed ? joint.p_moving : joint.p_base) - in.to_P);

    link.looped = loops.carries(i);
    link.is_ball = joint.primitives.size() == 1 && joint.primitives.front().kind == Primitive::Kind::ball;
    if (is_general(view, loops, i)) {
      link.hinge = Hinge::general;
      link.place = general++;
    } else if (!joint.primitives.empty()) {
      const Primitive& p = joint.primitives.front();
      link.axis = transpose_times(frame.base_K, p.axis);
      link.hinge = p.kind == Primitive::Kind::ball       ? Hinge::ball
                   : p.kind == Primitive::Kind::rotation ? Hinge::rotation
                                                         : Hinge::translation;
    }
    if (link.hinge == Hinge::rotation) {
      link.place = static_cast<std::uint32_t>(rotations_.size());
      rotations_.push_back(link.q);
    }
    link.turned = link.hinge == Hinge::ball && !is_identity(frame.base_K);
    if (link.hinge == Hinge::ball) {
      link.first = static_cast<std::uint32_t>(balls++);
    } else {
      link.first = static_cast<std::uint32_t>(columns);
      columns += joint.nv;
    }
    if (link.parent < 0 || link.on_frame) continue;
    last_child[static_cast<std::size_t>(link.parent)] = static_cast<std::int32_t>(i);
    Link& parent = links_[static_cast<std::size_t>(link.parent)];
    if (static_cast<std::size_t>(link.parent) + 1 != i && parent.slot < 0) parent.slot = slots++;
  }
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (last_child[i] >= 0) links_[static_cast<std::size_t>(last_child[i])].opens_slot = true;
  angles_.resize(rotations_.size());
  sines_.resize(rotations_.size());
  cosines_.resize(rotations_.size());
  columns_.resize(columns);
  balls_.resize(balls);
  slots_.resize(static_cast<std::size_t>(slots));
}

}  // namespace polyform
