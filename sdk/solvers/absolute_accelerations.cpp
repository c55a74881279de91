#include "polyform/solvers/absolute_accelerations.hpp"

#include <algorithm>

#include "absolute/six.hpp"

namespace polyform {

using absolute::load;

AbsoluteAccelerations::AbsoluteAccelerations(const absolute::Model& model, std::span<const double> solution)
    : model_(model), solution_(solution), efforts_(model.view.nv) {}

/// The loads of constraint elements and modules on joints count as efforts of the joints: Bᵀ(λ + effort).
void AbsoluteAccelerations::found(std::span<const double> applied) noexcept {
  std::copy(applied.begin(), applied.end(), efforts_.begin());
  for (std::size_t constraint = model_.constraints.first_element(); constraint < model_.constraints.count();
       ++constraint) {
    const ConstraintSet::Element& element = model_.constraints.element(constraint);
    const absolute::Constraints::Constraint& tied = model_.constraints[constraint];
    for (std::size_t r = 0; r < tied.rows; ++r) {
      const double force = element.effort[r] + multiplier(tied.row + r);
      const double* B = element.B.data() + r * element.velocities;
      for (const JointIndex j : element.joints) {
        const JointData& joint = model_.view.joints[at(j)];
        for (std::size_t k = 0; k < joint.nv; ++k) efforts_[joint.v_offset + k] += force * *B++;
      }
    }
  }
}

double AbsoluteAccelerations::driving_power() const noexcept {
  double power = 0;
  for (std::size_t constraint = model_.constraints.first_element(); constraint < model_.constraints.count();
       ++constraint) {
    const ConstraintSet::Element& element = model_.constraints.element(constraint);
    const absolute::Constraints::Constraint& tied = model_.constraints[constraint];
    for (std::size_t r = 0; r < tied.rows; ++r)
      power += (element.effort[r] + multiplier(tied.row + r)) * element.velocity_right[r];
  }
  return power;
}

Spatial AbsoluteAccelerations::reaction(std::size_t j) const noexcept {
  const JointData& joint = model_.view.joints[j];
  const JointConstraint& c = model_.rows.joint(j);
  Spatial w = effort_wrench(c.motion, joint.nv, efforts_.data() + joint.v_offset);
  for (std::size_t i = 0; i < c.rows; ++i) w += multiplier(model_.constraints[j].row + i) * c.T[i];
  return reaction_in_ground(motion_of(joint.base_frame, model_.motions.frames), w);
}

double AbsoluteAccelerations::clock_power(const RheonomicJoints& joints, std::span<const double> q,
                                          std::span<const Spatial> reactions) const noexcept {
  return joints.power(q, model_.motions.frames, reactions);
}

Spatial AbsoluteAccelerations::of_center(std::size_t body) const noexcept {
  return load(solution_.data() + model_.blocks.offset(body));
}

Spatial AbsoluteAccelerations::of_origin(std::size_t body) const noexcept {
  const Spatial a = of_center(body);
  const Vec3 &w = model_.motions.frames[body].V.angular, &c = model_.inertia.center(body);
  return {a.angular, a.linear - cross(a.angular, c) - cross(w, cross(w, c))};
}

Spatial AbsoluteAccelerations::of_frame(FrameIndex f) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = model_.view.bodies.size();
  if (at(f) < n) return of_origin(at(f));
  const NodeMotions& nodes = model_.motions.nodes;
  const std::size_t node = at(f) - n, b = model_.blocks.body_of(f);
  const double* etaddot = solution_.data() + model_.blocks.offset(b) + 6;
  return node_acceleration(nodes[node], model_.motions.frames[b], of_origin(b),
                           nodes.relative_acceleration(node, etaddot));
}

void AbsoluteAccelerations::modal_accelerations(std::span<double> etaddot) const noexcept {
  for (const FlexibleData& f : model_.view.flexible)
    std::copy_n(solution_.data() + model_.blocks.offset(at(f.body)) + 6, f.modes, etaddot.data() + f.mode_offset);
}

void AbsoluteAccelerations::joint_accelerations(std::span<double> vdot) const noexcept {
  const std::span<const BodyMotion> frames = model_.motions.frames;
  for (std::size_t j = 0; j < model_.view.joints.size(); ++j) {
    const JointData& joint = model_.view.joints[j];
    const JointMotion& m = model_.rows.joint(j).motion;
    const Spatial A = relative_acceleration(joint, motion_of(joint.base_frame, frames), of_frame(joint.base_frame),
                                            motion_of(joint.moving_frame, frames), of_frame(joint.moving_frame));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
}

void AbsoluteAccelerations::module_rates(std::span<double> xdot) const noexcept {
  for (std::size_t i = model_.blocks.bodies(); i < model_.blocks.count(); ++i) {
    const ModuleSet::Module& m = model_.blocks.module(i);
    std::copy_n(solution_.data() + model_.blocks.offset(i), m.variables, xdot.data() + m.u);
  }
  model_.modules.put_rates(xdot);
}

void AbsoluteAccelerations::module_multipliers(std::span<double> out) const noexcept {
  double* next = out.data();
  for (std::size_t constraint = model_.constraints.first_module(); constraint < model_.constraints.count();
       ++constraint)
    for (std::size_t r = 0; r < model_.constraints.element(constraint).rows; ++r)
      *next++ = r < model_.constraints[constraint].rows ? multiplier(model_.constraints[constraint].row + r) : 0;
}

void AbsoluteAccelerations::constraint_multipliers(std::span<double> out) const noexcept {
  double* next = out.data();
  for (std::size_t constraint = model_.constraints.first_element(); constraint < model_.constraints.first_module();
       ++constraint) {
    const ConstraintSet::Element& element = model_.constraints.element(constraint);
    for (std::size_t r = 0; r < element.rows; ++r)
      *next++ = r < model_.constraints[constraint].rows
                    ? element.effort[r] + multiplier(model_.constraints[constraint].row + r)
                    : 0;
  }
}

}  // namespace polyform
