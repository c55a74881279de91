#include "reduced_solver.hpp"

namespace polyform::reduced {

ReducedSolver::ReducedSolver(const SystemView& system, const Choice& choice)
    : JointCoordinateSolver(system, {choice.correction == Choice::Correction::direct, choice.tolerance, false}),
      choice_(choice), jacobian_(system, loops(), sweep()), least_(system, jacobian_) {
  if (choice.correction == Choice::Correction::baumgarte) loops().stabilize(choice.alpha, choice.beta);
}

/// One Newton step on c(q) = 0 (Eq. 4), or the correction of the velocities by ċ (Eq. 5).
bool ReducedSolver::find_closing_step(const Parts& y, LoopClosure::Level level) noexcept {
  // Next to a singular position a residual moves the mechanism by many times its own size: not without work, but for the
  // step that the constraint forces themselves would make.
  if (choice_.inertia_metric || loops().is_nearly_singular()) return find_lightest_step(y, level);
  if (choice_.by_differentiation)
    jacobian_.direct_differentiation(motions());
  else
    jacobian_.semi_analytic(motions());
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) {
    const JointConstraint& c = loops().joint(loop);
    for (std::size_t r = 0; r < c.rows; ++r)
      least_.set(loop, r, level == LoopClosure::Level::position ? c.residual[r] : dot(c.T[r], c.relative.twist));
    least_.leave_out(loop, loops().shows_dependence() ? 0 : loops().left_out(loop));
  }
  least_.solve(step());
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) loops().leave_out(loop, least_.left_out(loop));
  return true;
}

}  // namespace polyform::reduced
