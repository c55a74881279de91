// The reduced transfer matrix method with direct correction of closed loops (Zhang et al., AIMS Mathematics 8, 2023).
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::reduced {

/// The formulation, for the plugin's registration.
const Formulation& formulation() noexcept;

}  // namespace polyform::reduced
