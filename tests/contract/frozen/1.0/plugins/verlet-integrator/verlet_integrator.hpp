// The Störmer-Verlet method: half a kick, a drift, half a kick. It is of order 2 and symmetric: the energy of an
// undamped motion swings, but does not drift.
#pragma once

#include "polyform/contract/integrator.hpp"

namespace example {

const polyform::IntegratorType& verlet_integrator() noexcept;

}  // namespace example
