#include "polyform/solvers/joint_coordinate_solver.hpp"

#include <algorithm>
#include <typeinfo>

namespace polyform {

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, ByLoopedSweep, const MakeLoopedSweep& make)
    : dynamics_(view, make), observer_(dynamics_.centred(), dynamics_.loops(), dynamics_.flexible().set(),
                                       dynamics_.loads(), dynamics_.sweep()),
      newton_(dynamics_, *this), closed_(dynamics_.state().size()),
      kept_discrete_(dynamics_.discrete().values().size()) {}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction)
    : JointCoordinateSolver(view, correction, [](const SystemView& centred, LoopClosure& loops) {
        return std::make_unique<Recursion>(centred, loops);
      }) {
  lanes_.emplace(dynamics_, *this, correction);
  for (const std::string_view kernel : {kernels::hinge_elimination, kernels::tree_recursion}) kernels_.add(kernel);
  if (!loops().empty()) kernels_.add(kernels::loop_closure);
}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const MakeSweep& make)
    : JointCoordinateSolver(view, ByLoopedSweep{},
                            [&](const SystemView& centred, LoopClosure&) { return make(centred); }) {}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction,
                                             const MakeLoopedSweep& make)
    : JointCoordinateSolver(view, ByLoopedSweep{}, make) {
  projection_.emplace(dynamics_.view(), correction, dynamics_.state(), *dynamics_.sweep().recursion(),
                      dynamics_.loops(), dynamics_.placement(), dynamics_.failure());
}

void* JointCoordinateSolver::query(std::string_view asked) noexcept {
  if (asked == LostDigits::interface_name) return &dynamics_.lost();
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
  if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
  if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&dynamics_.discrete());
  if (asked == StateTime::interface_name) return static_cast<StateTime*>(&encoded_);
  if (asked == NewtonMatrix::interface_name) return newton_.matrix();
  if (asked == NewtonDerivative::interface_name) return newton_.derivative();
  // What drives joints that depend on time shows in their reactions, which only observations find.
  if (asked == PowerSource::interface_name && observer_.rheonomic().empty()) return static_cast<PowerSource*>(this);
  if (!lanes_) return nullptr;
  if (asked == LaneWorld::interface_name) return lanes_->world();
  if (asked == BatchEvaluation::interface_name) return lanes_->batch();
  // The source knows nothing of corrections that classes derived from this one make.
  if (typeid(*this) != typeid(JointCoordinateSolver)) return nullptr;
  if (asked == ModelSource::interface_name) return static_cast<ModelSource*>(lanes_->source());
  if (asked == DeviceWorld::interface_name) return static_cast<DeviceWorld*>(lanes_->source());
  return nullptr;
}

Status JointCoordinateSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  dynamics_.state().encode(state, y);
  dynamics_.discrete().encode(state);
  dynamics_.left_out().clear();
  dynamics_.sweep().start_anew();
  return loops().empty() || projection_->find_dependent_rows(encoded_.time(), y) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  const JointState::Parts parts = dynamics_.state().split(y);
  const PlacedState here = dynamics_.place(0, y);
  std::copy(here.q.begin(), here.q.end(), state.q.begin());
  std::copy(here.v.begin(), here.v.end(), state.v.begin());
  std::copy(parts.eta.begin(), parts.eta.end(), state.eta.begin());
  std::copy(parts.etadot.begin(), parts.etadot.end(), state.etadot.begin());
  std::copy(parts.x.begin(), parts.x.end(), state.x.begin());
  dynamics_.discrete().decode(state);
  return Status::ok;
}

Status JointCoordinateSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  dynamics_.find_position_rates(y, dynamics_.place(t, y), ydot);
  return Status::ok;
}

Status JointCoordinateSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (dynamics_.find_rates(t, y, ydot) == Status::failed) return Status::failed;
  if (loops().empty() || !projection_->is_on() || !loops().is_nearly_singular()) return Status::ok;
  const ClosingErrors& errors = loops().constraints().errors();
  if (errors.position() <= errors.position_rounding()) return Status::ok;
  std::copy(y.begin(), y.end(), closed_.begin());
  const KeptDiscrete within_the_step(dynamics_.discrete(), kept_discrete_);
  Correction unused;
  if (projection_->close(t, closed_, unused)) return dynamics_.find_rates(t, closed_, ydot);
  dynamics_.failure().clear();  // too far from closed, which the end of the step will tell
  return Status::ok;
}

Status JointCoordinateSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  out = {};
  dynamics_.failure().clear();
  dynamics_.state().set_clocks(t, y);
  for (const JointData& joint : dynamics_.view().tree_joints())
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  return loops().empty() || return_to_loops(t, y, out) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  PlacedState here;
  if (dynamics_.solve(t, y, observer_.rates(), true, here) == Status::failed) return Status::failed;
  const JointState::Parts parts = dynamics_.state().split(y);
  const ConstStateView state{.q = here.q,
                             .v = here.v,
                             .eta = parts.eta,
                             .etadot = parts.etadot,
                             .x = parts.x,
                             .discrete = dynamics_.discrete().of_elements()};
  const LoopContradiction worst = observer_.observe(state, here.motions, out);
  if (!JointObserver::is_contradiction(worst, loops().constraints())) return Status::ok;
  dynamics_.failure().contradicts(worst);
  return Status::failed;
}

}  // namespace polyform
