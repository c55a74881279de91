#include "polyform/solvers/module_loads.hpp"

#include <algorithm>

#include "polyform/mechanics/constraint.hpp"

namespace polyform {
namespace {

void add_frame(std::vector<FrameIndex>& frames, FrameIndex f) {
  if (!is_ground(f) && std::ranges::find(frames, f) == frames.end()) frames.push_back(f);
}

}  // namespace

ModuleLoads::ModuleLoads(const SystemView& view, const ModuleSet& set) : view_(view), set_(set) {
  std::size_t joints = 0;
  for (const ModuleSet::Module& module : set.modules()) {
    const ConstraintSet::Element& e = module.rows;
    first_motion_.push_back(joints);
    joints += e.joints.size();
    for (const Marker& marker : e.markers) add_frame(frames_, marker.frame);
    for (const JointIndex j : e.joints)
      for (const FrameIndex f : {view.joints[at(j)].base_frame, view.joints[at(j)].moving_frame}) add_frame(frames_, f);
  }
  motions_.resize(joints);
}

void ModuleLoads::evaluate(std::span<const double> q, std::span<const double> v) noexcept {
  JointMotion* motion = motions_.data();
  for (const ModuleSet::Module& module : set_.modules())
    for (const JointIndex j : module.rows.joints) {
      const JointData& joint = view_.joints[at(j)];
      joint_motion(joint, q.data() + joint.q_offset, v.data() + joint.v_offset, *motion++);
    }
}

/// Calls visit(joint, its index, wrench on the moving body in F) for the efforts of a module.
template <class Visit>
void ModuleLoads::each_effort(std::size_t m, const Visit& visit) const noexcept {
  const ModuleSet::Module& module = set_.modules()[m];
  const JointMotion* motion = motions_.data() + first_motion_[m];
  const double* effort = module.efforts.data();
  for (const JointIndex j : module.rows.joints) {
    const JointData& joint = view_.joints[at(j)];
    visit(joint, j, effort_wrench(*motion++, joint.nv, effort));
    effort += joint.nv;
  }
}

void ModuleLoads::add_wrenches(std::span<const BodyMotion> frames, std::span<Spatial> wrenches) const noexcept {
  for (std::size_t i = 0; i < set_.modules().size(); ++i) {
    const ModuleSet::Module& module = set_.modules()[i];
    const ConstraintSet::Element& e = module.rows;
    for (std::size_t m = 0; m < e.markers.size(); ++m) {
      const Spatial& w = module.wrenches[m];
      if (!is_ground(e.markers[m].frame))
        wrenches[at(e.markers[m].frame)] += Spatial{w.angular + cross(e.arms[m], w.linear), w.linear};
    }
    each_effort(i, [&](const JointData& joint, JointIndex, const Spatial& t) {
      const ConstraintRow w =
          constraint_row(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames), t);
      if (!is_ground(joint.base_frame)) wrenches[at(joint.base_frame)] += w.base;
      if (!is_ground(joint.moving_frame)) wrenches[at(joint.moving_frame)] += w.moving;
    });
  }
}

void ModuleLoads::add_reactions(std::span<const BodyMotion> frames, std::span<Spatial> reactions) const noexcept {
  for (std::size_t i = 0; i < set_.modules().size(); ++i)
    each_effort(i, [&](const JointData& joint, JointIndex j, const Spatial& t) {
      reactions[at(j)] += reaction_in_ground(motion_of(joint.base_frame, frames), t);
    });
}

}  // namespace polyform
