// Accelerations, and what follows from them: reactions, accelerations of joints.
#include <algorithm>
#include <cmath>

#include "absolute_system_detail.hpp"

namespace polyform {

using detail::load;
using detail::store;

namespace {

/// What is left of the equations of motion, relative to their terms, is no solution from here on.
constexpr double largest_error = 1e-6;

}  // namespace

bool AbsoluteSystem::accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                   std::span<Spatial> out, std::span<const double> modal_forces,
                                   std::span<double> etaddot, Accelerations use) noexcept {
  failure_size_ = 0;
  factorized_ = false;
  set_loads(wrenches, efforts, modal_forces);
  std::copy(right_.begin(), right_.end(), data_.begin() + static_cast<std::ptrdiff_t>(row_at(0)));
  if (!(fine_ ? solve_unevenly(use) : solve_evenly(use))) return false;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(solution_.data() + offsets_[i]);
  for (std::size_t f = 0; !etaddot.empty() && f < view_.flexible.size(); ++f)
    std::copy_n(solution_.data() + offsets_[at(view_.flexible[f].body)] + 6, view_.flexible[f].modes,
                etaddot.data() + view_.flexible[f].mode_offset);
  add_element_efforts();
  return true;
}

/// From data_ into solution_, in doubles.
bool AbsoluteSystem::solve_evenly(Accelerations use) noexcept {
  std::fill(solution_.begin(), solution_.end(), 0.0);
  // Most systems take two or three rounds. In a long chain that bends like a beam across its pins the added compliance
  // of the rows sums up, and rounds have to follow it. Near a singular position of a loop they would follow nearly
  // dependent rows ever further, and an integrator out of its way.
  Refinement r{10, 0, rows_independent_ ? Follow::all : Follow::inertia};
  r.leaves_nearly_dependent = use == Accelerations::of_stage && !rows_independent_;
  if (!solve(r)) return false;
  if (std::size_t block = 0; r.body_error > largest_error) return find_free(r, block) && fail_free(r, block);
  return check_accuracy(r);
}

void AbsoluteSystem::set_loads(std::span<const Spatial> wrenches, std::span<const double> efforts,
                               std::span<const double> modal_forces) noexcept {
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    if (flexible_data(i) != nullptr) {
      store(wrenches[i], data_.data() + offsets_[i]);
      continue;
    }
    const Vec3& w = motions_[i].V.angular;
    store({wrenches[i].angular - cross(w, inertias_[i] * w), wrenches[i].linear + view_.bodies[i].mass * view_.gravity},
          data_.data() + offsets_[i]);
  }
  if (!flexible_.empty()) apply_flexible_forces(modal_forces);
  std::copy(efforts.begin(), efforts.end(), efforts_.begin());
  if (!modules_.empty()) apply_modules();
  for (std::size_t j = 0; j < view_.joints.size(); ++j) apply_joint_effort(j);
  for (std::size_t tie = view_.joints.size(); tie < module_ties(); ++tie) apply_element_effort(tie);
}

void AbsoluteSystem::set_solution(std::span<const double> x, std::span<const double> multipliers) noexcept {
  std::copy(x.begin(), x.end(), solution_.begin());
  for (std::size_t r = 0; r < multipliers.size(); ++r) solution_[row_at(r)] = -multipliers[r];
  add_element_efforts();
}

/// A wrench on a frame, about its origin.
void AbsoluteSystem::apply_wrench(FrameIndex frame, const Spatial& about_origin) noexcept {
  if (is_ground(frame)) return;
  double* f = data_.data() + offsets_[body_of(frame)];
  store(load(f) + wrench_about_center(frame, about_origin, f + 6), f);
}

/// Forces within the modules, and what they apply to markers and joints.
void AbsoluteSystem::apply_modules() noexcept {
  for (std::size_t i = 0; i < modules_.modules().size(); ++i) {
    const ModuleSet::Module& m = modules_.modules()[i];
    std::copy(m.f.begin(), m.f.end(), data_.data() + offsets_[view_.bodies.size() + i]);
    for (std::size_t k = 0; k < m.wrenches.size(); ++k) {
      const FrameIndex f = m.rows.markers[k].frame;
      if (is_ground(f)) continue;
      const Vec3& arm = m.rows.arms[k];
      const Spatial& w = m.wrenches[k];
      apply_wrench(f, {w.angular + cross(arm, w.linear), w.linear});
    }
    const double* effort = m.efforts.data();
    for (const JointIndex j : m.rows.joints)
      for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k) efforts_[view_.joints[at(j)].v_offset + k] += *effort++;
  }
}

/// The generalized force of a joint as a pair of wrenches on its bodies.
void AbsoluteSystem::apply_joint_effort(std::size_t j) noexcept {
  const JointData& joint = view_.joints[j];
  const double* effort = efforts_.data() + joint.v_offset;
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_),
                     effort_wrench(joints_[j].motion, joint.nv, effort));
  apply_wrench(joint.moving_frame, w.moving);
  apply_wrench(joint.base_frame, w.base);
}

/// The given part of the force of a constraint element.
void AbsoluteSystem::apply_element_effort(std::size_t tie) noexcept {
  const ConstraintSet::Element& element = element_of(tie);
  const Group& group = groups_[tie];
  for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
    double* f = data_.data() + offsets_[entries_[e].block];
    const double* own = own_coefficients_.data() + entries_[e].own;
    for (std::size_t r = 0; r < group.rows; ++r) {
      store(load(f) + element.effort[r] * coefficients_[entries_[e].first + r], f);
      for (std::size_t k = 0; k < entries_[e].owns; ++k) f[6 + k] += element.effort[r] * *own++;
    }
  }
}

/// What constraint elements and modules do to joints counts as effort of the joints: Bᵀ(λ + effort).
void AbsoluteSystem::add_element_efforts() noexcept {
  for (std::size_t tie = view_.joints.size(); tie < groups_.size(); ++tie) {
    const ConstraintSet::Element& element = element_of(tie);
    const Group& group = groups_[tie];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double multiplier = element.effort[r] - solution_[row_at(group.row + r)];
      const double* B = element.B.data() + r * element.velocities;
      for (const JointIndex j : element.joints) {
        const JointData& joint = view_.joints[at(j)];
        for (std::size_t k = 0; k < joint.nv; ++k) efforts_[joint.v_offset + k] += multiplier * *B++;
      }
    }
  }
}

double AbsoluteSystem::driving_power() const noexcept {
  double power = 0;
  for (std::size_t tie = view_.joints.size(); tie < groups_.size(); ++tie)
    for (std::size_t r = 0; r < groups_[tie].rows; ++r)
      power +=
          (element_of(tie).effort[r] - solution_[row_at(groups_[tie].row + r)]) * element_of(tie).velocity_right[r];
  return power;
}

Spatial AbsoluteSystem::reaction(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  Spatial w = effort_wrench(joints_[j].motion, joint.nv, efforts_.data() + joint.v_offset);
  for (std::size_t i = 0; i < joints_[j].rows; ++i) w += -solution_[row_at(groups_[j].row + i)] * joints_[j].T[i];
  return reaction_in_ground(motion_of(joint.base_frame, motions_), w);
}

Spatial AbsoluteSystem::origin_acceleration(std::size_t i) const noexcept {
  const Spatial a = load(solution_.data() + offsets_[i]);
  const Vec3& w = motions_[i].V.angular;
  return {a.angular, a.linear - cross(a.angular, centers_[i]) - cross(w, cross(w, centers_[i]))};
}

Spatial AbsoluteSystem::acceleration_of(FrameIndex f) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) return origin_acceleration(at(f));
  const std::size_t node = at(f) - n, b = body_of(f);
  return node_acceleration(nodes_[node], motions_[b], origin_acceleration(b),
                           nodes_.relative_acceleration(node, solution_.data() + offsets_[b] + 6));
}

void AbsoluteSystem::joint_accelerations(std::span<double> vdot) const noexcept {
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotion& m = joints_[j].motion;
    const Spatial A =
        relative_acceleration(joint, motion_of(joint.base_frame, motions_), acceleration_of(joint.base_frame),
                              motion_of(joint.moving_frame, motions_), acceleration_of(joint.moving_frame));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
}

void AbsoluteSystem::module_rates(std::span<double> xdot) const noexcept {
  for (std::size_t i = 0; i < modules_.modules().size(); ++i)
    std::copy_n(solution_.data() + offsets_[view_.bodies.size() + i], modules_.modules()[i].variables,
                xdot.data() + modules_.modules()[i].u);
  modules_.put_rates(xdot);
}

void AbsoluteSystem::module_multipliers(std::span<double> out) const noexcept {
  double* next = out.data();
  for (std::size_t tie = module_ties(); tie < groups_.size(); ++tie)
    for (std::size_t r = 0; r < element_of(tie).rows; ++r)
      *next++ = r < groups_[tie].rows ? -solution_[row_at(groups_[tie].row + r)] : 0;
}

}  // namespace polyform
