// Constraint rows A and their right-hand sides at the three levels.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/solvers/absolute/rows.hpp"
#include "six.hpp"

namespace polyform::absolute {

Rows::Rows(const SystemView& view, const Blocks& blocks, const Constraints& constraints, const Motions& motions,
           const Inertia& inertia, ConstraintSet& elements, ModuleSet& modules)
    : view_(view),
      blocks_(blocks),
      constraints_(constraints),
      motions_(motions),
      inertia_(inertia),
      elements_(elements),
      modules_(modules),
      joints_(view.joints.size()),
      frames_(constraints.frame_coefficients()),
      owns_(constraints.own_coefficients()),
      right_(constraints.rows()) {}

void Rows::evaluate(double t, Level level, double* q, double* v) noexcept {
  violation_ = {};
  std::fill(frames_.begin(), frames_.end(), Spatial{});
  std::fill(owns_.begin(), owns_.end(), 0.0);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) set_joint(j, level, q, v);
  if (!elements_.elements().empty()) {
    elements_.evaluate(t, motions_.frames, {q, view_.nq}, {v, view_.nv});
    for (std::size_t constraint = constraints_.first_element(); constraint < constraints_.first_module(); ++constraint)
      set_element(constraint, level);
  }
  if (!modules_.empty()) {
    modules_.evaluate(t, motions_.frames, {q, view_.nq}, {v, view_.nv}, motions_.states);
    for (std::size_t constraint = constraints_.first_module(); constraint < constraints_.count(); ++constraint)
      if (motions_.states_given)
        set_element(constraint, level);
      else
        std::fill_n(right_.data() + constraints_[constraint].row, constraints_[constraint].rows, 0.0);
  }
}

/// A wrench on a frame about its origin as one about the mass centre of its body. Its forces on the body's modes are
/// added to modal, which is not touched for a wrench on the body frame.
Spatial Rows::wrench_about_center(FrameIndex f, const Spatial& w, double* modal) const noexcept {
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) return {w.angular - cross(inertia_.center(at(f)), w.linear), w.linear};
  Spatial about_origin;
  motions_.nodes.add_wrench(at(f) - n, motions_.frames, w, about_origin, modal);
  return about_origin;
}

/// Adds a body's share of a row, read as a wrench on one of its frames: it multiplies the body's angular velocity, the
/// velocity of its mass centre and the rates of its modes.
void Rows::add(const Constraints::Constraint& constraint, std::size_t row, FrameIndex frame,
               const Spatial& about_origin) noexcept {
  if (is_ground(frame)) return;
  const Constraints::Entry& entry = *constraints_.entry_of(constraint, blocks_.body_of(frame));
  double* own = owns_.data() + entry.own + row * entry.owns;
  frames_[entry.first + row] += wrench_about_center(frame, about_origin, own);
}

/// Adds the row t · V_FM (F axes at the origin of M) of a joint.
void Rows::add_joint(const Constraints::Constraint& constraint, std::size_t row, std::size_t j,
                     const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const std::span<const BodyMotion> frames = motions_.frames;
  const ConstraintRow r =
      constraint_row(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames), t);
  add(constraint, row, joint.moving_frame, r.moving);
  add(constraint, row, joint.base_frame, r.base);
}

/// Acceleration of a frame's origin if no mass centre accelerates, no body has angular acceleration and η̈ is zero.
Spatial Rows::velocity_terms(FrameIndex f) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) {
    const Vec3& w = motions_.frames[at(f)].V.angular;
    return {{}, -cross(w, cross(w, inertia_.center(at(f))))};
  }
  const NodeMotion& node = motions_.nodes[at(f) - n];
  return node_acceleration(node, motions_.frames[blocks_.body_of(f)], {}, node.bias);
}

/// The same for the acceleration of M in F of a joint.
Spatial Rows::velocity_terms_of(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  return relative_acceleration(joint, motion_of(joint.base_frame, motions_.frames), velocity_terms(joint.base_frame),
                               motion_of(joint.moving_frame, motions_.frames), velocity_terms(joint.moving_frame));
}

void Rows::set_joint(std::size_t j, Level level, double* q, double* v) noexcept {
  const JointData& joint = view_.joints[j];
  const Constraints::Constraint& constraint = constraints_[j];
  JointConstraint& c = joints_[j];
  joint_constraint(joint, motion_of(joint.base_frame, motions_.frames), motion_of(joint.moving_frame, motions_.frames),
                   q + joint.q_offset, v + joint.v_offset, c);
  // If H loses rank, there are more rows than the joint has room for: the first ones are taken.
  c.rows = std::min({c.rows, 6 - joint.nv, constraint.rows});
  if (constraint.rows == 0) return;
  double* right = right_.data() + constraint.row;
  std::fill_n(right, constraint.rows, 0.0);
  const Spatial terms = level == Level::acceleration ? c.motion.bias - velocity_terms_of(j) : Spatial{};
  for (std::size_t i = 0; i < c.rows; ++i) {
    add_joint(constraint, i, j, c.T[i]);
    violation_.position = std::max(violation_.position, std::abs(c.residual[i]));
    violation_.velocity = std::max(violation_.velocity, std::abs(dot(c.T[i], c.relative.twist)));
    right[i] = level == Level::position   ? -c.residual[i]
               : level == Level::velocity ? dot(c.T[i], c.drift)
                                          : dot(c.T[i], terms);
  }
}

void Rows::set_element(std::size_t t, Level level) noexcept {
  const ConstraintSet::Element& element = constraints_.element(t);
  const Constraints::Constraint& constraint = constraints_[t];
  for (std::size_t i = 0; i < constraint.rows; ++i) {
    if (element.is_holonomic(i)) violation_.position = std::max(violation_.position, std::abs(element.residual[i]));
    double& right = right_[constraint.row + i];
    right = level == Level::position   ? -element.residual[i]
            : level == Level::velocity ? element.velocity_right[i]
                                       : element.acceleration_right[i];
    if (level == Level::position && !element.is_holonomic(i)) {
      right = 0;  // and no coefficients: the row asks nothing of positions
      continue;
    }
    double rate = (t < constraints_.first_module() ? 0 : set_module(t, i, level)) - element.velocity_right[i];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const FrameIndex f = element.markers[m].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = element.arms[m];
      add(constraint, i, f, {a.angular + cross(arm, a.linear), a.linear});
      if (level != Level::acceleration) continue;
      const Spatial terms = velocity_terms(f);
      const Vec3& omega = motion.angular_velocity;
      right -= dot(a.angular, terms.angular) +
               dot(a.linear, terms.linear + cross(terms.angular, arm) + cross(omega, cross(omega, arm)));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex index_of_joint : element.joints) {
      // v = H⁺ V_FM, so the row B v is w · V_FM with w = H (HᵀH)⁻¹ Bᵀ, which is also the wrench of an effort B.
      const std::size_t j = at(index_of_joint);
      const JointData& joint = view_.joints[j];
      const JointConstraint& c = joints_[j];
      const Spatial w = effort_wrench(c.motion, joint.nv, B);
      add_joint(constraint, i, j, w);
      rate += dot(w, c.relative.twist);
      if (level == Level::velocity) right += dot(w, c.drift);
      if (level == Level::acceleration) right += dot(w, c.motion.bias - velocity_terms_of(j));
      B += joint.nv;
    }
    violation_.velocity = std::max(violation_.velocity, std::abs(rate));
  }
}

/// Sets a module's own part of one of its rows, A u, and returns it. Positions move only the variables' integrals: a
/// variable without one has no part in them.
double Rows::set_module(std::size_t constraint, std::size_t row, Level level) noexcept {
  const ModuleSet::Module& module = modules_.modules()[constraint - constraints_.first_module()];
  const double* A = module.A.data() + row * module.variables;
  const Constraints::Entry& own = constraints_.own_entry(constraints_[constraint]);
  double* coefficients = owns_.data() + own.own + row * own.owns;
  std::copy_n(A, module.variables, coefficients);
  for (std::size_t k = 0; level == Level::position && k < module.variables; ++k)
    if (!module.is_integrated(k)) coefficients[k] = 0;
  return std::inner_product(A, A + module.variables, motions_.states.data() + module.u, 0.0);
}

double Rows::share(const Constraints::Entry& entry, std::size_t r, const double* x) const noexcept {
  const double* of_block = x + blocks_.offset(entry.block);
  const double* a = own(entry, r);
  const double share = std::inner_product(a, a + entry.owns, of_block + entry.frame, 0.0);
  return entry.frame == 0 ? share : share + dot(frame(entry, r), load(of_block));
}

}  // namespace polyform::absolute
