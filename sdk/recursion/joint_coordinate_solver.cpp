#include "polyform/solvers/joint_coordinate_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <typeinfo>
#include <vector>

#include "polyform/contract/corrected_quaternions.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/state_energies.hpp"
#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/joint_dynamics.hpp"
#include "polyform/solvers/joint_lanes.hpp"
#include "polyform/solvers/joint_newton.hpp"
#include "polyform/solvers/joint_observer.hpp"
#include "polyform/solvers/loop_projection.hpp"
#include "polyform/solvers/time_of_states.hpp"

namespace polyform {

namespace {

/// The places of the quaternions in q, of a system whose derivative feels nothing else of a correction.
struct QuaternionsOfTree final : CorrectedQuaternions {
  std::span<const std::uint32_t> places() const noexcept override { return first; }
  std::vector<std::uint32_t> first;
};

/// Of rigid bodies on a tree of joints on which no force acts: all their energy follows from their motions.
class EnergiesOfTree final : public StateEnergies {
 public:
  explicit EnergiesOfTree(JointDynamics& dynamics) : dynamics_(dynamics) {}
  static bool fits(const SystemView& view) {
    return view.cut_joints().empty() && view.forces.empty() && view.constraints.empty() && view.modules.empty() &&
           view.flexible.empty();
  }
  Status energies(double t, std::span<const double> y, double& kinetic, double& potential) noexcept override {
    const SystemView& view = dynamics_.view();
    const PlacedState here = dynamics_.place_frames(t, y);
    const std::span<const BodyMotion> bodies = here.motions.first(view.bodies.size());
    kinetic = kinetic_energy(view, bodies);
    potential = dynamics_.centred().potential_at_origin() + gravity_potential(view, bodies);
    return Status::ok;
  }

 private:
  JointDynamics& dynamics_;
};

/// Whether anything but the joints themselves reads the coordinates of joints, which are corrected.
bool reads_coordinates(const SystemView& view, const ForceSet& forces) {
  if (!view.constraints.empty() || !view.modules.empty() || !view.flexible.empty()) return true;
  for (std::size_t i = 0; i < forces.parts(); ++i)
    if (!forces.part(i).attached.joints().empty()) return true;
  return false;
}

}  // namespace

/// All that the solver is made of. The parts refer to each other, so that they stay where they were made.
struct JointCoordinateSolver::Parts {
  Parts(const SystemView& view, const MakeLoopedSweep& make, Solver& solver)
      : dynamics(view, make),
        observer(dynamics.centred(), dynamics.loops(), dynamics.flexible().set(), dynamics.loads(), dynamics.sweep()),
        energies(dynamics),
        newton(dynamics, solver),
        closed(dynamics.state().size()),
        kept_discrete(dynamics.discrete().values().size()) {}

  JointDynamics dynamics;
  JointObserver observer;
  EnergiesOfTree energies;
  std::optional<LoopProjection> projection;
  JointNewton newton;
  std::optional<JointLanes> lanes;  ///< of a solver by the Recursion itself
  KernelList kernels;
  TimeOfStates encoded;
  std::optional<QuaternionsOfTree> quaternions;  ///< if a correction changes their lengths alone
  std::vector<double> closed;                    ///< y of a stage, brought onto the loops
  std::vector<std::int32_t> kept_discrete;       ///< room for the discrete state while a stage is brought there
};

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction)
    : JointCoordinateSolver(view, correction, [](const SystemView& centred, LoopClosure& loops) {
        return std::make_unique<Recursion>(centred, loops);
      }) {
  parts_->lanes.emplace(parts_->dynamics, *this, correction);
  for (const std::string_view kernel : {kernels::hinge_elimination, kernels::tree_recursion})
    parts_->kernels.add(kernel);
  if (!loops().empty()) parts_->kernels.add(kernels::loop_closure);
  const SystemView& of = parts_->dynamics.view();
  if (!loops().empty() || reads_coordinates(of, parts_->dynamics.loads().forces())) return;
  parts_->quaternions.emplace();
  for (const JointData& joint : of.tree_joints()) {
    std::size_t q = joint.q_offset;
    for (const Primitive& primitive : joint.primitives) {
      if (primitive.kind == Primitive::Kind::ball) parts_->quaternions->first.push_back(static_cast<std::uint32_t>(q));
      q += position_count(primitive.kind);
    }
  }
}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const MakeSweep& make)
    : parts_(std::make_unique<Parts>(
          view, [&](const SystemView& centred, LoopClosure&) { return make(centred); }, *this)) {}

JointCoordinateSolver::JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction,
                                             const MakeLoopedSweep& make)
    : parts_(std::make_unique<Parts>(view, make, *this)) {
  JointDynamics& dynamics = parts_->dynamics;
  parts_->projection.emplace(dynamics.view(), correction, dynamics.state(), *dynamics.sweep().recursion(),
                             dynamics.loops(), dynamics.placement(), dynamics.failure());
}

JointCoordinateSolver::~JointCoordinateSolver() = default;

bool JointCoordinateSolver::good() const { return parts_->dynamics.good(); }
std::string_view JointCoordinateSolver::failure() const noexcept { return parts_->dynamics.failure().text(); }
double JointCoordinateSolver::power() noexcept { return parts_->observer.power(); }
std::span<const StateKind> JointCoordinateSolver::kinds() const noexcept { return parts_->dynamics.state().kinds(); }
std::size_t JointCoordinateSolver::do_state_size() const noexcept { return parts_->dynamics.state().size(); }
LoopProjection& JointCoordinateSolver::projection() { return *parts_->projection; }
LoopClosure& JointCoordinateSolver::loops() { return parts_->dynamics.loops(); }

bool JointCoordinateSolver::return_to_loops(double t, std::span<double> y, Correction& out) noexcept {
  return parts_->projection->close(t, y, out);
}

void* JointCoordinateSolver::query(std::string_view asked) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  if (asked == LostDigits::interface_name) return &dynamics.lost();
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(&parts_->kernels);
  if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
  if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&dynamics.discrete());
  if (asked == StateTime::interface_name) return static_cast<StateTime*>(&parts_->encoded);
  if (asked == NewtonMatrix::interface_name) return parts_->newton.matrix();
  if (asked == NewtonDerivative::interface_name) return parts_->newton.derivative();
  // What drives joints that depend on time shows in their reactions, which only observations find.
  if (asked == PowerSource::interface_name && parts_->observer.rheonomic().empty())
    return static_cast<PowerSource*>(this);
  if (asked == StateEnergies::interface_name && EnergiesOfTree::fits(dynamics.view()))
    return static_cast<StateEnergies*>(&parts_->energies);
  if (!parts_->lanes) return nullptr;
  if (asked == LaneWorld::interface_name) return parts_->lanes->world();
  if (asked == BatchEvaluation::interface_name) return parts_->lanes->batch();
  if (asked == CodeDisagreement::interface_name) return parts_->lanes->disagreement();
  // The source and the quaternions know nothing of corrections that classes derived from this one make.
  if (typeid(*this) != typeid(JointCoordinateSolver)) return nullptr;
  if (asked == CorrectedQuaternions::interface_name)
    return parts_->quaternions ? static_cast<CorrectedQuaternions*>(&*parts_->quaternions) : nullptr;
  if (asked == ModelSource::interface_name) return static_cast<ModelSource*>(parts_->lanes->source());
  if (asked == DeviceWorld::interface_name) return static_cast<DeviceWorld*>(parts_->lanes->source());
  if (asked == DeviceProgram::interface_name) return static_cast<DeviceProgram*>(parts_->lanes->program());
  return nullptr;
}

Status JointCoordinateSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  dynamics.state().encode(state, y);
  dynamics.discrete().encode(state);
  dynamics.left_out().clear();
  dynamics.sweep().start_anew();
  const bool done = loops().empty() || parts_->projection->find_dependent_rows(parts_->encoded.time(), y);
  return done ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  const JointState::Parts parts = dynamics.state().split(y);
  const PlacedState here = dynamics.place(0, y);
  std::copy(here.q.begin(), here.q.end(), state.q.begin());
  std::copy(here.v.begin(), here.v.end(), state.v.begin());
  std::copy(parts.eta.begin(), parts.eta.end(), state.eta.begin());
  std::copy(parts.etadot.begin(), parts.etadot.end(), state.etadot.begin());
  std::copy(parts.x.begin(), parts.x.end(), state.x.begin());
  dynamics.discrete().decode(state);
  return Status::ok;
}

Status JointCoordinateSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  dynamics.find_position_rates(y, dynamics.place(t, y), ydot);
  return Status::ok;
}

Status JointCoordinateSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  if (dynamics.find_rates(t, y, ydot) == Status::failed) return Status::failed;
  if (loops().empty() || !parts_->projection->is_on() || !loops().is_nearly_singular()) return Status::ok;
  const ClosingErrors& errors = loops().constraints().errors();
  if (errors.position() <= errors.position_rounding()) return Status::ok;
  std::copy(y.begin(), y.end(), parts_->closed.begin());
  const KeptDiscrete within_the_step(dynamics.discrete(), parts_->kept_discrete);
  Correction unused;
  if (parts_->projection->close(t, parts_->closed, unused)) return dynamics.find_rates(t, parts_->closed, ydot);
  dynamics.failure().clear();  // too far from closed, which the end of the step will tell
  return Status::ok;
}

Status JointCoordinateSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  out = {};
  dynamics.failure().clear();
  dynamics.state().set_clocks(t, y);
  for (const JointData& joint : dynamics.view().tree_joints())
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  return loops().empty() || return_to_loops(t, y, out) ? Status::ok : Status::failed;
}

Status JointCoordinateSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  JointDynamics& dynamics = parts_->dynamics;
  PlacedState here;
  if (dynamics.solve(t, y, parts_->observer.rates(), true, here) == Status::failed) return Status::failed;
  const JointState::Parts parts = dynamics.state().split(y);
  const ConstStateView state{.q = here.q,
                             .v = here.v,
                             .eta = parts.eta,
                             .etadot = parts.etadot,
                             .x = parts.x,
                             .discrete = dynamics.discrete().of_elements()};
  const LoopContradiction worst = parts_->observer.observe(state, here.motions, out);
  if (!JointObserver::is_contradiction(worst, loops().constraints())) return Status::ok;
  dynamics.failure().contradicts(worst);
  return Status::failed;
}

}  // namespace polyform
