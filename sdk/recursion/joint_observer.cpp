#include "polyform/solvers/joint_observer.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform {

JointObserver::JointObserver(const CentredView& centred, LoopClosure& loops, const FlexibleSet& flexible,
                             const JointLoads& loads, const TreeSweep& sweep)
    : centred_(centred), loops_(loops), flexible_(flexible), loads_(loads), sweep_(sweep), tree_(centred.view()),
      vdot_(centred.view().nv), etaddot_(centred.view().modes), xdot_(centred.view().states),
      accelerations_(centred.view().frames()), orientations_(centred.view().frames()) {}

LoopClosure::Contradiction JointObserver::observe(const JointState::Parts& y, std::span<const BodyMotion> motions,
                                                  Observation& out) noexcept {
  const SystemView& view = centred_.view();
  tree_.orientations(y.q.data(), orientations_, y.eta.data());
  sweep_.body_accelerations(accelerations_);
  for (std::size_t i = 0; i < out.bodies.size(); ++i)
    out.bodies[i] = {{orientations_[i], centred_.origin() + motions[i].p},
                     motions[i].V.linear,
                     motions[i].V.angular,
                     accelerations_[i].linear,
                     accelerations_[i].angular};
  std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
  std::copy(etaddot_.begin(), etaddot_.end(), out.modal_acceleration.begin());
  std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
  const ClosingConstraints& constraints = loops_.constraints();
  const LoopClosure::Contradiction worst = loops_.joint_accelerations(motions, accelerations_, out.acceleration);
  if (is_contradiction(worst, constraints)) return worst;
  sweep_.reactions(out.reactions);
  for (std::size_t i = 0; i < view.cut_joints().size(); ++i)
    out.reactions[view.bodies.size() + i] =
        loads_.cut_reaction(i, motion_of(view.cut_joints()[i].base_frame, motions));
  loops_.add_reactions(motions, out.reactions);
  loops_.put_module_multipliers(out.module_multipliers);
  const ModuleSet& modules = loops_.elements().modules();
  out.kinetic_energy = kinetic_energy(view, motions, flexible_, y.etadot.data()) + modules.kinetic_energy();
  out.potential_energy = centred_.potential_at_origin() + gravity_potential(view, motions, y.eta.data()) +
                         loads_.forces().potential_energy() + flexible_.strain_energy() + modules.potential_energy();
  out.power = power();
  out.position_violation = constraints.position_violation();
  out.velocity_violation = constraints.velocity_violation();
  return worst;
}

bool JointObserver::is_contradiction(const LoopClosure::Contradiction& worst,
                                     const ClosingConstraints& at_state) noexcept {
  return polyform::is_contradiction(worst.part, least_contradiction_of_cuts, at_state.position_violation(),
                                    at_state.velocity_violation());
}

double JointObserver::power() const noexcept {
  return loads_.forces().power() + flexible_.damping_power() + loops_.elements().modules().power() +
         loops_.driving_power();
}

}  // namespace polyform
