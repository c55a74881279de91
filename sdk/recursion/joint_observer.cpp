#include "polyform/solvers/joint_observer.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform {

JointObserver::JointObserver(const CentredView& centred, const LoopClosure& loops, const FlexibleSet& flexible,
                             const JointLoads& loads, const TreeSweep& sweep)
    : centred_(centred),
      loops_(loops),
      flexible_(flexible),
      loads_(loads),
      sweep_(sweep),
      loop_accelerations_(centred.view(), loops),
      rheonomic_(centred.view()),
      tree_(centred.view()),
      vdot_(centred.view().nv),
      etaddot_(centred.view().modes),
      xdot_(centred.view().states),
      accelerations_(centred.view().frames()),
      orientations_(centred.view().frames()) {}

LoopContradiction JointObserver::observe(const ConstStateView& state, std::span<const BodyMotion> motions,
                                         Observation& out) noexcept {
  const SystemView& view = centred_.view();
  tree_.orientations(state.q.data(), orientations_, state.eta.data());
  sweep_.body_accelerations(accelerations_);
  std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
  const ClosingConstraints& constraints = loops_.constraints();
  const LoopContradiction worst = loop_accelerations_.find(motions, accelerations_, out.acceleration);
  if (is_contradiction(worst, constraints)) return worst;
  sweep_.reactions(out.reactions);
  for (std::size_t i = 0; i < view.cut_joints().size(); ++i)
    out.reactions[view.bodies.size() + i] = loads_.cut_reaction(i, motion_of(view.cut_joints()[i].base_frame, motions));
  const ElementRows& elements = constraints.elements();
  const std::span<const double> multipliers = constraints.of_elements(loops_.multipliers().all());
  elements.add_reactions(multipliers, motions, out.reactions);
  elements.put_constraint_multipliers(multipliers, out.constraint_multipliers);
  elements.put_module_multipliers(multipliers, out.module_multipliers);
  const Observed found{.motions = motions,
                       .orientations = orientations_,
                       .accelerations = accelerations_,
                       .state = state,
                       .state_rates = xdot_,
                       .modal_accelerations = etaddot_,
                       .flexible = &flexible_,
                       .modules = &elements.modules(),
                       .force_potential = loads_.forces().potential_energy(),
                       .power = power() + rheonomic_.power(state.q, motions, out.reactions),
                       .position_violation = constraints.errors().position(),
                       .velocity_violation = constraints.errors().velocity()};
  fill_observation(centred_, found, out);
  return worst;
}

bool JointObserver::is_contradiction(const LoopContradiction& worst, const ClosingConstraints& at_state) noexcept {
  return polyform::is_contradiction(worst.part, least_contradiction_of_cuts, at_state.errors().position(),
                                    at_state.errors().velocity());
}

double JointObserver::power() const noexcept {
  const ClosingConstraints& constraints = loops_.constraints();
  return loads_.forces().power() + flexible_.damping_power() + constraints.elements().modules().power() +
         constraints.elements().driving_power(constraints.of_elements(loops_.multipliers().all()));
}

}  // namespace polyform
