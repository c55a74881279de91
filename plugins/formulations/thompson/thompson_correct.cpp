// Back onto the constraints after each step, each correction the least in the metric of the inertia: Eq 15 without
// forces.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "polyform/mechanics/judgement.hpp"
#include "thompson_solver.hpp"

namespace polyform::thompson {

Status ThompsonSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  out = {};
  failure_.clear();
  read(y);
  for (const JointData& joint : view_.tree_joints())
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, joints_.data() + joint.q_offset));
  place(t);
  if (!closing_.empty()) {
    out.position_residual = std::max(out.position_residual, closing_.position_violation());
    out.velocity_residual = closing_.velocity_violation();
    if (options_.project && !close(t, out)) return Status::failed;
  }
  return write(t, y) ? Status::ok : Status::failed;
}

/// joints_ moved onto the constraints: Newton's method on positions, then the velocities. It goes on to round-off: next
/// to a singular position a residual moves the mechanism by many times its own size.
bool ThompsonSolver::close(double t, Correction& out) noexcept {
  double residual = closing_.position_violation();
  ClosingSteps steps(residual);
  const double speed = closing_.speed();
  const double rounding = closing_.position_rounding();
  while (!(residual <= std::min(options_.tolerance, rounding))) {
    if (!steps.go_on()) return cannot_close(out.iterations);
    if (!find_step(Level::position)) return false;
    vector_.joints().move(joints_, step_);
    ++out.iterations;
    place(t);
    const double before = std::exchange(residual, closing_.position_violation());
    steps.made(residual);
    if (has_come_to_rounding(residual, before, std::max(options_.tolerance, rounding))) break;
  }
  double change = 0;
  for (int passes = 0; passes < 2 && closing_.velocity_violation() > closing_.velocity_rounding(); ++passes) {
    if (!find_step(Level::velocity)) return false;
    vector_.joints().accelerate(joints_, step_);
    for (const double s : step_) change = std::max(change, std::abs(s));
    place(t);
  }
  if (is_abrupt(change, speed)) return false;
  if (!construct(false)) return false;
  find_left_out();
  return true;
}

/// Into step_: per velocity coordinate of the tree joints, what removes the residuals as placed.
bool ThompsonSolver::find_step(Level level) noexcept {
  if (!construct(false)) return false;
  closing_.set(level, tree_, gamma_);
  reduction_.eliminate(is_closed());
  if (!reduced_.solve({nullptr, false, closing_.right()}, udot_.data(), qddot_))
    return fail_massless(reduced_.failed_coordinate());
  if (options_.construction == Construction::velocity)
    std::copy(udot_.begin(), udot_.end(), step_.begin());
  else
    h2_.joint_rates(qddot_, false, tree_.bodies(), tree_.joints(), step_.data());
  return true;
}

/// Which rows depend on others, all of them looked at, where H2 stands; as long as it shows.
void ThompsonSolver::find_left_out() noexcept {
  if (!is_closed()) return;
  closing_.set(Level::velocity, tree_, gamma_);
  reduction_.eliminate(true);
}

bool ThompsonSolver::cannot_close(std::size_t steps) noexcept {
  fmt::format_to_n(
      std::back_inserter(failure_), 400,
      "the constraint of `{:.60}` cannot be met: after {} Newton steps it is off by {:.2e} (m or rad). Likely "
      "causes: too long a time step, or a mechanism at its limit position",
      closing_.worst(), steps, closing_.position_violation());
  return false;
}

/// Whether a correction has changed the velocities so much that it invents a motion rather than removes an error.
bool ThompsonSolver::is_abrupt(double change, double speed) noexcept {
  if (!(change > 0.1 * speed)) return false;
  fmt::format_to_n(
      std::back_inserter(failure_), 400,
      "to meet the constraint of `{:.60}` its velocities would have to change by {:.2g} within a step (m/s or "
      "rad/s; the largest is {:.2g}). Likely cause: too long a step past a singular position",
      closing_.worst(), change, speed);
  return true;
}

}  // namespace polyform::thompson
