#include "thompson_solver.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform::thompson {

ThompsonSolver::ThompsonSolver(const SystemView& view, const Options& options)
    : centred_(view),
      view_(centred_.view()),
      project_(options.project),
      closing_(view_, centred_.origin()),
      reductions_(view_, options.construction, closing_),
      encoding_(view_, options.sequences, closing_, discrete_),
      tree_(view_, encoding_.joints(), closing_),
      forces_(view_, reductions_, centred_.origin()),
      accelerations_(view_, options, reductions_),
      projection_(view_, options.tolerance, {tree_, reductions_, accelerations_.reduced(), forces_, failure_}),
      reactions_(view_, reductions_),
      shown_(view_, options.form,
             {[this](double t, const ConstStateView& state) {
                failure_.clear();
                return take(t, state) && find_accelerations(t, observing_.xdot, true);
              },
              tree_, reductions_, forces_, accelerations_}),
      joint_rates_(encoding_.joints().size()),
      observing_{std::vector<double>(view.states), std::vector<Quat>(view.frames()),
                 std::vector<Spatial>(view.frames())} {
  closing_.follow(discrete_.of_elements());
  forces_.follow(discrete_.of_elements());
}

/// Finds v̇ of the tree joints and q̈ of the bodies, for the joints just read.
bool ThompsonSolver::find_accelerations(double t, std::span<double> xdot, bool with_H1) noexcept {
  failure_.clear();
  const PlacedTree& tree = tree_.place(t);
  if (!reductions_.construct(tree, with_H1, failure_)) return false;
  Forces& Q = forces_.find(t, tree, tree_.parts().x, xdot);
  if (!accelerations_.find(tree, Q))
    return fail_massless(view_, accelerations_.failed_coordinate(), tree_.joints(), forces_.efforts(), failure_);
  if (closing_.modules().empty()) return true;
  const double* alpha = accelerations_.udot().data() + reductions_.tree().first_variable();
  for (const ModuleSet::Module& module : closing_.modules().modules()) {
    std::copy_n(alpha, module.variables, xdot.data() + module.u);
    alpha += module.variables;
  }
  closing_.modules().put_rates(xdot);
  return true;
}

/// Takes the joints of a state, and finds which rows depend on others there.
bool ThompsonSolver::take(double t, const ConstStateView& state) noexcept {
  encoding_.joints().encode(state, tree_.joints());
  discrete_.encode(state);
  accelerations_.look();
  for (std::size_t g = 0; g < closing_.groups(); ++g) reductions_.loops().leave_out(g, 0);
  const PlacedTree& tree = tree_.place(t);
  if (closing_.empty()) return true;
  if (!reductions_.construct(tree, false, failure_)) return false;
  reductions_.find_dependent_rows(tree);
  return true;
}

Status ThompsonSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  failure_.clear();
  std::fill(y.begin(), y.end(), 0.0);
  if (!take(encoded_.time(), state)) return Status::failed;
  if (!encoding_.write(encoded_.time(), reductions_.loops(), tree_, y, failure_)) return Status::failed;
  encoding_.start(tree_, y);
  return Status::ok;
}

Status ThompsonSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  failure_.clear();
  read(y);
  const PlacedTree& tree = tree_.place(0);
  std::ranges::copy(tree.q(), state.q.begin());
  std::ranges::copy(tree.v(), state.v.begin());
  std::ranges::copy(tree.eta(), state.eta.begin());
  std::ranges::copy(tree.etadot(), state.etadot.begin());
  std::ranges::copy(tree_.parts().x, state.x.begin());
  discrete_.decode(state);
  return Status::ok;
}

/// Finds ẏ in the order of JointState, for the joints as they are.
bool ThompsonSolver::find_rates(double t) noexcept {
  const std::span<double> rates = joint_rates_;
  if (!find_accelerations(t, rates.subspan(encoding_.joints().moving(), view_.states), false)) return false;
  tree_.find_position_rates(rates);
  std::ranges::copy(accelerations_.vdot(), rates.subspan(view_.nq_tree).begin());
  std::ranges::copy(etaddot(), rates.subspan(encoding_.joints().joints() + view_.modes).begin());
  return true;
}

/// The stages of an integrator miss the constraints by the square of the step. Near a singular position this would be
/// magnified: there the derivative is that of the nearest closed state.
Status ThompsonSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  if (!find_rates(t)) return Status::failed;
  if (!closing_.empty() && project_ && reductions_.loops().smallest_pivot() < 0.05 &&
      closing_.position_violation() > closing_.position_rounding()) {
    Correction unused;
    if (projection_.close(t, unused)) {
      if (!find_rates(t)) return Status::failed;
    } else {
      failure_.clear();  // the state is too far from closed; the end of the step will report that
    }
  }
  return encoding_.rates(t, y, joint_rates_, ydot, failure_) ? Status::ok : Status::failed;
}

Status ThompsonSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  failure_.clear();
  read(y);
  tree_.place(t);
  tree_.find_position_rates(joint_rates_);
  return encoding_.position_rates(t, y, joint_rates_, ydot, failure_) ? Status::ok : Status::failed;
}

Status ThompsonSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  out = {};
  failure_.clear();
  read(y);
  encoding_.joints().set_clocks(t, tree_.joints());
  for (const JointData& joint : view_.tree_joints())
    out.position_residual =
        std::max(out.position_residual, joint_normalize(joint, tree_.joints().data() + joint.q_offset));
  tree_.place(t);
  if (!closing_.empty()) {
    out.position_residual = std::max(out.position_residual, closing_.position_violation());
    out.velocity_residual = closing_.velocity_violation();
    if (project_ && !projection_.close(t, out)) return Status::failed;
  }
  return encoding_.write(t, reductions_.loops(), tree_, y, failure_) ? Status::ok : Status::failed;
}

double ThompsonSolver::power() noexcept {
  if (!closing_.drives()) return given_power();
  reactions_.find_multipliers(tree_.placed(), forces_.Q(), accelerations_);
  return given_power() + reactions_.driving_power(tree_.placed());
}

Status ThompsonSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y);
  if (!find_accelerations(t, observing_.xdot, true)) return Status::failed;
  const PlacedTree& tree = tree_.placed();
  if (!accelerations_.check_rows(tree, forces_.Q(), failure_)) return Status::failed;
  tree.kinematics().orientations(tree.q().data(), observing_.orientations, tree.eta().data());
  observe_accelerations(out);
  reactions_.find_multipliers(tree, forces_.Q(), accelerations_);
  reactions_.find_module_multipliers(tree, out.module_multipliers);
  reactions_.find(tree, forces_.efforts(), out.reactions);
  std::ranges::copy(reactions_.element_multipliers(tree), out.constraint_multipliers.begin());
  const Observed found{.motions = tree.bodies(),
                       .orientations = observing_.orientations,
                       .accelerations = observing_.of_bodies,
                       .state = {.q = tree.q(),
                                 .v = tree.v(),
                                 .eta = tree.eta(),
                                 .etadot = tree.etadot(),
                                 .x = tree_.parts().x,
                                 .discrete = discrete_.of_elements()},
                       .state_rates = observing_.xdot,
                       .modal_accelerations = etaddot(),
                       .flexible = &reductions_.mass().flexible(),
                       .modules = &closing_.modules(),
                       .force_potential = forces_.forces().potential_energy(),
                       .power = given_power() + reactions_.driving_power(tree) +
                                rheonomic_.power(tree.q(), tree.frames(), out.reactions),
                       .position_violation = closing_.position_violation(),
                       .velocity_violation = closing_.velocity_violation()};
  fill_observation(centred_, found, out);
  return Status::ok;
}

/// The power of forces, flexible bodies and modules.
double ThompsonSolver::given_power() const noexcept {
  return forces_.forces().power() + reductions_.mass().flexible().damping_power() + closing_.modules().power();
}

/// Writes the accelerations of the frame origins of the bodies, and those of all joints.
void ThompsonSolver::observe_accelerations(Observation& out) noexcept {
  const std::span<const BodyMotion> bodies = tree_.placed().bodies();
  std::vector<Spatial>& found = observing_.of_bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector6& qddot = accelerations_.qddot()[i];
    const Vec3 &c = reductions_.tree().center(i), &w = bodies[i].V.angular;
    const Vec3 alpha = bodies[i].R * angular(qddot);
    found[i] = {alpha, linear(qddot) - cross(alpha, c) - cross(w, cross(w, c))};
  }
  tree_.placed().kinematics().nodes().accelerate(tree_.placed().frames(), etaddot().data(), found);
  std::ranges::copy(accelerations_.vdot(), out.acceleration.begin());
  const std::span<const BodyMotion> frames = tree_.placed().frames();
  const auto of = [&](FrameIndex f) { return is_ground(f) ? Spatial{} : found[at(f)]; };
  for (std::size_t i = 0; i < view_.cut_joints().size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointMotion& m = closing_.cut(i).motion;
    const Spatial A = relative_acceleration(cut, motion_of(cut.base_frame, frames), of(cut.base_frame),
                                            motion_of(cut.moving_frame, frames), of(cut.moving_frame));
    solve_least_squares(m.H, cut.nv, A - m.bias, out.acceleration.data() + cut.v_offset);
  }
}

}  // namespace polyform::thompson
