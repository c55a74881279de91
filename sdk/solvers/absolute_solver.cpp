#include "polyform/solvers/absolute_solver.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform {

AbsoluteSolver::AbsoluteSolver(const SystemView& view, bool project, double tolerance, const std::vector<bool>& absent)
    : centred_(view),
      view_(centred_.view()),
      system_(view_, absent, centred_.origin()),
      applied_(view_, centred_.origin()),
      state_(view_, discrete_),
      project_(project),
      tolerance_(tolerance),
      shown_{std::vector<Quat>(view.bodies.size()), std::vector<Spatial>(view.bodies.size()),
             std::vector<double>(view.states)} {
  kernels_.add(kernels::saddle_point);
  for (std::size_t j = view.bodies.size(); project && j < view.joints.size(); ++j)
    project_stages_ = project_stages_ || absent.empty() || !absent[j];
  system_.follow(discrete_.of_elements());
  applied_.follow(discrete_.of_elements());
  kept_discrete_.resize(discrete_.values().size());
}

void* AbsoluteSolver::query(std::string_view asked) noexcept {
  // What drives joints that depend on time shows in their reactions, which only observations find.
  if (asked == PowerSource::interface_name) return rheonomic_.empty() ? static_cast<PowerSource*>(this) : nullptr;
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
  if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
  if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
  if (asked == StateTime::interface_name) return static_cast<StateTime*>(&encoded_);
  return asked == Equations::interface_name ? static_cast<Equations*>(this) : nullptr;
}

double AbsoluteSolver::power() noexcept {
  return applied_.forces().power() + system_.flexible().damping_power() + system_.modules().power() +
         found_->driving_power();
}

void AbsoluteSolver::read(std::span<const double> y) noexcept {
  failure_ = {};
  state_.read(y);
}

const AbsoluteEquations& AbsoluteSolver::evaluate(double t) noexcept {
  return system_.evaluate(t, state_.motions(), state_.q(), state_.v(), state_.eta(), state_.etadot(), state_.x());
}

/// Constraints and forces at the state just read.
void AbsoluteSolver::find_loads(double t) noexcept {
  applied_.evaluate(t, evaluate(t), state_.q(), state_.v(), state_.x());
}

/// Accelerations at the state just read.
bool AbsoluteSolver::find_accelerations(double t, Accelerations use) noexcept {
  find_loads(t);
  return solve_for_loads(use);
}

/// Accelerations at the evaluated motions under the loads last found.
bool AbsoluteSolver::solve_for_loads(Accelerations use) noexcept {
  const AbsoluteAccelerations* found = solve(applied_.wrenches(), applied_.efforts(), applied_.modal_forces(), use);
  if (found != nullptr) found_ = found;
  return found != nullptr;
}

Status AbsoluteSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  failure_ = {};
  state_.take(state);
  state_.write(y);
  evaluate(encoded_.time());
  if (project_) system_.look_at_dependent_rows();
  return check_regular() ? Status::ok : Status::failed;
}

Status AbsoluteSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read(y);
  evaluate(0);
  state_.put(state);
  return Status::ok;
}

Status AbsoluteSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  if (project_stages_) {
    find_loads_off_constraints(t);
    Correction unused;
    if (!project(t, y, true, unused)) return Status::failed;
    evaluate(t);
  } else {
    find_loads(t);
  }
  if (!solve_for_loads(Accelerations::of_stage)) return Status::failed;
  state_.position_rates(ydot);
  state_.velocity_rates(found_->of_blocks(), ydot);
  find_state_rates(ydot.last(view_.states));
  return Status::ok;
}

/// Writes the rates of the first-order states of forces and modules.
void AbsoluteSolver::find_state_rates(std::span<double> xdot) const noexcept {
  std::ranges::copy(applied_.state_rates(), xdot.begin());
  found_->module_rates(xdot);
}

Status AbsoluteSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  if (state_.has_hints()) evaluate(t);  // for the velocities of the joints
  state_.position_rates(ydot);
  return Status::ok;
}

/// The loads at the state just read, and the evaluation from which project() goes on.
void AbsoluteSolver::find_loads_off_constraints(double t) noexcept {
  state_.normalize();
  const AbsoluteEquations& here = system_.evaluate_positions(t, state_.motions(), state_.q(), state_.v(), state_.eta(),
                                                             state_.etadot(), state_.x());
  applied_.evaluate(t, here, state_.q(), state_.v(), state_.x());
}

/// Moves the bodies just read onto the constraints and makes their velocities fit. evaluated: as
/// AbsoluteSystem::correct_positions takes it.
bool AbsoluteSolver::project(double t, std::span<const double> y, bool evaluated, Correction& out) noexcept {
  state_.normalize();
  PositionCorrection position;
  if (!system_.correct_positions(t, state_.poses(), state_.q(), tolerance_, position, state_.eta(), state_.x(),
                                 evaluated))
    return fail(system_.failure());
  out.position_residual = position.residual_before;
  out.iterations = position.iterations;
  state_.follow_poses(y);
  return system_.project_velocities(t, state_.motions(), state_.q(), state_.v(), out.velocity_residual, true,
                                    state_.eta(), state_.etadot(), state_.x()) ||
         fail(system_.failure());
}

Status AbsoluteSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read(y);
  rheonomic_.set_clocks(t, state_.q());
  out = {};
  if (project_) {
    if (!project(t, y, false, out)) return Status::failed;
  } else {
    state_.normalize();
    const absolute::Violation& violation = evaluate(t).violation();
    out.position_residual = violation.position;
    out.velocity_residual = violation.velocity;
  }
  state_.write(y);
  return Status::ok;
}

Status AbsoluteSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y);
  if (!find_accelerations(t, Accelerations::shown) || !check_rows()) return Status::failed;
  const std::span<const BodyMotion> motions = state_.motions();
  for (std::size_t i = 0; i < motions.size(); ++i) {
    shown_.accelerations[i] = found_->of_origin(i);
    shown_.orientations[i] = normalized(state_.poses()[i].orientation);
  }
  find_state_rates(shown_.state_rates);
  found_->module_multipliers(out.module_multipliers);
  found_->constraint_multipliers(out.constraint_multipliers);
  found_->joint_accelerations(out.acceleration);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) out.reactions[j] = found_->reaction(j);
  found_->modal_accelerations(out.modal_acceleration);
  const Observed found{.motions = motions,
                       .orientations = shown_.orientations,
                       .accelerations = shown_.accelerations,
                       .state = state_.canonical(),
                       .state_rates = shown_.state_rates,
                       .flexible = &system_.flexible(),
                       .modules = &system_.modules(),
                       .force_potential = applied_.forces().potential_energy(),
                       .power = power() + found_->clock_power(rheonomic_, state_.q(), out.reactions),
                       .position_violation = system_.equations().violation().position,
                       .velocity_violation = system_.equations().violation().velocity};
  fill_observation(centred_, found, out);
  return Status::ok;
}

Status AbsoluteSolver::do_form(double t, const ConstStateView& state, EquationValues& out) noexcept {
  const KeptDiscrete of_the_solver(discrete_, kept_discrete_);
  state_.take(state);
  find_loads(t);
  system_.set_loads(applied_.wrenches(), applied_.efforts(), applied_.modal_forces());
  const AbsoluteEquations& equations = system_.equations();
  const std::size_t unknowns = equations.offset(equations.blocks());
  for (const std::span<double> part : {out.M, out.A}) std::fill(part.begin(), part.end(), 0.0);
  std::copy(equations.loads().begin(), equations.loads().end(), out.f.begin());
  std::copy(equations.right().begin(), equations.right().end(), out.b.begin());
  for (std::size_t i = 0; i < equations.blocks(); ++i) {
    const std::size_t first = equations.offset(i), size = equations.size(i);
    if (i >= view_.bodies.size() || view_.bodies[i].flexible != rigid) {
      for (std::size_t r = 0; r < size; ++r)
        std::copy_n(equations.mass_matrix(i).data() + r * size, size, &out.M[(first + r) * unknowns + first]);
      continue;
    }
    const Mat3 J = equations.inertia(i).full();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) out.M[(first + r) * unknowns + first + c] = J(r, c);
      out.M[(first + 3 + r) * (unknowns + 1)] = view_.bodies[i].mass;
    }
  }
  for (std::size_t constraint = 0; constraint < equations.constraints(); ++constraint)
    for (std::size_t k = 0; k < equations.constrained_blocks(constraint); ++k) {
      const AbsoluteEquations::Coefficients c = equations.coefficients(constraint, k);
      const std::size_t own = c.own.size() / equations.rows(constraint);
      for (std::size_t r = 0; r < equations.rows(constraint); ++r) {
        double* row = &out.A[(equations.first_row(constraint) + r) * unknowns + equations.offset(c.block)];
        for (std::size_t e = 0; e < 6 && !c.frame.empty(); ++e) *row++ = c.frame[r][e];
        std::copy_n(c.own.data() + r * own, own, row);
      }
    }
  return Status::ok;
}

}  // namespace polyform
