#include "reduced_solver.hpp"

#include <algorithm>

#include "polyform/mechanics/judgement.hpp"

namespace polyform::reduced {
namespace {

/// A velocity that an element asks for anew, relative to the speed of the system; a step leaves far less.
constexpr double least_jump = 1e-3;

}  // namespace

ReducedSolver::ReducedSolver(const SystemView& system, const Choice& choice)
    : JointCoordinateSolver(system, {choice.correction == Choice::Correction::direct, choice.tolerance}),
      choice_(choice),
      jacobian_(system, loops(), projection().recursion()),
      least_(system, jacobian_),
      delta_q_(system.nv_tree + system.modes),
      delta_v_(delta_q_.size()) {
  const ClosingConstraints& constraints = loops().constraints();
  for (std::size_t i = 0; i < constraints.groups(); ++i) differ_ = differ_ || constraints.nonholonomic(i) != 0;
  differ_ = differ_ || constraints.elements().has_modules();
  if (choice.correction == Choice::Correction::baumgarte) loops().right_sides().stabilize(choice.alpha, choice.beta);
}

/// Fig. 10: while a residual is larger than the tolerance, Newton's step on the positions (Eq. 4); then the correction
/// of the velocities (Eq. 5). Both have the same Jacobian, which also serves for further steps while they converge: at
/// the end of a time step the first step hardly changes it.
bool ReducedSolver::return_to_loops(double t, std::span<double> y, Correction& out) noexcept {
  LoopProjection& project = projection();
  const JointState& state = project.state();
  const JointState::Parts parts = state.split(y);
  const ClosingConstraints& constraints = loops().constraints();
  const std::span<double> x = y.subspan(state.moving(), parts.x.size());
  PlacedState here = project.placement().place(t, parts);
  // Next to a singular position a residual moves the mechanism by many times its own size. That must do no work, except
  // in the step that the constraint forces themselves would make. The same holds if an element asks for a velocity that
  // jumps: the impulse that this takes decides which other velocities follow.
  const bool jumps = constraints.errors().of_elements() > least_jump * constraints.errors().speed();
  const bool plain = choice_.correction == Choice::Correction::direct && !choice_.inertia_metric;
  if (jumps || !plain || loops().is_nearly_singular()) return project.close(t, y, out);
  double position = constraints.errors().position(), velocity = constraints.errors().velocity();
  out.position_residual = std::max(out.position_residual, position);
  out.velocity_residual = velocity;
  constexpr double quadratic = 1e-2;  // a step that leaves less of the residual needs no new matrix for the next one
  project.begin();
  double change = 0;
  bool converges = false;
  ClosingSteps steps(position + velocity);
  while (!(position <= project.accepted_position() && velocity <= project.accepted_velocity())) {
    if (!steps.go_on()) return project.cannot_close(out.iterations);
    if (!converges) assemble(here.motions);
    if (out.iterations == 0 || position > project.accepted_position()) {
      find_position_step();
      state.move(y, delta_q_);
      least_.move_modules(x, true);
    }
    find_velocity_step();
    state.accelerate(y, delta_v_);
    least_.move_modules(x, false);
    change = std::max(change, largest_of(delta_v_));
    project.placement().keep_left_out();
    ++out.iterations;
    here = project.placement().place(t, parts);
    const double before = position, velocity_before = velocity;
    position = constraints.errors().position();
    velocity = constraints.errors().velocity();
    steps.made(position + velocity);
    // Rounding in large velocities, unless it was the step in the positions that changed them.
    if (std::max(before, position) <= project.accepted_position() && velocity > 0.25 * velocity_before) break;
    converges = position < quadratic * before || position <= project.accepted_position();
  }
  return project.accept(y, change);
}

void ReducedSolver::assemble(std::span<const BodyMotion> motions) noexcept {
  if (choice_.by_differentiation)
    jacobian_.direct_differentiation(motions);
  else
    jacobian_.semi_analytic(motions);
  if (!differ_) factorize(LoopClosure::Level::velocity);
}

/// c_q c_qᵀ of the rows that count. Which depend on others is found with all of them, for the velocities.
void ReducedSolver::factorize(LoopClosure::Level level) noexcept {
  DependentRows& rows = loops().rows();
  const ClosingConstraints& constraints = loops().constraints();
  const bool anew = constraints.errors().shows_dependence();
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
    least_.leave_out(loop, (anew ? 0 : rows.left_out(loop)) |
                               (level == LoopClosure::Level::position ? constraints.nonholonomic(loop) : 0));
  least_.factorize(level == LoopClosure::Level::position);
  if (level == LoopClosure::Level::position) return;
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) rows.leave_out(loop, least_.left_out(loop));
}

void ReducedSolver::find_position_step() noexcept {
  if (differ_) factorize(LoopClosure::Level::position);
  const ClosingConstraints& constraints = loops().constraints();
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
    for (std::size_t r = 0; r < jacobian_.rows(loop); ++r)
      least_.set(loop, r, r < constraints.rows(loop) ? constraints.residual(loop, r) : 0);
  least_.solve(delta_q_);
}

void ReducedSolver::find_velocity_step() noexcept {
  if (differ_) factorize(LoopClosure::Level::velocity);
  const ClosingConstraints& constraints = loops().constraints();
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
    for (std::size_t r = 0; r < jacobian_.rows(loop); ++r)
      least_.set(loop, r, r < constraints.rows(loop) ? constraints.rate(loop, r) : 0);
  least_.solve(delta_v_);
}

}  // namespace polyform::reduced
