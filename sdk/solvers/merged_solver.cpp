#include "polyform/solvers/merged_solver.hpp"

#include <memory>

#include "polyform/contract/kernels.hpp"
#include "polyform/contract/state_energies.hpp"
#include "polyform/solvers/merged_system.hpp"
#include "weld_reactions.hpp"

namespace polyform {
namespace {

class MergedSolver final : public Solver, private StateEnergies {
 public:
  MergedSolver(const SystemView& whole, RigidGroups groups)
      : system_(whole, std::move(groups)),
        welds_(whole, system_.groups()),
        bodies_(system_.view().bodies.size()),
        reactions_(system_.view().joints.size()) {
    for (std::size_t i = 0; i < whole.bodies.size(); ++i) {
      const RigidGroups::Place& place = system_.groups()[i];
      const BodyData& body = whole.bodies[i];
      if (is_ground(place.carrier))
        resting_energy_ -= body.mass * dot(whole.gravity, place.p + place.R * body.center_of_mass);
    }
  }
  const SystemView& view() const { return system_.view(); }
  bool good() const { return welds_.good(); }
  /// Takes the solver of view().
  void adopt(Solver& merged) {
    merged_ = &merged;
    energies_ = ask<StateEnergies>(merged);
    if (const auto* its = ask<Kernels>(merged))
      for (std::size_t i = 0; i < its->count(); ++i) kernels_.add(its->name(i));
    kernels_.add(kernels::merged_welds);
  }

  std::string_view failure() const noexcept override { return merged_->failure(); }
  void* query(std::string_view asked) noexcept override {
    if (asked == StateEnergies::interface_name)
      return energies_ == nullptr ? nullptr : static_cast<StateEnergies*>(this);
    return asked == Kernels::interface_name ? static_cast<Kernels*>(&kernels_) : merged_->query(asked);
  }
  void destroy() noexcept override { delete this; }

 private:
  ~MergedSolver() {
    if (merged_ != nullptr) merged_->destroy();
  }
  Status energies(double t, std::span<const double> y, double& kinetic, double& potential) noexcept override {
    const Status found = energies_->energies(t, y, kinetic, potential);
    potential += resting_energy_;
    return found;
  }
  std::size_t do_state_size() const noexcept override { return merged_->state_size(); }
  Status do_encode(const ConstStateView& state, std::span<double> y) noexcept override {
    return merged_->encode(state, y);
  }
  Status do_decode(std::span<const double> y, const StateView& state) noexcept override {
    return merged_->decode(y, state);
  }
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return merged_->derivative(t, y, ydot);
  }
  Status do_correct(double t, std::span<double> y, Correction& out) noexcept override {
    return merged_->correct(t, y, out);
  }

  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    Observation merged = complete(out);  // joints have the coordinates that they have in the whole system
    merged.bodies = bodies_;
    merged.reactions = reactions_;
    if (merged_->observe(t, y, merged) != Status::ok) return Status::failed;
    out.kinetic_energy = merged.kinetic_energy;
    out.potential_energy = merged.potential_energy + resting_energy_;
    out.power = merged.power;
    out.position_violation = merged.position_violation;
    out.velocity_violation = merged.velocity_violation;
    for (std::size_t i = 0; i < out.bodies.size(); ++i) out.bodies[i] = observed(i);
    for (std::size_t j = 0; j < out.reactions.size(); ++j)
      if (const JointIndex m = system_.joint(j); m != JointIndex::none) out.reactions[j] = reactions_[at(m)];
    welds_.find(t, out);
    return Status::ok;
  }

  /// The observation of a body that moves with its carrier.
  Observation::Body observed(std::size_t body) const noexcept {
    static constexpr Observation::Body ground{};
    const BodyIndex carrier = system_.carrier(body_index(body));
    const Observation::Body& in = is_ground(carrier) ? ground : bodies_[at(carrier)];
    if (!system_.groups().is_carried(body_index(body))) return in;
    const RigidGroups::Place& place = system_.groups()[body];
    const Vec3 arm = rotation_matrix(in.pose.orientation) * place.p;
    const Vec3& w = in.angular_velocity;
    Observation::Body out = in;
    out.pose = {normalized(in.pose.orientation * place.turn), in.pose.position + arm};
    out.velocity += cross(w, arm);
    out.acceleration += cross(in.angular_acceleration, arm) + cross(w, cross(w, arm));
    return out;
  }

  MergedSystem system_;
  WeldReactions welds_;
  KernelList kernels_;  ///< of the merged solver, and the merging
  Solver* merged_ = nullptr;
  StateEnergies* energies_ = nullptr;  ///< of the same, or none
  std::vector<Observation::Body> bodies_;
  std::vector<Spatial> reactions_;
  double resting_energy_ = 0;  ///< of the bodies welded to ground, in gravity, J
};

}  // namespace

Solver* with_welds_merged(const SystemView& view, const std::function<Solver*(const SystemView&)>& make) {
  RigidGroups groups(view);
  if (groups.empty()) return make(view);
  const auto destroy = [](MergedSolver* solver) { solver->destroy(); };
  std::unique_ptr<MergedSolver, decltype(destroy)> solver(new MergedSolver(view, std::move(groups)));
  if (!solver->good()) return nullptr;
  Solver* merged = make(solver->view());
  if (merged == nullptr) return nullptr;
  solver->adopt(*merged);
  return solver.release();
}

}  // namespace polyform
