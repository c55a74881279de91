// A joint that is code, for the battery of a formulation whatever plugins are loaded.
#pragma once

#include "polyform/contract/joint.hpp"

namespace polyform::host::inline conformance {

/// A screw: moving turns about an axis and advances along it.
const JointType& screw_joint() noexcept;

}  // namespace polyform::host::conformance
