// Constraint rows A and their right-hand sides at the three levels.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/solvers/absolute_system.hpp"

namespace polyform {

void AbsoluteSystem::set_motions(std::span<const BodyMotion> bodies, std::span<const double> eta,
                                 std::span<const double> etadot, std::span<const double> states) noexcept {
  states_given_ = states.size() == view_.states;  // also where there are none
  std::copy(states.begin(), states.end(), states_.begin());
  std::copy_n(bodies.begin(), view_.bodies.size(), motions_.begin());
  std::copy(eta.begin(), eta.end(), eta_.begin());
  std::copy(etadot.begin(), etadot.end(), etadot_.begin());
  nodes_.evaluate(eta_.data(), etadot_.data());
  nodes_.place(motions_);
}

void AbsoluteSystem::set_rows(double t, Level level, double* q, double* v) noexcept {
  set_inertia();
  position_violation_ = velocity_violation_ = 0;
  std::fill(coefficients_.begin(), coefficients_.end(), Spatial{});
  std::fill(own_coefficients_.begin(), own_coefficients_.end(), 0.0);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) set_joint_rows(j, level, q, v);
  if (!elements_.elements().empty()) {
    elements_.evaluate(t, motions_, {q, view_.nq}, {v, view_.nv});
    for (std::size_t tie = view_.joints.size(); tie < module_ties(); ++tie) set_element_rows(tie, level);
  }
  if (!modules_.empty()) {
    modules_.evaluate(t, motions_, {q, view_.nq}, {v, view_.nv}, states_);
    for (std::size_t tie = module_ties(); tie < groups_.size(); ++tie)
      if (states_given_)
        set_element_rows(tie, level);
      else
        std::fill_n(right_.data() + groups_[tie].row, groups_[tie].rows, 0.0);
  }
}

void AbsoluteSystem::evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q, std::span<double> v,
                              std::span<const double> eta, std::span<const double> etadot,
                              std::span<const double> states) noexcept {
  set_motions(bodies, eta, etadot, states);
  set_rows(t, Level::acceleration, q.data(), v.data());
}

/// The body that a frame belongs to.
std::size_t AbsoluteSystem::body_of(FrameIndex f) const noexcept {
  const std::size_t n = view_.bodies.size();
  return at(f) < n ? at(f) : at(view_.nodes[at(f) - n].body);
}

/// A wrench on a frame about its origin as one about the mass centre of its body. What it does to the body's modes is
/// added to modal; they are not touched for a wrench on the body frame.
Spatial AbsoluteSystem::wrench_about_center(FrameIndex f, const Spatial& w, double* modal) const noexcept {
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) return {w.angular - cross(centers_[at(f)], w.linear), w.linear};
  Spatial about_origin;
  nodes_.add_wrench(at(f) - n, motions_, w, about_origin, modal);
  return about_origin;
}

/// A body's share of a row, read as a wrench on one of its frames: it multiplies the body's angular velocity, the
/// velocity of its mass centre and the rates of its modes.
void AbsoluteSystem::add_to_row(const Group& group, std::size_t row, FrameIndex frame,
                                const Spatial& about_origin) noexcept {
  if (is_ground(frame)) return;
  const Entry& entry = *entry_of(group, body_index(body_of(frame)));
  coefficients_[entry.first + row] +=
      wrench_about_center(frame, about_origin, own_coefficients_.data() + entry.own + row * entry.owns);
}

/// The row t · V_FM (F axes at the origin of M) of a joint.
void AbsoluteSystem::add_joint_row(const Group& group, std::size_t row, std::size_t j, const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const ConstraintRow r =
      constraint_row(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_), t);
  add_to_row(group, row, joint.moving_frame, r.moving);
  add_to_row(group, row, joint.base_frame, r.base);
}

/// Acceleration of a frame's origin when no mass centre accelerates, no body has angular acceleration and η̈ is zero.
Spatial AbsoluteSystem::velocity_terms(FrameIndex f) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) {
    const Vec3& w = motions_[at(f)].V.angular;
    return {{}, -cross(w, cross(w, centers_[at(f)]))};
  }
  const NodeMotion& node = nodes_[at(f) - n];
  return node_acceleration(node, motions_[body_of(f)], {}, node.bias);
}

/// The same of M in F of a joint.
Spatial AbsoluteSystem::velocity_terms_of(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  return relative_acceleration(joint, motion_of(joint.base_frame, motions_), velocity_terms(joint.base_frame),
                               motion_of(joint.moving_frame, motions_), velocity_terms(joint.moving_frame));
}

void AbsoluteSystem::set_joint_rows(std::size_t j, Level level, double* q, double* v) noexcept {
  const JointData& joint = view_.joints[j];
  const Group& group = groups_[j];
  JointConstraint& c = joints_[j];
  joint_constraint(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_),
                   q + joint.q_offset, v + joint.v_offset, c);
  // Where H loses rank there are more rows than the joint has room for: the first ones do.
  c.rows = std::min({c.rows, 6 - joint.nv, group.rows});
  if (group.rows == 0) return;
  double* right = right_.data() + group.row;
  std::fill_n(right, group.rows, 0.0);
  const Spatial terms = level == Level::acceleration ? c.motion.bias - velocity_terms_of(j) : Spatial{};
  for (std::size_t i = 0; i < c.rows; ++i) {
    add_joint_row(group, i, j, c.T[i]);
    position_violation_ = std::max(position_violation_, std::abs(c.residual[i]));
    velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[i], c.relative.twist)));
    right[i] = level == Level::position ? -c.residual[i] : dot(c.T[i], terms);
  }
}

void AbsoluteSystem::set_element_rows(std::size_t tie, Level level) noexcept {
  const ConstraintSet::Element& element = element_of(tie);
  const Group& group = groups_[tie];
  for (std::size_t i = 0; i < group.rows; ++i) {
    if (element.is_holonomic(i)) position_violation_ = std::max(position_violation_, std::abs(element.residual[i]));
    double& right = right_[group.row + i];
    right = level == Level::position   ? -element.residual[i]
            : level == Level::velocity ? element.velocity_right[i]
                                       : element.acceleration_right[i];
    if (level == Level::position && !element.is_holonomic(i)) {
      right = 0;  // and no coefficients: the row asks nothing of positions
      continue;
    }
    double rate = (tie < module_ties() ? 0 : set_module_rows(tie, i, level)) - element.velocity_right[i];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const FrameIndex f = element.markers[m].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = element.arms[m];
      add_to_row(group, i, f, {a.angular + cross(arm, a.linear), a.linear});
      if (level != Level::acceleration) continue;
      const Spatial terms = velocity_terms(f);
      const Vec3& w = motion.angular_velocity;
      right -= dot(a.angular, terms.angular) +
               dot(a.linear, terms.linear + cross(terms.angular, arm) + cross(w, cross(w, arm)));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex index_of_joint : element.joints) {
      // v = H⁺ V_FM, so the row B v is t · V_FM with t = H (HᵀH)⁻¹ Bᵀ, which is also the wrench of an effort B.
      const std::size_t j = at(index_of_joint);
      const JointData& joint = view_.joints[j];
      const JointConstraint& c = joints_[j];
      const Spatial t = effort_wrench(c.motion, joint.nv, B);
      add_joint_row(group, i, j, t);
      rate += dot(t, c.relative.twist);
      if (level == Level::acceleration) right += dot(t, c.motion.bias - velocity_terms_of(j));
      B += joint.nv;
    }
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate));
  }
}

/// A module's own part of one of its rows, which it returns: A u. Positions move only the variables' integrals: a
/// variable without one has no part in them.
double AbsoluteSystem::set_module_rows(std::size_t tie, std::size_t row, Level level) noexcept {
  const ModuleSet::Module& module = modules_.modules()[tie - module_ties()];
  const double* A = module.A.data() + row * module.variables;
  const Entry& own = entries_[groups_[tie].entry + groups_[tie].entries - 1];
  double* coefficients = own_coefficients_.data() + own.own + row * own.owns;
  std::copy_n(A, module.variables, coefficients);
  for (std::size_t k = 0; level == Level::position && k < module.variables; ++k)
    if (!module.is_integrated(k)) coefficients[k] = 0;
  return std::inner_product(A, A + module.variables, states_.data() + module.u, 0.0);
}

}  // namespace polyform
