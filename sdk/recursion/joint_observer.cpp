#include "polyform/solvers/joint_observer.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform {

JointObserver::JointObserver(const CentredView& centred, LoopClosure& loops, const FlexibleSet& flexible,
                             const JointLoads& loads, const TreeSweep& sweep)
    : centred_(centred), loops_(loops), flexible_(flexible), loads_(loads), sweep_(sweep),
      rheonomic_(centred.view()), tree_(centred.view()),
      vdot_(centred.view().nv), etaddot_(centred.view().modes), xdot_(centred.view().states),
      accelerations_(centred.view().frames()), orientations_(centred.view().frames()) {}

LoopClosure::Contradiction JointObserver::observe(const ConstStateView& state, std::span<const BodyMotion> motions,
                                                  Observation& out) noexcept {
  const SystemView& view = centred_.view();
  tree_.orientations(state.q.data(), orientations_, state.eta.data());
  sweep_.body_accelerations(accelerations_);
  std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
  const ClosingConstraints& constraints = loops_.constraints();
  const LoopClosure::Contradiction worst = loops_.joint_accelerations(motions, accelerations_, out.acceleration);
  if (is_contradiction(worst, constraints)) return worst;
  sweep_.reactions(out.reactions);
  for (std::size_t i = 0; i < view.cut_joints().size(); ++i)
    out.reactions[view.bodies.size() + i] =
        loads_.cut_reaction(i, motion_of(view.cut_joints()[i].base_frame, motions));
  loops_.add_reactions(motions, out.reactions);
  loops_.put_constraint_multipliers(out.constraint_multipliers);
  loops_.put_module_multipliers(out.module_multipliers);
  const Observed found{.motions = motions,
                       .orientations = orientations_,
                       .accelerations = accelerations_,
                       .state = state,
                       .state_rates = xdot_,
                       .modal_accelerations = etaddot_,
                       .flexible = &flexible_,
                       .modules = &loops_.elements().modules(),
                       .force_potential = loads_.forces().potential_energy(),
                       .power = power() + rheonomic_.power(state.q, motions, out.reactions),
                       .position_violation = constraints.position_violation(),
                       .velocity_violation = constraints.velocity_violation()};
  fill_observation(centred_, found, out);
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
