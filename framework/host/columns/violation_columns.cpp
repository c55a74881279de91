#include "framework/host/columns/violation_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline columns {

namespace {

constexpr const char* violation_group = "violations";

double* put_vector(const Vec3& a, double* out) {
  for (const double component : {a.x, a.y, a.z}) *out++ = component;
  return out;
}

}  // namespace

ViolationColumns::ViolationColumns(const System& system)
    : view_(system.view()),
      elements_(view_),
      modules_(view_),
      nodes_(view_),
      frames_(view_.frames()),
      q_(view_.nq),
      v_(view_.nv) {
  for (const JointIndex j : system.joints())
    if (view_.joints[at(j)].nv < 6) add_joint(j);
  for (const ConstraintSet::Element& element : elements_.elements()) add_element(element);
  for (const ModuleSet::Module& module : modules_.modules()) add_element(module.rows);
}

void ViolationColumns::add_joint(JointIndex j) {
  joints_.push_back(j);
  for (const auto& [letter, unit] :
       {std::pair("", "m"), std::pair("r", "rad"), std::pair("v", "m/s"), std::pair("w", "rad/s")})
    for (const char axis : {'x', 'y', 'z'})
      channels_.push_back(
          {fmt::format("{}.violation_{}{}", view_.joints[at(j)].name, letter, axis), unit, violation_group});
}

void ViolationColumns::add_element(const ConstraintSet::Element& element) {
  const auto add = [&](const char* what, std::size_t row) {
    channels_.push_back({element.rows == 1 ? fmt::format("{}.{}", element.name, what)
                                           : fmt::format("{}.{}[{}]", element.name, what, row),
                         "1", violation_group});
  };
  for (std::size_t row = 0; row < element.rows; ++row)
    if (element.is_holonomic(row)) add("violation", row);
  for (std::size_t row = 0; row < element.rows; ++row) add("violation_rate", row);
}

double* ViolationColumns::put(double time, const Observation& now, double* out) {
  observed_motions(now, nodes_, frames_);
  std::ranges::copy(now.q, q_.begin());
  std::ranges::copy(now.v, v_.begin());
  for (const JointIndex j : joints_) out = put_joint(view_.joints[at(j)], out);
  if (!elements_.elements().empty()) {
    elements_.follow(now.discrete);
    elements_.evaluate(time, frames_, now.q, now.v);
    out = put_elements(now, out);
  }
  if (modules_.empty()) return out;
  modules_.follow(now.discrete);
  modules_.evaluate(time, frames_, now.q, now.v, now.x);
  return put_modules(now, out);
}

double* ViolationColumns::put_elements(const Observation& now, double* out) {
  for (const ConstraintSet::Element& element : elements_.elements()) {
    for (std::size_t row = 0; row < element.rows; ++row)
      if (element.is_holonomic(row)) *out++ = element.residual[row];
    for (std::size_t row = 0; row < element.rows; ++row)
      *out++ = velocity_of_row(view_, element, row, now.v) - element.velocity_right[row];
  }
  return out;
}

double* ViolationColumns::put_modules(const Observation& now, double* out) {
  for (const ModuleSet::Module& module : modules_.modules()) {
    const ConstraintSet::Element& rows = module.rows;
    const auto variables = now.x.subspan(module.u, module.variables);
    for (std::size_t row = 0; row < rows.rows; ++row)
      if (rows.is_holonomic(row)) *out++ = rows.residual[row];
    for (std::size_t row = 0; row < rows.rows; ++row)
      *out++ = velocity_of_row(view_, rows, row, now.v) - rows.velocity_right[row] +
               std::inner_product(variables.begin(), variables.end(),
                                  module.A.begin() + static_cast<std::ptrdiff_t>(row * module.variables), 0.0);
  }
  return out;
}

/// The rows are orthonormal: each brings back its own part of the error.
double* ViolationColumns::put_joint(const JointData& joint, double* out) {
  const BodyMotion base = motion_of(joint.base_frame, frames_);
  JointConstraint constraint;
  joint_constraint(joint, base, motion_of(joint.moving_frame, frames_), q_.data() + joint.q_offset,
                   v_.data() + joint.v_offset, constraint);
  Spatial position, velocity;
  for (std::size_t row = 0; row < constraint.rows; ++row) {
    const Spatial& forbidden = constraint.T[row];
    position += constraint.residual[row] * forbidden;
    velocity += dot(forbidden, constraint.relative.twist) * forbidden;
  }
  out = put_vector(base.R * position.linear, out);
  out = put_vector(base.R * position.angular, out);
  out = put_vector(base.R * velocity.linear, out);
  return put_vector(base.R * velocity.angular, out);
}

}  // namespace polyform::host::inline columns
