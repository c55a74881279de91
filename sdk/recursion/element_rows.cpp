#include "polyform/solvers/element_rows.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/constraint.hpp"

namespace polyform {

ElementRows::ElementRows(const SystemView& view, const Vec3& origin)
    : view_(view),
      elements_(view, origin),
      modules_(view, origin),
      groups_(view, elements_, modules_),
      motions_(groups_.motions()),
      solved_(groups_),
      asked_(groups_),
      variables_(modules_, groups_),
      module_loads_(view, modules_) {}

void ElementRows::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                           std::span<const double> v, std::span<const double> x) noexcept {
  elements_.evaluate(t, frames, q, v);
  if (has_modules()) {
    modules_.evaluate(t, frames, q, v, x);
    module_loads_.evaluate(q, v);
  }
  solved_.clear_shares();
  for (const Group& g : groups_.all()) {
    const ConstraintSet::Element& e = *g.of;
    for (std::size_t k = 0; k < e.joints.size(); ++k) {
      const JointData& joint = view_.joints[at(e.joints[k])];
      joint_motion(joint, q.data() + joint.q_offset, v.data() + joint.v_offset, motions_[g.motion + k]);
    }
    for (std::size_t r = 0; r < g.rows; ++r) {
      const std::size_t row = g.first + r;
      solved_.row(g, r) = {e.is_holonomic(row) ? e.residual[row] : 0,
                           velocity_of_row(view_, e, row, v) - e.velocity_right[row], e.acceleration_right[row]};
      if (g.module != none) solved_.row(g, r).rate += variables_.rate(g, r, x);
      add_markers(g, r);
      add_joints(g, r, frames);
    }
  }
  if (!has_modules()) return;
  asked_ = solved_;
  prepare(LoopRightSides::Level::acceleration);
}

void ElementRows::add_markers(const Group& g, std::size_t r) noexcept {
  const ConstraintSet::Element& e = *g.of;
  FrameRows::Share* const shares = solved_.shares(g, r);
  for (std::size_t m = 0; m < e.markers.size(); ++m) {
    const std::size_t slot = groups_.slots(g)[m];
    if (slot == none) continue;
    const Spatial& a = e.A[(g.first + r) * e.markers.size() + m];
    const Vec3 &arm = e.arms[m], &omega = e.motions[m].angular_velocity;
    const double force = size(a.linear);
    shares[slot].add({a.angular + cross(arm, a.linear), a.linear}, size(a.angular) + size(arm) * force, force);
    solved_.row(g, r).acceleration -= dot(a.linear, cross(omega, cross(omega, arm)));
  }
}

void ElementRows::add_joints(const Group& g, std::size_t r, std::span<const BodyMotion> frames) noexcept {
  const ConstraintSet::Element& e = *g.of;
  const double* B = e.B.data() + (g.first + r) * e.velocities;
  const std::size_t* slot = groups_.slots(g) + e.markers.size();
  FrameRows::Share* const shares = solved_.shares(g, r);
  for (std::size_t k = 0; k < e.joints.size(); ++k, slot += 2) {
    const JointData& joint = view_.joints[at(e.joints[k])];
    const BodyMotion &base = motion_of(joint.base_frame, frames), &moving = motion_of(joint.moving_frame, frames);
    const JointMotion& motion = motions_[g.motion + k];
    const Spatial t = effort_wrench(motion, joint.nv, B);
    const ConstraintRow row = constraint_row(joint, base, moving, t);
    const Vec3 M = moving.p + moving.R * joint.p_moving;
    const double couple = size(t.angular), force = size(t.linear);
    if (slot[0] != none) shares[slot[0]].add(row.base, couple + size(M - base.p) * force, force);
    if (slot[1] != none) shares[slot[1]].add(row.moving, couple + size(M - moving.p) * force, force);
    solved_.row(g, r).acceleration += dot(t, motion.bias - relative_acceleration(joint, base, {}, moving, {}));
    B += joint.nv;
  }
}

double ElementRows::missed_by(const Group& g, std::span<const Spatial> accelerations) const noexcept {
  const std::span<const FrameIndex> tied = groups_.frames(g);
  double missed = 0;
  for (std::size_t r = 0; r < g.rows; ++r) {
    double off = asked().row(g, r).acceleration;
    for (std::size_t f = 0; f < tied.size(); ++f) off -= dot(asked().share(g, r, f).row, accelerations[at(tied[f])]);
    if (g.module != none) off -= variables_.acceleration(g, r);
    missed = std::max(missed, std::abs(off));
  }
  return missed;
}

void ElementRows::add_efforts(std::span<const BodyMotion> motions, std::span<Spatial> wrenches) const noexcept {
  for (const Group& g : groups_.all()) {
    const std::span<const FrameIndex> tied = groups_.frames(g);
    for (std::size_t r = 0; r < g.rows; ++r) {
      const double given = effort(g, r);
      if (given == 0) continue;
      for (std::size_t f = 0; f < tied.size(); ++f) wrenches[at(tied[f])] += given * asked().share(g, r, f).row;
    }
  }
  module_loads_.add_wrenches(motions, wrenches);
}

void ElementRows::add_reactions(std::span<const double> multipliers, std::span<const BodyMotion> frames,
                                std::span<Spatial> reactions) const noexcept {
  for (const Group& g : groups_.all()) {
    const ConstraintSet::Element& e = *g.of;
    for (std::size_t r = 0; r < g.rows; ++r) {
      const double force = multipliers[g.row + r] + effort(g, r);
      const double* B = e.B.data() + (g.first + r) * e.velocities;
      for (std::size_t k = 0; k < e.joints.size(); ++k) {
        const JointData& joint = view_.joints[at(e.joints[k])];
        reactions[at(e.joints[k])] += force * reaction_in_ground(motion_of(joint.base_frame, frames),
                                                                 effort_wrench(motions_[g.motion + k], joint.nv, B));
        B += joint.nv;
      }
    }
  }
  module_loads_.add_reactions(frames, reactions);
}

void ElementRows::put_constraint_multipliers(std::span<const double> multipliers,
                                             std::span<double> out) const noexcept {
  std::size_t next = 0;
  for (const Group& g : groups_.all())
    for (std::size_t r = 0; r < g.rows && g.module == none; ++r) out[next++] = multipliers[g.row + r] + effort(g, r);
}

void ElementRows::put_module_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept {
  std::size_t next = 0;
  for (const Group& g : groups_.all())
    for (std::size_t r = 0; r < g.rows && g.module != none; ++r) out[next++] = multipliers[g.row + r] + effort(g, r);
}

double ElementRows::driving_power(std::span<const double> multipliers) const noexcept {
  double power = 0;
  for (const Group& g : groups_.all())
    for (std::size_t r = 0; r < g.rows; ++r)
      power += (multipliers[g.row + r] + effort(g, r)) * g.of->velocity_right[g.first + r];
  return power;
}

}  // namespace polyform
