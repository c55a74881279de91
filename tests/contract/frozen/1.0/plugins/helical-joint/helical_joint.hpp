// A screw: the moving body turns about an axis and advances along it by a pitch per turn.
#pragma once

#include "polyform/contract/joint.hpp"

namespace example {

/// Coordinate: angle about axis, rad; velocity: its rate.
const polyform::JointType& helical_joint() noexcept;

}  // namespace example
