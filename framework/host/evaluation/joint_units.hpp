// Units of the coordinates and velocities of joints, from their primitives or, of joints that are code, their types.
#pragma once

#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline evaluation {

/// One for each of the joint's q, and of its v; "" if no type tells it.
std::vector<std::string_view> position_units(const JointData&);
std::vector<std::string_view> velocity_units(const JointData&);
/// Of a unit such as "N or N m" the one that fits a velocity coordinate of the joint that an element is attached to:
/// the first for a translation, the second for a rotation. Other units, and those of elements at several joints, stay.
std::string_view unit_at_joint(std::string_view unit, const ElementInstance&, std::size_t coordinate);

}  // namespace polyform::host::evaluation
