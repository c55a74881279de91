#include "polyform/solvers/observed.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"

namespace polyform {

void fill_observation(const CentredView& centred, const Observed& found, Observation& out) noexcept {
  const SystemView& view = centred.view();
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyMotion& m = found.motions[i];
    const Spatial& a = found.accelerations[i];
    out.bodies[i] = {{found.orientations[i], centred.origin() + m.p}, m.V.linear, m.V.angular, a.linear, a.angular};
  }
  std::ranges::copy(found.state.q, out.q.begin());
  std::ranges::copy(found.state.v, out.v.begin());
  std::ranges::copy(found.state.eta, out.eta.begin());
  std::ranges::copy(found.state.etadot, out.etadot.begin());
  std::ranges::copy(found.modal_accelerations, out.modal_acceleration.begin());
  std::ranges::copy(found.state.x, out.x.begin());
  if (!out.discrete.empty()) std::ranges::copy(found.state.discrete, out.discrete.begin());
  std::ranges::copy(found.state_rates, out.state_rates.begin());
  const std::span<const BodyMotion> bodies = found.motions.first(view.bodies.size());
  out.kinetic_energy = found.flexible == nullptr
                           ? kinetic_energy(view, bodies)
                           : kinetic_energy(view, bodies, *found.flexible, found.state.etadot.data());
  out.potential_energy =
      centred.potential_at_origin() + gravity_potential(view, bodies, found.state.eta.data()) + found.force_potential;
  if (found.flexible != nullptr) out.potential_energy += found.flexible->strain_energy();
  if (found.modules != nullptr) {
    out.kinetic_energy += found.modules->kinetic_energy();
    out.potential_energy += found.modules->potential_energy();
  }
  out.power = found.power;
  out.position_violation = found.position_violation;
  out.velocity_violation = found.velocity_violation;
}

}  // namespace polyform
