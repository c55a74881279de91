// The multistep methods of SUNDIALS.
#pragma once

#include "polyform/contract/integrator.hpp"

namespace polyform::cvode {

const IntegratorType& adams() noexcept;
const IntegratorType& bdf() noexcept;

}  // namespace polyform::cvode
