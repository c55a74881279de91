// Implicit methods for stiff systems.
#pragma once

#include "polyform/contract/integrator.hpp"

namespace polyform::implicit {

const IntegratorType& radau5() noexcept;
const IntegratorType& generalized_alpha() noexcept;
const IntegratorType& automatic() noexcept;

}  // namespace polyform::implicit
