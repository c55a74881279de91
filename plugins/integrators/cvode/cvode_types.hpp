// The multistep methods of SUNDIALS.
#pragma once

#include "polyform/integrator.hpp"

namespace polyform::cvode {

const IntegratorType& adams() noexcept;
const IntegratorType& bdf() noexcept;

}  // namespace polyform::cvode
