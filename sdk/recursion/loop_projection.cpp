#include "polyform/solvers/loop_projection.hpp"

#include <utility>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/abrupt_change.hpp"

namespace polyform {

LoopProjection::LoopProjection(const SystemView& view, const LoopCorrection& correction, const JointState& state,
                               Recursion& recursion, LoopClosure& loops, JointPlacement& placement,
                               JointFailure& failure)
    : view_(view),
      correction_(correction),
      state_(state),
      recursion_(recursion),
      loops_(loops),
      placement_(placement),
      failure_(failure),
      rest_(std::max(view.nv_tree, view.modes)),
      step_(view.nv_tree + view.modes) {}

bool LoopProjection::close(double t, std::span<double> y, Correction& out) noexcept {
  const JointState::Parts parts = state_.split(y);
  const ClosingConstraints& constraints = loops_.constraints();
  placement_.place(t, parts);
  double residual = constraints.errors().position();
  out.position_residual = std::max(out.position_residual, residual);
  out.velocity_residual = constraints.errors().velocity();
  begin();
  double change = 0;
  if (!correction_.on) return accept(y, change);
  ClosingSteps steps(residual);
  while (!(residual <= std::min(correction_.tolerance, constraints.errors().position_rounding()))) {
    if (!steps.go_on()) return cannot_close(out.iterations);
    if (!find_lightest_step(y, LoopClosure::Level::position)) return false;
    state_.move(y, step_);
    constraints.elements().variables().move(y.subspan(state_.moving(), view_.states), true);
    ++out.iterations;
    placement_.place(t, parts);
    const double before = std::exchange(residual, constraints.errors().position());
    steps.made(residual);
    if (has_come_to_rounding(residual, before, accepted_position())) break;
  }
  const ClosingErrors& errors = constraints.errors();
  for (int passes = 0; passes < 2 && errors.velocity() > errors.velocity_rounding(); ++passes) {
    if (!find_lightest_step(y, LoopClosure::Level::velocity)) return false;
    placement_.keep_left_out();
    state_.accelerate(y, step_);
    constraints.elements().variables().move(y.subspan(state_.moving(), view_.states), false);
    change = std::max(change, largest_of(step_));
    placement_.place(t, parts);
  }
  return accept(y, change);
}

bool LoopProjection::find_dependent_rows(double t, std::span<const double> y) noexcept {
  placement_.place(t, state_.split(y));
  if (!find_lightest_step(y, LoopClosure::Level::velocity)) return false;
  placement_.keep_left_out();
  return true;
}

void LoopProjection::begin() noexcept {
  speed_ = loops_.constraints().errors().speed();
  jump_ = loops_.constraints().errors().of_elements();
}

bool LoopProjection::accept(std::span<double> y, double change) noexcept {
  if (invents_motion(change, speed_, jump_)) {
    failure_.changes_abruptly(change, speed_);
    return false;
  }
  state_.keep_turns(y, placement_.standing().q);
  return true;
}

bool LoopProjection::cannot_close(std::size_t steps) noexcept {
  failure_.cannot_close(steps);
  return false;
}

/// Finds the step in positions (per velocity coordinate), or the change of velocities, that removes the residuals of
/// the loops as placed; writes it into step_.
bool LoopProjection::find_lightest_step(std::span<const double> y, LoopClosure::Level level) noexcept {
  const JointState::Parts parts = state_.split(y);
  placement_.forget();
  recursion_.kinematics_at_rest(parts.q.data(), rest_.data(), parts.eta.data());
  recursion_.motions(rest_.data());
  if (recursion_.closing_step(level, step_.data(), step_.data() + view_.nv_tree)) return true;
  failure_.cannot_solve(recursion_.failure(), y);
  return false;
}

}  // namespace polyform
