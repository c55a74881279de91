#include "weld_reactions.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"

namespace polyform {
namespace {

std::vector<ForceInstances> groups_on_carried(const SystemView& view, const RigidGroups& groups) {
  std::vector<ForceInstances> found;
  const auto loads = [&](const ElementInstance& instance) {
    return std::ranges::any_of(instance.markers, [&](const Marker& m) { return groups.is_carried(m.body); });
  };
  for (const ForceInstances& group : view.forces)
    if (std::ranges::any_of(group.instances, loads)) found.push_back(group);
  return found;
}

SystemView with_forces(SystemView view, Strided<const ForceInstances> forces) {
  view.forces = forces;
  return view;
}

/// A wrench at the end of an arm, about its beginning.
Spatial shifted(const Spatial& w, const Vec3& arm) { return {w.angular + cross(arm, w.linear), w.linear}; }

}  // namespace

WeldReactions::WeldReactions(const SystemView& whole, const RigidGroups& groups)
    : view_(whole),
      groups_(groups),
      loading_(groups_on_carried(whole, groups)),
      forces_(with_forces(whole, loading_)),
      nodes_(whole),
      frames_(whole.frames()),
      wrenches_(whole.frames()),
      loads_(whole.bodies.size()),
      efforts_(whole.nv),
      rates_(whole.states) {
  for (std::size_t j = 0; j < whole.joints.size(); ++j) {
    if (j < whole.bodies.size() && groups.is_carried(body_index(j))) continue;
    const JointData& joint = whole.joints[j];
    if (groups.is_carried(joint.base)) ends_.push_back({j, at(joint.base), -1});
    if (groups.is_carried(joint.moving)) ends_.push_back({j, at(joint.moving), 1});
  }
}

Vec3 WeldReactions::origin_of_M(std::size_t joint) const noexcept {
  const JointData& data = view_.joints[joint];
  const BodyMotion& moving = motion_of(data.moving_frame, frames_);
  return moving.p + moving.R * data.p_moving;
}

/// What it takes to move a body against gravity as it moves, about its frame origin.
Spatial WeldReactions::inertial(std::size_t body, const Observation::Body& moves) const noexcept {
  const BodyData& data = view_.bodies[body];
  const Mat3& R = frames_[body].R;
  const Vec3 &w = moves.angular_velocity, &alpha = moves.angular_acceleration;
  const Vec3 arm = R * data.center_of_mass;
  const Vec3 force = data.mass * (moves.acceleration + cross(alpha, arm) + cross(w, cross(w, arm)) - view_.gravity);
  const Sym3 J = rotate(R, data.inertia);
  return shifted({J * alpha + cross(w, J * w), force}, arm);
}

void WeldReactions::find(double t, Observation& out) noexcept {
  observed_motions(out, nodes_, frames_);
  forces_.follow(out.discrete);
  if (!forces_.empty()) forces_.evaluate(t, frames_, out.q, out.v, out.x, wrenches_, efforts_, rates_);
  std::fill(loads_.begin(), loads_.end(), Spatial{});
  for (const BodyIndex b : forces_.loaded_bodies()) loads_[at(b)] = wrenches_[at(b)];
  for (const End& end : ends_)
    loads_[end.body] += shifted(end.sign * out.reactions[end.joint], origin_of_M(end.joint) - frames_[end.body].p);
  for (std::size_t i = view_.bodies.size(); i-- > 0;) {
    if (!groups_.is_carried(body_index(i))) continue;
    const JointData& joint = view_.joints[i];
    const Vec3 M = origin_of_M(i);
    const Spatial w = shifted(inertial(i, out.bodies[i]) - loads_[i], frames_[i].p - M);
    out.reactions[i] = joint.reversed ? -1.0 * w : w;
    if (const BodyIndex in = joint.inboard(); !is_ground(in)) loads_[at(in)] -= shifted(w, M - frames_[at(in)].p);
  }
}

}  // namespace polyform
