#include "constraint_rows.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::hierarchy {

ConstraintRows::ConstraintRows(const SystemView& view, std::span<const Tie> ties, std::size_t last_level)
    : view_(view), elements_(view) {
  std::size_t row = 0, first = 0;
  for (const Tie& tie : ties) {
    const std::size_t rows = tie.level <= last_level ? tie.rows : 0;
    groups_.push_back({rows, row, first, tie.bodies});
    row += rows;
    first += rows * tie.bodies.size();
  }
  const std::size_t n = view.bodies.size();
  joints_.resize(view.joints.size());
  motions_.resize(n);
  centers_.resize(n);
  inertias_.resize(n);
  coefficients_.resize(first);
  accelerations_.resize(n);
  right_.resize(row);
  multipliers_.resize(row);
  efforts_.resize(view.nv);
}

std::string_view ConstraintRows::name(std::size_t tie) const noexcept {
  return is_joint(tie) ? view_.joints[tie].name : elements_.elements()[tie - view_.joints.size()].name;
}

void ConstraintRows::evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q,
                              std::span<double> v) noexcept {
  std::copy(bodies.begin(), bodies.end(), motions_.begin());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    centers_[i] = bodies[i].R * view_.bodies[i].center_of_mass;
    inertias_[i] = rotate(bodies[i].R, view_.bodies[i].inertia);
  }
  position_violation_ = velocity_violation_ = 0;
  std::fill(coefficients_.begin(), coefficients_.end(), Spatial{});
  for (std::size_t j = 0; j < view_.joints.size(); ++j) set_joint(j, q.data(), v.data());
  if (elements_.elements().empty()) return;
  elements_.evaluate(t, bodies, q, v);
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) set_element(e);
}

/// A body's share of a row, which multiplies its angular acceleration and the acceleration of its mass centre.
void ConstraintRows::add_to_row(const Group& group, std::size_t row, BodyIndex body,
                                const Spatial& about_center) noexcept {
  if (is_ground(body)) return;
  const auto place = std::find(group.bodies.begin(), group.bodies.end(), at(body)) - group.bodies.begin();
  coefficients_[group.first + static_cast<std::size_t>(place) * group.rows + row] += about_center;
}

/// The row t · A_FM (F axes at the origin of M) of a joint.
void ConstraintRows::add_joint_row(const Group& group, std::size_t row, std::size_t j, const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const ConstraintRow r = constraint_row(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_), t);
  const auto to_center = [&](BodyIndex b, const Spatial& w) {
    if (!is_ground(b)) add_to_row(group, row, b, {w.angular - cross(centers_[at(b)], w.linear), w.linear});
  };
  to_center(joint.moving, r.moving);
  to_center(joint.base, r.base);
}

/// Relative acceleration of M in F when neither mass centre accelerates and no body has angular acceleration.
Spatial ConstraintRows::velocity_terms(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  const auto of_origin = [&](BodyIndex b) -> Spatial {
    if (is_ground(b)) return {};
    const Vec3& w = motions_[at(b)].V.angular;
    return {{}, -cross(w, cross(w, centers_[at(b)]))};
  };
  return relative_acceleration(joint, motion_of(joint.base, motions_), of_origin(joint.base),
                               motion_of(joint.moving, motions_), of_origin(joint.moving));
}

void ConstraintRows::set_joint(std::size_t j, double* q, double* v) noexcept {
  const JointData& joint = view_.joints[j];
  const Group& group = groups_[j];
  JointConstraint& c = joints_[j];
  joint_constraint(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_), q + joint.q_offset,
                   v + joint.v_offset, c);
  // Where H loses rank there are more rows than the joint has room for: the first ones do.
  c.rows = std::min(c.rows, group.rows);
  if (group.rows == 0) return;
  double* right = right_.data() + group.row;
  std::fill_n(right, group.rows, 0.0);
  const Spatial terms = c.motion.bias - velocity_terms(j);
  for (std::size_t i = 0; i < c.rows; ++i) {
    add_joint_row(group, i, j, c.T[i]);
    position_violation_ = std::max(position_violation_, std::abs(c.residual[i]));
    velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[i], c.relative.twist)));
    right[i] = dot(c.T[i], terms);
  }
}

void ConstraintRows::set_element(std::size_t index) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[index];
  const Group& group = groups_[view_.joints.size() + index];
  for (std::size_t i = 0; i < group.rows; ++i) {
    if (element.holonomic) position_violation_ = std::max(position_violation_, std::abs(element.residual[i]));
    double right = element.acceleration_right[i], rate = -element.velocity_right[i];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const BodyIndex b = element.markers[m].body;
      if (is_ground(b)) continue;
      const Vec3 arm = motion.position - motions_[at(b)].p - centers_[at(b)];
      add_to_row(group, i, b, {a.angular + cross(arm, a.linear), a.linear});
      const Vec3& w = motion.angular_velocity;
      right -= dot(a.linear, cross(w, cross(w, arm)));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex j : element.joints) {
      // v̇ = H⁺ (A_FM − Ḣ v), so the row B v̇ is t · (A_FM − Ḣ v) with t = H (HᵀH)⁻¹ Bᵀ.
      const JointConstraint& c = joints_[at(j)];
      const Spatial t = effort_wrench(c.motion, view_.joints[at(j)].nv, B);
      add_joint_row(group, i, at(j), t);
      rate += dot(t, c.relative.twist);
      right += dot(t, c.motion.bias - velocity_terms(at(j)));
      B += view_.joints[at(j)].nv;
    }
    right_[group.row + i] = right;
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate));
  }
}

void ConstraintRows::add_efforts(std::span<const double> efforts, std::span<Spatial> loads) noexcept {
  std::copy(efforts.begin(), efforts.end(), efforts_.begin());
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const double* effort = efforts_.data() + joint.v_offset;
    if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) continue;
    const ConstraintRow w = constraint_row(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_),
                                           effort_wrench(joints_[j].motion, joint.nv, effort));
    const auto apply = [&](BodyIndex b, const Spatial& about_origin) {
      if (is_ground(b)) return;
      const Vec3& c = centers_[at(b)];
      loads[at(b)] += Spatial{about_origin.angular - cross(c, about_origin.linear), about_origin.linear};
    };
    apply(joint.moving, w.moving);
    apply(joint.base, w.base);
  }
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) {
    const Group& group = groups_[view_.joints.size() + e];
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
      for (std::size_t r = 0; r < group.rows; ++r)
        loads[group.bodies[i]] += elements_.elements()[e].effort[r] * coefficients_[group.first + i * group.rows + r];
  }
}

/// What constraint elements do to joints counts as effort of the joints: Bᵀ(λ + effort).
void ConstraintRows::set_solution(std::span<const Spatial> accelerations,
                                  std::span<const double> multipliers) noexcept {
  std::copy(accelerations.begin(), accelerations.end(), accelerations_.begin());
  std::copy(multipliers.begin(), multipliers.end(), multipliers_.begin());
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) {
    const ConstraintSet::Element& element = elements_.elements()[e];
    const Group& group = groups_[view_.joints.size() + e];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double multiplier = element.effort[r] + multipliers_[group.row + r];
      const double* B = element.B.data() + r * element.velocities;
      for (const JointIndex j : element.joints) {
        const JointData& joint = view_.joints[at(j)];
        for (std::size_t k = 0; k < joint.nv; ++k) efforts_[joint.v_offset + k] += multiplier * *B++;
      }
    }
  }
}

Spatial ConstraintRows::reaction(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  Spatial w = effort_wrench(joints_[j].motion, joint.nv, efforts_.data() + joint.v_offset);
  for (std::size_t i = 0; i < joints_[j].rows; ++i) w += multipliers_[groups_[j].row + i] * joints_[j].T[i];
  return reaction_in_ground(motion_of(joint.base, motions_), w);
}

Spatial ConstraintRows::origin_acceleration(std::size_t i) const noexcept {
  const Spatial& a = accelerations_[i];
  const Vec3& w = motions_[i].V.angular;
  return {a.angular, a.linear - cross(a.angular, centers_[i]) - cross(w, cross(w, centers_[i]))};
}

void ConstraintRows::joint_accelerations(std::span<double> vdot) const noexcept {
  const auto of_origin = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : origin_acceleration(at(b)); };
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotion& m = joints_[j].motion;
    const Spatial A = relative_acceleration(joint, motion_of(joint.base, motions_), of_origin(joint.base),
                                            motion_of(joint.moving, motions_), of_origin(joint.moving));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
}

}  // namespace polyform::hierarchy
