#include "closing_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace polyform::thompson {

ClosingConstraints::ClosingConstraints(const SystemView& view, const Vec3& origin)
    : view_(view), elements_(view, origin), modules_(view, origin), cuts_(view.cut_joints().size()) {
  for (const JointData& cut : view.cut_joints()) add_rows(6 - cut.nv);
  for (const ConstraintSet::Element& element : elements_.elements()) constraints_.push_back({&element, nullptr, 0});
  std::size_t variable = 0;
  for (const ModuleSet::Module& module : modules_.modules()) {
    constraints_.push_back({&module.rows, &module, variable});
    variable += module.variables;
  }
  for (const Constraint& constraint : constraints_) add_rows(constraint.rows->rows);
}

void ClosingConstraints::add_rows(std::size_t count) {
  rows_.push_back({rows_.empty() ? 0 : rows_.back().first + rows_.back().count, count});
}

std::string_view ClosingConstraints::name(std::size_t group) const {
  return group < cuts_.size() ? view_.cut_joints()[group].name : constraints_[group - cuts_.size()].rows->name;
}

const JointMotion& ClosingConstraints::motion_of_joint(std::size_t j, const TreeKinematics& tree) const noexcept {
  return j < view_.bodies.size() ? tree.joints()[j] : cuts_[j - view_.bodies.size()].motion;
}

void ClosingConstraints::note(double& violation, double found, std::size_t group) noexcept {
  if (std::abs(found) <= violation) return;  // NaN counts as the worst
  violation = std::abs(found);
  worst_ = group;
}

void ClosingConstraints::evaluate(double t, const TreeKinematics& tree, std::span<double> q, std::span<double> v,
                                  std::span<const double> x) noexcept {
  const auto frames = tree.frames();
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    joint_constraint(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames),
                     q.data() + cut.q_offset, v.data() + cut.v_offset, cuts_[i]);
    cuts_[i].rows = std::min(cuts_[i].rows, rows_[i].count);  // more are left if H loses rank
  }
  q_ = q;
  x_ = x;
  if (!elements_.elements().empty()) elements_.evaluate(t, frames, q, v);
  if (!modules_.empty()) modules_.evaluate(t, frames, q, v, x);
  measure(tree);
}

/// Finds the residuals, those of positions last, so that `worst_` belongs to them.
void ClosingConstraints::measure(const TreeKinematics& tree) noexcept {
  size_ = speed_ = 1;
  for (const BodyMotion& m : tree.bodies()) {
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  position_violation_ = velocity_violation_ = missed_by_elements_ = 0;
  const std::size_t cuts = cuts_.size();
  for (std::size_t i = 0; i < cuts; ++i)
    for (std::size_t r = 0; r < cuts_[i].rows; ++r)
      note(velocity_violation_, dot(cuts_[i].T[r], cuts_[i].relative.twist), i);
  for (std::size_t g = cuts; g < rows_.size(); ++g)
    for (std::size_t r = 0; r < rows_[g].count; ++r) {
      const double missed = rate_of(constraints_[g - cuts], r, tree);
      note(velocity_violation_, missed, g);
      missed_by_elements_ = std::max(missed_by_elements_, std::abs(missed));
    }
  for (std::size_t i = 0; i < cuts; ++i)
    for (std::size_t r = 0; r < cuts_[i].rows; ++r) note(position_violation_, cuts_[i].residual[r], i);
  for (std::size_t g = cuts; g < rows_.size(); ++g)
    for (std::size_t r = 0; r < rows_[g].count; ++r)
      if (constraints_[g - cuts].rows->is_holonomic(r))
        note(position_violation_, constraints_[g - cuts].rows->residual[r], g);
}

double ClosingConstraints::rate_of(const Constraint& constraint, std::size_t row,
                                   const TreeKinematics& tree) const noexcept {
  const ConstraintSet::Element& element = *constraint.rows;
  double rate = -element.velocity_right[row];
  if (constraint.module != nullptr) {
    const double* A = constraint.module->A.data() + row * constraint.module->variables;
    rate += std::inner_product(A, A + constraint.module->variables, x_.data() + constraint.module->u, 0.0);
  }
  for (std::size_t m = 0; m < element.markers.size(); ++m) {
    const Spatial& a = element.A[row * element.markers.size() + m];
    rate += dot(a.angular, element.motions[m].angular_velocity) + dot(a.linear, element.motions[m].velocity);
  }
  const double* B = element.B.data() + row * element.velocities;
  for (const JointIndex j : element.joints) {
    const JointData& joint = view_.joints[at(j)];
    const RelativeMotion relative = relative_motion(joint, motion_of(joint.base_frame, tree.frames()),
                                                    motion_of(joint.moving_frame, tree.frames()));
    rate += dot(effort_wrench(motion_of_joint(at(j), tree), joint.nv, B),
                relative.twist - joint_drift(joint, q_.data() + joint.q_offset));
    B += joint.nv;
  }
  return rate;
}

bool ClosingConstraints::given_multipliers(std::span<double> out) const noexcept {
  bool any = false;
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t g = cuts_.size(); g < rows_.size(); ++g)
    for (std::size_t r = 0; r < rows_[g].count; ++r) {
      out[rows_[g].first + r] = constraints_[g - cuts_.size()].rows->effort[r];
      any = any || out[rows_[g].first + r] != 0;
    }
  return any;
}

void ClosingConstraints::add_efforts(const double* multipliers, std::span<double> efforts) const noexcept {
  for (std::size_t g = cuts_.size(); g < rows_.size(); ++g) {
    const ConstraintSet::Element& element = *constraints_[g - cuts_.size()].rows;
    const double* B = element.B.data();
    for (std::size_t r = 0; r < element.rows; ++r)
      for (const JointIndex j : element.joints) {
        const JointData& joint = view_.joints[at(j)];
        for (std::size_t k = 0; k < joint.nv; ++k)
          efforts[joint.v_offset + k] += multipliers[rows_[g].first + r] * *B++;
      }
  }
}

bool ClosingConstraints::drives() const noexcept {
  return std::ranges::any_of(constraints_, [](const Constraint& constraint) {
    return std::ranges::any_of(constraint.rows->velocity_right, [](double rate) { return rate != 0; });
  });
}

double ClosingConstraints::driving_power(const double* multipliers) const noexcept {
  double power = 0;
  for (std::size_t g = cuts_.size(); g < rows_.size(); ++g)
    for (std::size_t r = 0; r < rows_[g].count; ++r)
      power += multipliers[rows_[g].first + r] * constraints_[g - cuts_.size()].rows->velocity_right[r];
  return power;
}

Spatial ClosingConstraints::wrench(std::size_t cut, const double* multipliers) const noexcept {
  Spatial w;
  for (std::size_t r = 0; r < cuts_[cut].rows; ++r) w += multipliers[rows_[cut].first + r] * cuts_[cut].T[r];
  return w;
}

}  // namespace polyform::thompson
