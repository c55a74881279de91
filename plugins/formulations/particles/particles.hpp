// Rigid bodies as constrained particles, Attia 2005: the equations of motion in the coordinates of particles.
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::particles {

/// The formulation `particles`; lives as long as the library.
const Formulation& formulation() noexcept;

}  // namespace polyform::particles
