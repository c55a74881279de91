// A screw whose lead, the advance per angle, is a polynomial of time: a joint that depends on time.
#pragma once

#include "polyform/contract/joint.hpp"

namespace example {

/// Coordinates: angle about axis, rad, and the time, s; velocity: the rate of the angle.
const polyform::JointType& varilead_rheonomic_joint() noexcept;

}  // namespace example
