// Constraint rows A and their right-hand sides at the three levels.
#include <algorithm>
#include <cmath>

#include "polyform/absolute_system.hpp"

namespace polyform {

void AbsoluteSystem::set_inertia(std::span<const BodyMotion> bodies) noexcept {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    centers_[i] = bodies[i].R * view_.bodies[i].center_of_mass;
    inertias_[i] = rotate(bodies[i].R, view_.bodies[i].inertia);
  }
}

void AbsoluteSystem::set_rows(double t, Level level, std::span<const BodyMotion> bodies, double* q,
                              double* v) noexcept {
  set_inertia(bodies);
  position_violation_ = velocity_violation_ = 0;
  std::fill(coefficients_.begin(), coefficients_.end(), Spatial{});
  for (std::size_t j = 0; j < view_.joints.size(); ++j) set_joint_rows(j, level, bodies, q, v);
  if (elements_.elements().empty()) return;
  elements_.evaluate(t, bodies, {q, view_.nq}, {v, view_.nv});
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) set_element_rows(e, level, bodies);
}

void AbsoluteSystem::evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q,
                              std::span<double> v) noexcept {
  std::copy(bodies.begin(), bodies.end(), motions_.begin());
  set_rows(t, Level::acceleration, motions_, q.data(), v.data());
}

/// A body's share of a row, which multiplies its angular velocity and the velocity of its mass centre.
void AbsoluteSystem::add_to_row(const Group& group, std::size_t row, BodyIndex body,
                                const Spatial& about_center) noexcept {
  if (is_ground(body)) return;
  coefficients_[entry_of(group, body)->first + row] += about_center;
}

/// The row t · V_FM (F axes at the origin of M) of a joint.
void AbsoluteSystem::add_joint_row(const Group& group, std::size_t row, std::size_t j, const BodyMotion& base,
                                   const BodyMotion& moving, const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const ConstraintRow r = constraint_row(joint, base, moving, t);
  const auto to_center = [&](BodyIndex b, const Spatial& w) {
    if (!is_ground(b)) add_to_row(group, row, b, {w.angular - cross(centers_[at(b)], w.linear), w.linear});
  };
  to_center(joint.moving, r.moving);
  to_center(joint.base, r.base);
}

/// Relative acceleration of M in F when neither mass centre accelerates and no body has angular acceleration.
Spatial AbsoluteSystem::velocity_terms_of(std::size_t j, const BodyMotion& base,
                                          const BodyMotion& moving) const noexcept {
  const JointData& joint = view_.joints[j];
  const auto of_origin = [&](BodyIndex b, const BodyMotion& m) -> Spatial {
    if (is_ground(b)) return {};
    return {{}, -cross(m.V.angular, cross(m.V.angular, centers_[at(b)]))};
  };
  return relative_acceleration(joint, base, of_origin(joint.base, base), moving, of_origin(joint.moving, moving));
}

void AbsoluteSystem::set_joint_rows(std::size_t j, Level level, std::span<const BodyMotion> bodies, double* q,
                                    double* v) noexcept {
  const JointData& joint = view_.joints[j];
  const Group& group = groups_[j];
  const BodyMotion& base = motion_of(joint.base, bodies);
  const BodyMotion& moving = motion_of(joint.moving, bodies);
  JointConstraint& c = joints_[j];
  joint_constraint(joint, base, moving, q + joint.q_offset, v + joint.v_offset, c);
  // Where H loses rank there are more rows than the joint has room for: the first ones do.
  c.rows = std::min(c.rows, 6 - joint.nv);
  if (group.rows == 0) return;
  double* right = right_.data() + group.row;
  std::fill_n(right, group.rows, 0.0);
  if ((level == Level::position && locks_[j].position) || (level == Level::velocity && locks_[j].velocity)) {
    set_locked_rows(j, level, base, moving, q + joint.q_offset);
    return;
  }
  const Spatial terms =
      level == Level::acceleration ? c.motion.bias - velocity_terms_of(j, base, moving) : Spatial{};
  for (std::size_t i = 0; i < c.rows; ++i) {
    add_joint_row(group, i, j, base, moving, c.T[i]);
    position_violation_ = std::max(position_violation_, std::abs(c.residual[i]));
    velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[i], c.relative.twist)));
    right[i] = level == Level::position ? -c.residual[i] : dot(c.T[i], terms);
  }
}

/// A joint whose coordinates or velocities are given is a fixed one, at the pose or twist that these make.
void AbsoluteSystem::set_locked_rows(std::size_t j, Level level, const BodyMotion& base, const BodyMotion& moving,
                                     const double* q) noexcept {
  const JointData& joint = view_.joints[j];
  const RelativeMotion& actual = joints_[j].relative;
  const bool position = level == Level::position;
  JointMotion target;
  joint_motion(joint, position ? target_q_.data() + joint.q_offset : q, target_v_.data() + joint.v_offset, target);
  const Spatial error = position ? Spatial{rotation_vector(quaternion_of(times_transpose(actual.R_FM, target.R_FM))),
                                           actual.p_FM - target.p_FM}
                                 : actual.twist - target.twist;
  double& violation = position ? position_violation_ : velocity_violation_;
  for (std::size_t i = 0; i < 6; ++i) {
    Spatial t;
    t[i] = 1;
    add_joint_row(groups_[j], i, j, base, moving, t);
    violation = std::max(violation, std::abs(error[i]));
    right_[groups_[j].row + i] = position ? -error[i] : target.twist[i];
  }
}

void AbsoluteSystem::set_element_rows(std::size_t index, Level level, std::span<const BodyMotion> bodies) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[index];
  const Group& group = groups_[view_.joints.size() + index];
  for (std::size_t i = 0; i < element.rows; ++i) {
    if (element.holonomic) position_violation_ = std::max(position_violation_, std::abs(element.residual[i]));
    double& right = right_[group.row + i];
    right = level == Level::position   ? -element.residual[i]
            : level == Level::velocity ? element.velocity_right[i]
                                       : element.acceleration_right[i];
    if (level == Level::position && !element.holonomic) {
      right = 0;  // and no coefficients: the row asks nothing of positions
      continue;
    }
    double rate = -element.velocity_right[i];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const BodyIndex b = element.markers[m].body;
      if (is_ground(b)) continue;
      const Vec3 arm = motion.position - bodies[at(b)].p - centers_[at(b)];
      add_to_row(group, i, b, {a.angular + cross(arm, a.linear), a.linear});
      const Vec3& w = motion.angular_velocity;
      if (level == Level::acceleration) right -= dot(a.linear, cross(w, cross(w, arm)));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex index_of_joint : element.joints) {
      // v = H⁺ V_FM, so the row B v is t · V_FM with t = H (HᵀH)⁻¹ Bᵀ, which is also the wrench of an effort B.
      const std::size_t j = at(index_of_joint);
      const JointData& joint = view_.joints[j];
      const BodyMotion& base = motion_of(joint.base, bodies);
      const BodyMotion& moving = motion_of(joint.moving, bodies);
      const JointConstraint& c = joints_[j];
      const Spatial t = effort_wrench(c.motion, joint.nv, B);
      add_joint_row(group, i, j, base, moving, t);
      rate += dot(t, c.relative.twist);
      if (level == Level::acceleration) right += dot(t, c.motion.bias - velocity_terms_of(j, base, moving));
      B += joint.nv;
    }
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate));
  }
}

}  // namespace polyform
