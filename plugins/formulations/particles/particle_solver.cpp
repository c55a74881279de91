#include "particle_solver.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/observed.hpp"
#include "printed_equations.hpp"
#include "recursive_equations.hpp"
#include "sparse_equations.hpp"

namespace polyform::particles {

ParticleSolver::ParticleSolver(const SystemView& view, const Options& options)
    : centred_(view),
      view_(centred_.view()),
      options_(options),
      layout_(view_),
      state_(view_, layout_, discrete_),
      forces_(view_, centred_.origin()),
      reactions_(view_, layout_),
      motion_(layout_),
      accelerations_(layout_.particles.size()),
      q_(view.nq),
      v_(view.nv),
      x_(view.states),
      xdot_(view.states) {
  for (const JointData& cut : view_.cut_joints()) left_out_.add(cut.name, 6 - cut.nv);
  make_equations();
  forces_.follow(discrete_.of_elements());
  equations_->follow(discrete_.of_elements());
  if (!equations_->is_recursive()) return;
  kernels_.add(kernels::hinge_elimination);
  if (!view.cut_joints().empty()) kernels_.add(kernels::loop_closure);
}

/// The recursion, where it can be and is not left out by choice.
void ParticleSolver::make_equations() {
  const std::span<const BodyIndex> loaded = forces_.loaded_bodies();
  const auto has_some = [](const auto& group) { return !group.names.empty(); };
  const bool has_elements = std::any_of(view_.constraints.begin(), view_.constraints.end(), has_some) ||
                            std::any_of(view_.modules.begin(), view_.modules.end(), has_some);
  if (options_.printed) {
    equations_ = std::make_unique<PrintedEquations>(view_, layout_, loaded);
    return;
  }
  if (options_.recursive && !has_elements) {
    auto equations = std::make_unique<RecursiveEquations>(view_, layout_, loaded);
    const bool regular = equations->is_regular_as_drawn();
    equations_ = std::move(equations);
    if (regular) return;
  }
  equations_ = std::make_unique<SparseEquations>(view_, layout_, loaded, centred_.origin());
}

/// What is known of dependent rows goes to the equations. of_joints: also the hints for the coordinates of all joints.
void ParticleSolver::read(std::span<const double> y, bool of_joints) noexcept {
  state_.read_particles(y, motion_);
  state_.read_hints(y, of_joints, q_);
  std::ranges::copy(state_.states_of(y), x_.begin());
  for (std::size_t i = 0; i < left_out_.groups(); ++i) equations_->leave_out(i, static_cast<unsigned>(left_out_[i]));
}

/// The rows that the equations leave out become those of the state.
void ParticleSolver::keep_left_out() noexcept {
  for (std::size_t i = 0; i < left_out_.groups(); ++i) left_out_.keep(i, equations_->left_out(i));
}

Status ParticleSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  discrete_.encode(state);
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  state_.place(state, motion_);
  state_.write_particles(motion_, y);
  state_.write_hints(q_, y);
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  state_.write_states(x_, y);
  const PlacedBodies& placed = equations_->evaluate(encoded_.time(), motion_, joints(), true, false);
  if (!equations_->check_regular(placed)) return Status::failed;
  keep_left_out();
  return Status::ok;
}

Status ParticleSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read(y, true);
  equations_->evaluate(0, motion_, joints(), true, false);
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  std::ranges::copy(state_.states_of(y), state.x.begin());
  discrete_.decode(state);
  return Status::ok;
}

/// Forces and accelerations at the particles and hints just read.
bool ParticleSolver::find_accelerations(double t, std::span<double> xdot, bool all_joints, bool corrected) noexcept {
  const PlacedBodies& placed = equations_->evaluate(t, motion_, joints(), all_joints, corrected);
  const Applied applied = forces_.evaluate(t, placed, joints(), equations_->modules(), xdot);
  if (!equations_->find_accelerations(placed, applied, accelerations_)) return false;
  equations_->module_rates(xdot);
  return true;
}

/// Forces and accelerations for derivative(). The stages of an integrator lie off the loops by the square of the step.
/// If loops are near a singular position, so large a contradiction, divided by a nearly vanishing pivot, would spoil
/// the accelerations: there they are those of the nearest closed state. The sparse system cannot tell rows that depend
/// on others from such rows, and takes that state at every stage.
bool ParticleSolver::find_stage_accelerations(double t, std::span<const double> y, std::span<double> xdot) noexcept {
  read(y, equations_->bodies().finds_any());
  Correction unused;
  const bool close = options_.correct && equations_->needs_closed_states();
  if (close && !project(t, unused)) return false;
  if (!find_accelerations(t, xdot, false, close)) return false;
  if (!options_.correct || !equations_->is_beside_singular_position()) return true;
  if (!project(t, unused)) read(y, true);  // too far from closed, which the end of the step will tell
  return find_accelerations(t, xdot, false, false);
}

Status ParticleSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (!find_stage_accelerations(t, y, ydot.last(view_.states))) return Status::failed;
  state_.write_accelerations(accelerations_, ydot);
  state_.find_position_rates(equations_->bodies(), joints(), ydot);
  return Status::ok;
}

Status ParticleSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y, equations_->bodies().finds_any());
  equations_->evaluate(t, motion_, joints(), false, false);
  state_.find_position_rates(equations_->bodies(), joints(), ydot);
  return Status::ok;
}

Status ParticleSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read(y, equations_->bodies().finds_any() || state_.has_joint_hints());
  rheonomic_.set_clocks(t, q_);
  out = {};
  if (options_.correct) {
    if (!project(t, out)) return Status::failed;
  } else {
    equations_->find_violations(t, motion_, joints(), out);
  }
  state_.reset_hints(equations_->bodies(), q_);
  state_.write_particles(motion_, y);
  state_.write_hints(q_, y);
  state_.write_states(x_, y);
  keep_left_out();
  return Status::ok;
}

Status ParticleSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y, true);
  if (!find_accelerations(t, xdot_, true, false)) return Status::failed;
  const PlacedBodies& placed = equations_->bodies().placed();
  state_.settle_orientations(equations_->bodies());
  const std::span<const Spatial> of_bodies = reactions_.body_accelerations(placed, accelerations_);
  if (!equations_->joint_accelerations(placed, of_bodies, out.acceleration)) return Status::failed;
  equations_->module_multipliers(out.module_multipliers);
  reactions_.find(*equations_, forces_.applied(), accelerations_, out.reactions);
  equations_->element_multipliers(out.constraint_multipliers);
  const Violations violations = equations_->violations();
  const Observed found{.motions = placed.motions,
                       .orientations = state_.orientations(),
                       .accelerations = of_bodies,
                       .state = {.q = q_, .v = v_, .x = state_.states_of(y), .discrete = discrete_.of_elements()},
                       .state_rates = xdot_,
                       .modules = equations_->modules(),
                       .force_potential = forces_.forces().potential_energy(),
                       .power = power() + rheonomic_.power(q_, placed.motions, out.reactions),
                       .position_violation = violations.position,
                       .velocity_violation = violations.velocity};
  fill_observation(centred_, found, out);
  return Status::ok;
}

}  // namespace polyform::particles
