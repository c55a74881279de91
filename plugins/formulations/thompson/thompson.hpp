// The H2 reduction (Thompson, AIAA 2011-6277): velocity transformations to unconstrained equations of motion.
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::thompson {

/// The formulation, for the plugin's registration.
const Formulation& formulation() noexcept;

}  // namespace polyform::thompson
