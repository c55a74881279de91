#include "projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/abrupt_change.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::thompson {

bool fail_massless(const SystemView& view, std::size_t coordinate, std::span<const double> joints,
                   std::span<const double> efforts, Failure& failure) noexcept {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(joints, finite) || !std::ranges::all_of(efforts, finite))
    return failure.say(not_finite_state);
  if (coordinate >= view.nv_tree + view.modes)
    return failure.say("a variable of a module has no inertia, and no row of it or of the joints gives it any");
  if (coordinate >= view.nv_tree) {
    const auto body = std::ranges::find_if(
        view.flexible, [&](const FlexibleData& f) { return coordinate < view.nv_tree + f.mode_offset + f.modes; });
    return failure.say("a mode of flexible body `{:.60}` has no mass, or so little that it is lost in rounding",
                       view.bodies[at((*body).body)].name);
  }
  const auto tree = view.tree_joints();
  const auto after = std::upper_bound(tree.begin(), tree.end(), coordinate,
                                      [](std::size_t c, const JointData& joint) { return c < joint.v_offset; });
  const std::size_t j = static_cast<std::size_t>(after - tree.begin()) - 1;
  return failure.say(
      "joint `{:.60}` moves body `{:.60}` without any inertia against it, or with so little that it is lost in "
      "rounding",
      view.joints[j].name, view.bodies[j].name);
}

Projection::Projection(const SystemView& view, double tolerance, const Parts& parts)
    : view_(view),
      tolerance_(tolerance),
      parts_(parts),
      udot_(parts.reductions.tree().size()),
      step_(udot_.size()),
      qddot_(view.bodies.size()) {}

/// It goes on to round-off: next to a singular position a residual moves the mechanism by many times its own size.
bool Projection::close(double t, Correction& out) noexcept {
  MovingTree& tree = parts_.tree;
  const ClosingConstraints& closing = tree.placed().closing();
  double residual = closing.position_violation();
  ClosingSteps steps(residual);
  const double speed = closing.speed(), asked_anew = closing.missed_by_elements();
  const double rounding = closing.position_rounding();
  while (!(residual <= std::min(tolerance_, rounding))) {
    if (!steps.go_on()) return cannot_close(out.iterations);
    if (!find_step(Level::position)) return false;
    tree.move(step_);
    ++out.iterations;
    tree.place(t);
    const double before = std::exchange(residual, closing.position_violation());
    steps.made(residual);
    if (has_come_to_rounding(residual, before, std::max(tolerance_, rounding))) break;
  }
  double change = 0;
  for (int passes = 0; passes < 2 && closing.velocity_violation() > closing.velocity_rounding(); ++passes) {
    if (!find_step(Level::velocity)) return false;
    tree.accelerate(step_);
    for (const double s : std::span(step_).first(view_.nv_tree)) change = std::max(change, std::abs(s));
    tree.place(t);
  }
  if (invents_motion(change, speed, asked_anew)) return changes_abruptly(change, speed);
  if (!parts_.reductions.construct(tree.placed(), false, parts_.failure)) return false;
  parts_.reductions.find_dependent_rows(tree.placed());
  return true;
}

/// Into step_: what removes the residuals as placed. What holonomic rows leave open may have no inertia where
/// nonholonomic ones alone tie a body without mass: these are met then too.
bool Projection::find_step(Level level) noexcept {
  const PlacedTree& tree = parts_.tree.placed();
  Reductions& reductions = parts_.reductions;
  if (!reductions.construct(tree, false, parts_.failure)) return false;
  const auto solve = [&](Level at) {
    reductions.reduce(at, tree, {}, tree.closing().shows_dependence());
    return parts_.reduced.solve({nullptr, false, reductions.right()}, udot_.data(), qddot_);
  };
  if (!solve(level) && (level != Level::position || !solve(Level::held_position)))
    return fail_massless(view_, parts_.reduced.failed_coordinate(), parts_.tree.joints(), parts_.forces.efforts(),
                         parts_.failure);
  step_ = udot_;
  if (reductions.tree().is_relative()) return true;
  reductions.tree().joint_rates(qddot_, udot_.data(), false, tree.kinematics(), step_.data());
  return true;
}

bool Projection::cannot_close(std::size_t steps) noexcept {
  const ClosingConstraints& closing = parts_.tree.placed().closing();
  return parts_.failure.say(
      "the constraint of `{:.60}` cannot be met: after {} Newton steps it is off by {:.2e} (m or rad). Likely "
      "causes: too long a time step, or a mechanism at its limit position",
      closing.worst(), steps, closing.position_violation());
}

bool Projection::changes_abruptly(double change, double speed) noexcept {
  return parts_.failure.say(
      "to meet the constraint of `{:.60}` its velocities would have to change by {:.2g} within a step (m/s or "
      "rad/s; the largest is {:.2g}). Likely cause: too long a step past a singular position",
      parts_.tree.placed().closing().worst(), change, speed);
}

}  // namespace polyform::thompson
