// Aerodynamic forces.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::aerodynamics {

const ForceType& aerodynamic_body() noexcept;  ///< force and torque of a whole body from its coefficients
const ForceType& blade_elements() noexcept;    ///< strips of a wing or blade, each with its section's polar

}  // namespace polyform::aerodynamics
