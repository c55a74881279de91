// The point that positions in a state vector count from.
#pragma once

#include "polyform/system_view.hpp"

namespace polyform {

/// The middle of the bodies' frame origins as drawn, ground axes, m, where it is far from the ground origin beside the size
/// of the system; else the ground origin. A solver whose y holds positions writes them from here: an integrator's relative tolerance times the distance from a ground
/// origin far away would be no tolerance at all, and the rounding of large numbers no small error.
Vec3 state_origin(const SystemView&);

}  // namespace polyform
