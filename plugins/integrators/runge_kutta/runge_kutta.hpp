// Explicit Runge-Kutta methods.
#pragma once

#include "polyform/contract/integrator.hpp"

namespace polyform::runge_kutta {

const IntegratorType& rk4() noexcept;
const IntegratorType& dopri5() noexcept;
const IntegratorType& dop853() noexcept;

}  // namespace polyform::runge_kutta
