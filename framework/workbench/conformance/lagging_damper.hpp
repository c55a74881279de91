// A force with a first-order state, for the battery of a formulation where no loaded plugin has one.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::host::inline conformance {

/// A damper between two markers whose force F follows the rate of their distance l late: τ dF/dt = c dl/dt − F.
const ForceType& lagging_damper() noexcept;

}  // namespace polyform::host::conformance
