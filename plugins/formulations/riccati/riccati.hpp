// The Riccati transfer matrix method for chains and branches (Rui et al., Multibody System Dynamics 49, 2020).
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::riccati {

/// The formulation, for the plugin's registration.
const Formulation& formulation() noexcept;

}  // namespace polyform::riccati
