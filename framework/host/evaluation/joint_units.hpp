// Units of the coordinates and velocities of joints, from their primitives or, of joints that are code, their types.
#pragma once

#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline evaluation {

/// One for each of the joint's q, and of its v; "" if no type tells it.
std::vector<std::string_view> position_units(const JointData&);
std::vector<std::string_view> velocity_units(const JointData&);

}  // namespace polyform::host::evaluation
