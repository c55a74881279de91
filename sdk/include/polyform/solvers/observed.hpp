// The part of an observation that is the same in every formulation.
#pragma once

#include <span>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/body_motion.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform {

/// The results of a formulation at a state, positions from the origin of its CentredView.
struct Observed {
  std::span<const BodyMotion> motions;     ///< per body
  std::span<const Quat> orientations;      ///< the same orientations, continuous along the motion
  std::span<const Spatial> accelerations;  ///< of the frame origins, ground axes
  ConstStateView state;                    ///< of all joints, modes, first-order states, discrete states of elements
  std::span<const double> state_rates;     ///< d/dt of the first-order states
  std::span<const double> modal_accelerations{};  ///< none if they stand in the observation already
  const FlexibleSet* flexible = nullptr;          ///< evaluated at the motions; none if no body can be flexible
  const ModuleSet* modules = nullptr;             ///< the same; none if there are no modules
  double force_potential = 0;                     ///< of the forces, without weight, J
  double power = 0;                               ///< W, see Observation::power
  double position_violation = 0, velocity_violation = 0;
};

/// Fills an observation, except the accelerations of joints and modes, the reactions and the multipliers.
void fill_observation(const CentredView&, const Observed&, Observation& out) noexcept;

}  // namespace polyform
