#include "loads.hpp"

#include <algorithm>

#include "six.hpp"

namespace polyform::absolute {

void Loads::add_size(std::size_t block, const Spatial& load) noexcept {
  if (block >= sizes_.size()) return;  // a module
  sizes_[block].force += largest(load.linear);
  sizes_[block].moment += largest(load.angular);
}

void Loads::set(std::span<const Spatial> wrenches, std::span<const double> efforts,
                std::span<const double> modal_forces) noexcept {
  for (std::size_t i = 0; i < model_.view.bodies.size(); ++i) {
    sizes_[i] = {};
    add_size(i, wrenches[i]);
    if (!model_.inertia.is_rigid(i)) {
      store(wrenches[i], f_.data() + model_.blocks.offset(i));
      continue;
    }
    const Vec3& w = model_.motions.frames[i].V.angular;
    const double mass = model_.view.bodies[i].mass;
    store({wrenches[i].angular - cross(w, model_.inertia.of_body(i) * w),
           wrenches[i].linear + mass * model_.view.gravity},
          f_.data() + model_.blocks.offset(i));
  }
  if (!model_.inertia.flexible().empty()) apply_flexible_forces(modal_forces);
  std::copy(efforts.begin(), efforts.end(), efforts_.begin());
  if (!model_.modules.empty()) apply_modules();
  for (std::size_t j = 0; j < model_.view.joints.size(); ++j) apply_joint_effort(j);
  for (std::size_t constraint = model_.constraints.first_element(); constraint < model_.constraints.first_module();
       ++constraint)
    apply_element_effort(constraint);
}

/// Velocity terms, elastic forces and weight of the flexible bodies, and the applied modal forces.
void Loads::apply_flexible_forces(std::span<const double> modal_forces) noexcept {
  for (std::size_t f = 0; f < model_.view.flexible.size(); ++f) {
    const FlexibleData& data = model_.view.flexible[f];
    const std::size_t size = model_.inertia.flexible().size(f);
    const double *M = model_.inertia.matrix(at(data.body)).data(), *own = model_.inertia.flexible().force(f).data();
    double* load_on_body = f_.data() + model_.blocks.offset(at(data.body));
    const Mat3& R = model_.motions.frames[at(data.body)].R;
    const Spatial in_body = load(own);
    store(load(load_on_body) + Spatial{R * in_body.angular, R * in_body.linear}, load_on_body);
    for (std::size_t k = 0; k < data.modes; ++k) load_on_body[6 + k] = modal_forces[data.mode_offset + k] + own[6 + k];
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < 3; ++c) load_on_body[r] += M[r * size + 3 + c] * model_.view.gravity[c];
  }
}

/// A wrench on a frame, about its origin.
void Loads::apply_wrench(FrameIndex frame, const Spatial& about_origin) noexcept {
  if (is_ground(frame)) return;
  const std::size_t body = model_.blocks.body_of(frame);
  double* f = f_.data() + model_.blocks.offset(body);
  const Spatial wrench = model_.rows.wrench_about_center(frame, about_origin, f + 6);
  store(load(f) + wrench, f);
  add_size(body, wrench);
}

/// Forces within the modules, and what they apply to markers and joints.
void Loads::apply_modules() noexcept {
  for (std::size_t i = model_.blocks.bodies(); i < model_.blocks.count(); ++i) {
    const ModuleSet::Module& m = model_.blocks.module(i);
    std::copy(m.f.begin(), m.f.end(), f_.data() + model_.blocks.offset(i));
    for (std::size_t k = 0; k < m.wrenches.size(); ++k) {
      const FrameIndex f = m.rows.markers[k].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = m.rows.arms[k];
      const Spatial& w = m.wrenches[k];
      apply_wrench(f, {w.angular + cross(arm, w.linear), w.linear});
    }
    const double* effort = m.efforts.data();
    for (const JointIndex j : m.rows.joints) {
      const JointData& joint = model_.view.joints[at(j)];
      for (std::size_t k = 0; k < joint.nv; ++k) efforts_[joint.v_offset + k] += *effort++;
    }
  }
}

/// The generalized force of a joint as a pair of wrenches on its bodies.
void Loads::apply_joint_effort(std::size_t j) noexcept {
  const JointData& joint = model_.view.joints[j];
  const double* effort = efforts_.data() + joint.v_offset;
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const std::span<const BodyMotion> frames = model_.motions.frames;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames),
                     effort_wrench(model_.rows.joint(j).motion, joint.nv, effort));
  apply_wrench(joint.moving_frame, w.moving);
  apply_wrench(joint.base_frame, w.base);
}

/// The given part of the force of a constraint element.
void Loads::apply_element_effort(std::size_t constraint) noexcept {
  const ConstraintSet::Element& element = model_.constraints.element(constraint);
  const Constraints::Constraint& tied = model_.constraints[constraint];
  for (const Constraints::Entry& entry : model_.constraints.entries_of(tied)) {
    double* f = f_.data() + model_.blocks.offset(entry.block);
    for (std::size_t r = 0; r < tied.rows; ++r) {
      const double *own = model_.rows.own(entry, r), effort = element.effort[r];
      store(load(f) + effort * model_.rows.frame(entry, r), f);
      add_size(entry.block, effort * model_.rows.frame(entry, r));
      for (std::size_t k = 0; k < entry.owns; ++k) f[6 + k] += effort * own[k];
    }
  }
}

}  // namespace polyform::absolute
