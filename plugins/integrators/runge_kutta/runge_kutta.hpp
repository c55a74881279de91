// Explicit Runge-Kutta methods.
#pragma once

#include "polyform/contract/batch_integration.hpp"
#include "polyform/contract/integrator.hpp"

namespace polyform::runge_kutta {

const IntegratorType& rk4() noexcept;
const IntegratorType& dopri5() noexcept;
const IntegratorType& dop853() noexcept;

/// The types of the same names, for many worlds together.
const BatchIntegration& lane_rk4() noexcept;
const BatchIntegration& lane_dopri5() noexcept;

}  // namespace polyform::runge_kutta
