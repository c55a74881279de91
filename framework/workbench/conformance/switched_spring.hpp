// A force with a discrete state, for the battery of a formulation where no loaded plugin has one.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::host::inline conformance {

/// A spring between two markers with two stages, soft and hard: the hard one, in which it starts, is on where the
/// distance is above that of the switch.
const ForceType& switched_spring() noexcept;

}  // namespace polyform::host::conformance
