#include "polyform/solvers/joint_coordinate_solver.hpp"

#include <algorithm>
#include <new>
#include <typeinfo>

namespace polyform {

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, ByLoopedSweep, const MakeLoopedSweep& make)
    : centred_(view), view_(centred_.view()), state_(view_), discrete_(view_), left_out_(discrete_), flexible_(view_),
      loops_(view_, flexible_, centred_.origin(), postponed_hinges(view_)), sweep_(make(view_, loops_)),
      placement_(view_, state_, *sweep_, loops_, left_out_),
      loads_(view_, centred_.origin(), loops_), failure_(view_, loops_, loads_),
      observer_(centred_, loops_, flexible_.set(), loads_, *sweep_), closed_(state_.size()) {
  for (std::size_t i = 0; i < loops_.layout().count(); ++i)
    left_out_.add(loops_.constraints().name(i), loops_.layout().loop(i).rows);
  if (!loops_.empty()) loops_.hold_ground_rows();
  kept_discrete_.resize(discrete_.values().size());
  loads_.follow(discrete_.of_elements());
  loops_.follow(discrete_.of_elements());
}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction)
    : JointCoordinateSolver(view, correction, [](const SystemView& centred, LoopClosure& loops) {
        return std::make_unique<Recursion>(centred, loops);
      }) {
  by_recursion_ = true;
  for (const std::string_view kernel : {kernels::hinge_elimination, kernels::tree_recursion}) kernels_.add(kernel);
  if (!loops_.empty()) kernels_.add(kernels::loop_closure);
}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const MakeSweep& make)
    : JointCoordinateSolver(view, ByLoopedSweep{},
                            [&](const SystemView& centred, LoopClosure&) { return make(centred); }) {}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction,
                                             const MakeLoopedSweep& make)
    : JointCoordinateSolver(view, ByLoopedSweep{}, make) {
  projection_.emplace(view_, correction, state_, *sweep_->recursion(), loops_, placement_, failure_);
}

void* JointCoordinateSolver::query(std::string_view asked) noexcept {
  if (asked == LostDigits::interface_name) return &lost_;
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
  if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
  if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
  if (asked == StateTime::interface_name) return static_cast<StateTime*>(&encoded_);
  if (asked == NewtonMatrix::interface_name) return newton_matrix();
  if (asked == NewtonDerivative::interface_name)
    return has_newton_matrix() ? static_cast<NewtonDerivative*>(this) : nullptr;
  if (asked == LaneWorld::interface_name) return lane_world();
  if (asked == BatchEvaluation::interface_name) return batch_evaluation();
  if (asked == ModelSource::interface_name) return static_cast<ModelSource*>(source());
  if (asked == DeviceWorld::interface_name) return static_cast<DeviceWorld*>(source());
  // What drives joints that depend on time shows in their reactions, which only observations find.
  if (asked == PowerSource::interface_name && observer_.rheonomic().empty()) return static_cast<PowerSource*>(this);
  return nullptr;
}

NewtonMatrix* JointCoordinateSolver::newton_matrix() noexcept {
  if (!has_newton_matrix()) return nullptr;
  if (newton_) return this;
  try {
    auto made = std::make_unique<TreeNewton>(view_, state_, centred_.origin(),
                                             loops_.empty() ? nullptr : &loops_.constraints());
    newton_rates_.resize(state_.size());
    newton_error_.resize(state_.size());
    newton_cuts_.resize(view_.cut_joints().size());
    if (!made->good()) return nullptr;
    made->follow(discrete_.of_elements());
    newton_ = std::move(made);
    return this;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

LaneWorld* JointCoordinateSolver::lane_world() noexcept {
  if (!by_recursion_) return nullptr;
  lane_world_ = {lane_library(), &view_, &sweep_->recursion()->tree(), &loads_, &loops_, &left_out_, this,
                 projection_->correction().on, projection_->correction().tolerance};
  return &lane_world_;
}

BatchEvaluation* JointCoordinateSolver::batch_evaluation() noexcept {
  if (lanes_) return lanes_.get();
  if (lane_world() == nullptr) return nullptr;
  try {
    lanes_ = LaneEvaluation::make(lane_world_);
    return lanes_.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

JointCoordinateSource* JointCoordinateSolver::source() noexcept {
  if (lane_world() == nullptr || typeid(*this) != typeid(JointCoordinateSolver)) return nullptr;
  source_.show(lane_world_);
  return &source_;
}

Status JointCoordinateSolver::linearize(double t, std::span<const double> y) noexcept {
  const JointRates out{newton_rates_.data() + view_.nq_tree, newton_rates_.data() + state_.joints() + view_.modes,
                       std::span(newton_rates_).subspan(state_.moving(), view_.states)};
  PlacedState here;
  if (solve(t, y, out, true, here) == Status::failed) return Status::failed;
  for (std::size_t i = 0; i < newton_cuts_.size(); ++i)
    newton_cuts_[i] = loads_.cut_reaction(i, motion_of(view_.cut_joints()[i].base_frame, here.motions));
  newton_->linearize(t, y, here, newton_rates_, loops_.multipliers().all(), newton_cuts_);
  newton_prepared_ = false;
  return Status::ok;
}

Status JointCoordinateSolver::prepare(double gamma) noexcept {
  newton_prepared_ = newton_->prepare(gamma);
  return newton_prepared_ ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::derivative_to_solve(double t, std::span<const double> y,
                                                  std::span<double> ydot) noexcept {
  if (newton_prepared_) sweep_->tolerate(this);
  const Status status = do_derivative(t, y, ydot);
  sweep_->tolerate(nullptr);
  return status;
}

void JointCoordinateSolver::apply(std::span<double> error) noexcept {
  std::ranges::fill(newton_error_, 0.0);
  std::ranges::copy(error, newton_error_.begin() + view_.nq_tree);
  newton_->solve(newton_error_);
  std::copy_n(newton_error_.begin() + view_.nq_tree, error.size(), error.begin());
}

Status JointCoordinateSolver::prepare_complex(double real, double imaginary) noexcept {
  return newton_->prepare(std::complex<double>(real, imaginary)) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  state_.encode(state, y);
  discrete_.encode(state);
  left_out_.clear();
  sweep_->start_anew();
  return loops_.empty() || projection_->find_dependent_rows(encoded_.time(), y) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  const JointState::Parts parts = state_.split(y);
  decode(y, loops_.empty() ? PlacedState{{}, parts.q, parts.v} : placement_.place(0, parts), state);
  return Status::ok;
}

void JointCoordinateSolver::decode(std::span<const double> y, const PlacedState& here,
                                   const StateView& state) noexcept {
  const JointState::Parts parts = state_.split(y);
  std::copy(here.q.begin(), here.q.end(), state.q.begin());
  std::copy(here.v.begin(), here.v.end(), state.v.begin());
  std::copy(parts.eta.begin(), parts.eta.end(), state.eta.begin());
  std::copy(parts.etadot.begin(), parts.etadot.end(), state.etadot.begin());
  std::copy(parts.x.begin(), parts.x.end(), state.x.begin());
  discrete_.decode(state);
}

Status JointCoordinateSolver::solve(double t, std::span<const double> y, const JointRates& out, bool observing,
                                    PlacedState& here) noexcept {
  const JointState::Parts parts = state_.split(y);
  here = placement_.place(t, parts, observing || !loads_.frames().empty());
  loads_.evaluate(t, here, parts.x, out.x);
  if (!sweep_->accelerations(loads_.frames(), loads_.wrenches(), loads_.efforts(), out.v, out.eta, observing)) {
    failure_.cannot_solve(sweep_->failure(), y);
    return Status::failed;
  }
  if (loops_.elements().has_modules()) {
    if (!loops_.elements().unheld().empty()) {
      failure_.leaves_free(loops_.elements().unheld());
      return Status::failed;
    }
    loops_.elements().put_rates(out.x);
  }
  lost_.part = sweep_->lost();
  failure_.clear();
  return Status::ok;
}

Status JointCoordinateSolver::find_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  const JointRates out{ydot.data() + view_.nq_tree, ydot.data() + state_.joints() + view_.modes,
                       ydot.subspan(state_.moving(), view_.states)};
  PlacedState here;
  if (solve(t, y, out, false, here) == Status::failed) return Status::failed;
  find_position_rates(y, here, ydot);
  return Status::ok;
}

/// The rates of the coordinates of joints and cut joints, and of the modes.
void JointCoordinateSolver::find_position_rates(std::span<const double> y, const PlacedState& here,
                                                std::span<double> ydot) noexcept {
  sweep_->position_rates(y.data(), y.data() + view_.nq_tree, ydot.data());
  std::copy_n(y.data() + state_.joints() + view_.modes, view_.modes, ydot.data() + state_.joints());
  for (const JointData& cut : view_.cut_joints())
    joint_position_rates(cut, here.q.data() + cut.q_offset, here.v.data() + cut.v_offset,
                         ydot.data() + state_.uncut() + (cut.q_offset - view_.nq_tree));
}

Status JointCoordinateSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  find_position_rates(y, loops_.empty() ? PlacedState{} : placement_.place(t, state_.split(y)), ydot);
  return Status::ok;
}

Status JointCoordinateSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (find_rates(t, y, ydot) == Status::failed) return Status::failed;
  if (loops_.empty() || !projection_->is_on() || !loops_.is_nearly_singular() ||
      loops_.constraints().position_violation() <= loops_.constraints().position_rounding())
    return Status::ok;
  std::copy(y.begin(), y.end(), closed_.begin());
  const KeptDiscrete within_the_step(discrete_, kept_discrete_);
  Correction unused;
  if (projection_->close(t, closed_, unused)) return find_rates(t, closed_, ydot);
  failure_.clear();  // too far from closed, which the end of the step will tell
  return Status::ok;
}

Status JointCoordinateSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  out = {};
  failure_.clear();
  state_.set_clocks(t, y);
  for (const JointData& joint : view_.tree_joints())
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  return loops_.empty() || return_to_loops(t, y, out) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  PlacedState here;
  if (solve(t, y, observer_.rates(), true, here) == Status::failed) return Status::failed;
  const JointState::Parts parts = state_.split(y);
  const ConstStateView state{.q = here.q,
                             .v = here.v,
                             .eta = parts.eta,
                             .etadot = parts.etadot,
                             .x = parts.x,
                             .discrete = discrete_.of_elements()};
  const LoopClosure::Contradiction worst = observer_.observe(state, here.motions, out);
  if (!JointObserver::is_contradiction(worst, loops_.constraints())) return Status::ok;
  failure_.contradicts(worst);
  return Status::failed;
}

}  // namespace polyform
