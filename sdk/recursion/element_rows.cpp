#include "polyform/solvers/element_rows.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"

namespace polyform {

ElementRows::ElementRows(const SystemView& view, const Vec3& origin)
    : view_(view), elements_(view, origin), set_(view, origin) {
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) add_groups(e, none);
  if (!has_modules()) return;
  add_modules();
  asked_shares_ = shares_;
  asked_ = rows_;
}

/// As many rows of an element together as a block of the multipliers has room for.
void ElementRows::add_groups(std::size_t element, std::size_t module) {
  Group made{element};
  made.module = module;
  const ConstraintSet::Element& e = of(made);
  for (std::size_t first = 0; first < e.rows; first += MultiplierMatrix::most_rows) {
    Group g = made;
    g.first = first;
    g.rows = std::min(e.rows - first, MultiplierMatrix::most_rows);
    g.row = rows_.size();
    g.frames = frames_.size();
    g.share = shares_.size();
    g.slots = slots_.size();
    g.motion = motions_.size();
    const auto is_on_ground = [&](JointIndex j) {
      return is_ground(view_.joints[at(j)].base_frame) || is_ground(view_.joints[at(j)].moving_frame);
    };
    g.absolute = !e.markers.empty() || std::ranges::any_of(e.joints, is_on_ground);
    for (std::size_t r = 0; r < g.rows; ++r)
      if (!e.is_holonomic(first + r)) g.nonholonomic |= 1u << r;
    for (const Marker& marker : e.markers) slots_.push_back(slot_of(g, marker.frame));
    for (const JointIndex j : e.joints)
      for (const FrameIndex f : {view_.joints[at(j)].base_frame, view_.joints[at(j)].moving_frame})
        slots_.push_back(slot_of(g, f));
    g.frame_count = frames_.size() - g.frames;
    rows_.resize(rows_.size() + g.rows);
    shares_.resize(shares_.size() + g.rows * g.frame_count);
    motions_.resize(motions_.size() + e.joints.size());
    groups_.push_back(g);
  }
}

/// The place of a frame among those of the group that is being made, which is the last one.
std::size_t ElementRows::slot_of(const Group& g, FrameIndex f) {
  if (is_ground(f)) return none;
  const auto first = frames_.begin() + static_cast<std::ptrdiff_t>(g.frames);
  const auto found = std::find(first, frames_.end(), f);
  const std::size_t slot = static_cast<std::size_t>(found - first);
  if (found == frames_.end()) frames_.push_back(f);
  return slot;
}

void ElementRows::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                           std::span<const double> v, std::span<const double> x) noexcept {
  elements_.evaluate(t, frames, q, v);
  if (has_modules()) evaluate_modules(t, frames, q, v, x);
  std::fill(shares_.begin(), shares_.end(), Share{});
  for (const Group& g : groups_) {
    const ConstraintSet::Element& e = of(g);
    for (std::size_t k = 0; k < e.joints.size(); ++k) {
      const JointData& joint = view_.joints[at(e.joints[k])];
      joint_motion(joint, q.data() + joint.q_offset, v.data() + joint.v_offset, motions_[g.motion + k]);
    }
    for (std::size_t r = 0; r < g.rows; ++r) {
      const std::size_t row = g.first + r;
      rows_[g.row + r] = {e.is_holonomic(row) ? e.residual[row] : 0,
                          velocity_of_row(view_, e, row, v) - e.velocity_right[row], e.acceleration_right[row]};
      if (g.module != none) rows_[g.row + r].rate += rate_of_variables(g, row, x);
      add_markers(g, r);
      add_joints(g, r, frames);
    }
  }
  if (!has_modules()) return;
  asked_ = rows_;
  asked_shares_ = shares_;
  prepare(Level::acceleration);
}

double ElementRows::missed_by_positions(std::size_t g) const {
  double missed = 0;
  for (std::size_t r = 0; r < groups_[g].rows; ++r)
    if (!(std::abs(asked(g, r).residual) <= missed)) missed = std::abs(asked(g, r).residual);  // what is no number, too
  return missed;
}

double ElementRows::missed_by_velocities(std::size_t g) const {
  double missed = 0;
  for (std::size_t r = 0; r < groups_[g].rows; ++r) missed = std::max(missed, std::abs(asked(g, r).rate));
  return missed;
}

void ElementRows::add_markers(const Group& g, std::size_t r) noexcept {
  const ConstraintSet::Element& e = of(g);
  for (std::size_t m = 0; m < e.markers.size(); ++m) {
    const std::size_t slot = slots_[g.slots + m];
    if (slot == none) continue;
    const Spatial& a = e.A[(g.first + r) * e.markers.size() + m];
    const Vec3 &arm = e.arms[m], &omega = e.motions[m].angular_velocity;
    const double force = size(a.linear);
    shares_[g.share + r * g.frame_count + slot].add({a.angular + cross(arm, a.linear), a.linear},
                                                    size(a.angular) + size(arm) * force, force);
    rows_[g.row + r].acceleration -= dot(a.linear, cross(omega, cross(omega, arm)));
  }
}

void ElementRows::add_joints(const Group& g, std::size_t r, std::span<const BodyMotion> frames) noexcept {
  const ConstraintSet::Element& e = of(g);
  const double* B = e.B.data() + (g.first + r) * e.velocities;
  const std::size_t* slot = slots_.data() + g.slots + e.markers.size();
  Share* const shares = shares_.data() + g.share + r * g.frame_count;
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
    rows_[g.row + r].acceleration += dot(t, motion.bias - relative_acceleration(joint, base, {}, moving, {}));
    B += joint.nv;
  }
}

void ElementRows::add_efforts(std::span<const BodyMotion> motions, std::span<Spatial> wrenches) const noexcept {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows; ++r) {
      const double given = effort(g, r);
      if (given == 0) continue;
      for (std::size_t f = 0; f < groups_[g].frame_count; ++f)
        wrenches[at(frames(g)[f])] += given * asked_share(g, r, f).row;
    }
  for (const ModuleSet::Module& module : set_.modules()) add_module_loads(module, motions, wrenches);
}

void ElementRows::add_reactions(std::span<const double> multipliers, std::span<const BodyMotion> frames,
                                std::span<Spatial> reactions) const noexcept {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& g = groups_[i];
    const ConstraintSet::Element& e = of(g);
    for (std::size_t r = 0; r < g.rows; ++r) {
      const double force = multipliers[g.row + r] + effort(i, r);
      const double* B = e.B.data() + (g.first + r) * e.velocities;
      for (std::size_t k = 0; k < e.joints.size(); ++k) {
        const JointData& joint = view_.joints[at(e.joints[k])];
        reactions[at(e.joints[k])] += force * reaction_in_ground(motion_of(joint.base_frame, frames),
                                                                 effort_wrench(motions_[g.motion + k], joint.nv, B));
        B += joint.nv;
      }
    }
  }
  for (const ModuleSet::Module& module : set_.modules()) add_module_reactions(module, frames, reactions);
}

void ElementRows::put_constraint_multipliers(std::span<const double> multipliers,
                                             std::span<double> out) const noexcept {
  std::size_t next = 0;
  for (std::size_t i = 0; i < groups_.size() && groups_[i].module == none; ++i)
    for (std::size_t r = 0; r < groups_[i].rows; ++r) out[next++] = multipliers[groups_[i].row + r] + effort(i, r);
}

double ElementRows::driving_power(std::span<const double> multipliers) const noexcept {
  double power = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (std::size_t r = 0; r < groups_[i].rows; ++r)
      power += (multipliers[groups_[i].row + r] + effort(i, r)) * of(groups_[i]).velocity_right[groups_[i].first + r];
  return power;
}

}  // namespace polyform
