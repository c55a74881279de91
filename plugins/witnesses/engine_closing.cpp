#include "engine_closing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/abrupt_change.hpp"

namespace polyform::witnesses {
namespace {

/// A residual that counts as closed, m or rad, as in the formulations.
constexpr double tolerance = 1e-10;

}  // namespace

EngineClosing::EngineClosing(const SystemView& view, Engine& engine, TreeKinematics& tree, EngineRows& rows,
                             std::span<const BodyIndex> loaded)
    : view_(view), engine_(engine), tree_(tree), rows_(rows), loaded_(loaded), step_(view.nv) {}

void EngineClosing::place(double t, std::span<const double> y) noexcept {
  const std::span<const double> q = y.first(view_.nq), v = y.subspan(view_.nq, view_.nv);
  tree_.evaluate(q.data(), v.data());
  if (!rows_.empty()) rows_.evaluate(t, tree_.frames(), q, v, y.last(view_.states));
}

/// Trees do not drift: there quaternions alone are scaled back to unit length.
bool EngineClosing::correct(double t, std::span<double> y, Correction& out) noexcept {
  failure_.clear();
  for (const JointData& joint : view_.joints)
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  return close_loops(y, out) && (rows_.empty() || return_to_rows(t, y, out));
}

bool EngineClosing::close_loops(std::span<double> y, Correction& out) noexcept {
  if (view_.cut_joints().empty() || engine_.correct(y.data(), y.data() + view_.nq, out)) return true;
  return failure_.say("{}", engine_.failure());
}

/// Positions, then velocities, each step being the least in the metric of the inertia.
bool EngineClosing::return_to_rows(double t, std::span<double> y, Correction& out) noexcept {
  place(t, y);
  const ClosingErrors& errors = rows_.errors();
  out.position_residual = std::max(out.position_residual, errors.position());
  out.velocity_residual = std::max(out.velocity_residual, errors.velocity());
  const double speed = errors.speed(), asked_anew = errors.of_elements();
  if (!close_rows(t, y, out)) return false;
  double change = 0;
  for (int passes = 0; passes < 2 && errors.velocity() > errors.velocity_rounding(); ++passes) {
    if (!step(EngineRows::Level::velocity, y)) return false;
    for (const double by : step_) change = std::max(change, std::abs(by));
    place(t, y);
  }
  if (!invents_motion(change, speed, asked_anew)) return true;
  return failure_.say(
      "the correction changes velocities by {:.2e}, where the fastest is {:.2e}: the step is too long, or the mechanism "
      "is at a singular position",
      change, speed);
}

/// Newton's method. Its steps keep to the loops of the engine but for their curvature.
bool EngineClosing::close_rows(double t, std::span<double> y, Correction& out) noexcept {
  const ClosingErrors& errors = rows_.errors();
  double residual = errors.position();
  Correction of_loops;
  for (ClosingSteps steps(residual); !(residual <= std::min(tolerance, errors.position_rounding()));) {
    if (!steps.go_on())
      return failure_.say("`{}` does not close: {:.2e} (m or rad) are left",
                          rows_.elements().group(errors.worst()).of->name, residual);
    if (!step(EngineRows::Level::position, y) || !close_loops(y, of_loops)) return false;
    ++out.iterations;
    place(t, y);
    const double before = std::exchange(residual, errors.position());
    steps.made(residual);
    if (has_come_to_rounding(residual, before, std::max(tolerance, errors.position_rounding()))) break;
  }
  return true;
}

bool EngineClosing::step(EngineRows::Level level, std::span<double> y) noexcept {
  if (!rows_.prepare(level, engine_, y.data(), loaded_)) return failure_.say("{}", engine_.failure());
  rows_.find_step(level, step_, y.last(view_.states));
  if (level == EngineRows::Level::velocity) {
    for (std::size_t k = 0; k < step_.size(); ++k) y[view_.nq + k] += step_[k];
    return true;
  }
  for (const JointData& joint : view_.joints) {
    double by[most_joint_positions];
    joint_position_step(joint, y.data() + joint.q_offset, step_.data() + joint.v_offset, by);
    for (std::size_t k = 0; k < joint.nq; ++k) y[joint.q_offset + k] += by[k];
    joint_normalize(joint, y.data() + joint.q_offset);
  }
  return true;
}

}  // namespace polyform::witnesses
