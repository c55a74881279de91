#include "polyform/solvers/hinged_tree.hpp"

#include <algorithm>
#include <cmath>

#include "inertia.hpp"

namespace polyform {
namespace {

using Hinge = HingedTree::Hinge;

Hinge hinge_of(const JointData& joint, bool looped, bool postponed) {
  if (postponed) return Hinge::general;
  if (joint.kernel != nullptr || joint.primitives.size() > 1 || (looped && joint.nv > 1)) return Hinge::general;
  if (joint.primitives.empty()) return Hinge::fixed;
  switch (joint.primitives.front().kind) {
    case Primitive::Kind::ball: return Hinge::ball;
    case Primitive::Kind::rotation: return Hinge::rotation;
    case Primitive::Kind::translation: break;
  }
  return Hinge::translation;
}

bool is_identity(const Mat3& m) {
  constexpr double rounding = 1e-15;
  const Mat3 one = Mat3::identity();
  for (std::size_t i = 0; i < 9; ++i)
    if (std::abs(m.m[i] - one.m[i]) > rounding) return false;
  return true;
}

}  // namespace

HingedTree::HingedTree(const SystemView& view, const LoopClosure& loops)
    : links(view.bodies.size()), bodies(view.bodies.size()), frames(view.bodies.size()) {
  const FlexibleLinks& flexible = loops.flexible();
  std::vector<std::int32_t> last_child(links.size(), -1);
  static const Frame ground{Mat3::identity(), 0, {}, Mat3::identity()};
  for (std::size_t i = 0; i < links.size(); ++i) {
    const JointData& joint = view.joints[i];
    const BodyData& body = view.bodies[i];
    Link& link = links[i];
    Frame& frame = frames[i];
    link.parent = static_cast<std::int32_t>(joint.inboard());
    link.inboard = link.parent;
    link.frame = static_cast<std::int32_t>(joint.inboard_frame());
    link.flexible = body.flexible != rigid;
    Frame in = link.parent < 0 ? ground : frames[static_cast<std::size_t>(link.parent)];
    if (const std::size_t a = flexible.attachment_of(joint.inboard_frame()); a != FlexibleLinks::none) {
      link.on_frame = true;
      link.inboard = static_cast<std::int32_t>(index_of(a));
      in.to_P = {};  // frames are held at their origins
    }
    if (link.flexible) most_modes = std::max(most_modes, view.flexible[body.flexible].modes);
    link.reversed = joint.reversed;
    link.q = static_cast<std::uint32_t>(joint.q_offset);
    link.v = static_cast<std::uint32_t>(joint.v_offset);
    link.count = static_cast<std::uint32_t>(joint.nv);

    frame.K = joint.reversed ? joint.R_drawn * in.K : transpose_times(joint.R_drawn, in.K);
    frame.carried = at(joint.outboard_frame());
    frame.to_P = joint.reversed ? joint.p_base : joint.p_moving;
    frame.base_K = joint.reversed ? frame.K : in.K;
    const Vec3 center = body.center_of_mass - frame.to_P;
    const Sym3 unit = unit_mass_inertia(center);
    Sym3 about_P = body.inertia;
    about_P += Sym3{body.mass * unit.xx, body.mass * unit.yy, body.mass * unit.zz,
                    body.mass * unit.xy, body.mass * unit.xz, body.mass * unit.yz};
    bodies[i] = body_inertia(body.mass, body.mass * center, about_P).turned(transpose(frame.K));
    link.lever = transpose_times(in.K, (joint.reversed ? joint.p_moving : joint.p_base) - in.to_P);

    link.looped = loops.layout().carries(i);
    link.is_ball = joint.primitives.size() == 1 && joint.primitives.front().kind == Primitive::Kind::ball;
    link.postponed = loops.layout().postponed_at(i) != LoopLayout::none;
    link.hinge = hinge_of(joint, link.looped, link.postponed);
    if (link.hinge == Hinge::rotation || link.hinge == Hinge::translation || link.hinge == Hinge::ball)
      link.axis = transpose_times(frame.base_K, joint.primitives.front().axis);
    if (link.hinge == Hinge::general) {
      link.place = static_cast<std::uint32_t>(general_joints.size());
      general_joints.push_back(joint);
    }
    if (link.hinge == Hinge::rotation) {
      link.place = static_cast<std::uint32_t>(rotations.size());
      rotations.push_back(link.q);
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
    Link& parent = links[static_cast<std::size_t>(link.parent)];
    if (static_cast<std::size_t>(link.parent) + 1 != i && parent.slot < 0)
      parent.slot = static_cast<std::int32_t>(slots++);
  }
  for (std::size_t i = 0; i < links.size(); ++i)
    if (last_child[i] >= 0) links[static_cast<std::size_t>(last_child[i])].opens_slot = true;
}

}  // namespace polyform
