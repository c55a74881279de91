// The force types of this folder.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::stops {

const ForceType& joint_limit() noexcept;
const ForceType& dry_friction() noexcept;
const ForceType& freewheel() noexcept;

}  // namespace polyform::stops
