// Coordinates and velocities of joints as they are told: by the primitives, or, of joints that are code, by their
// types.
#pragma once

#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/contract/type_descriptor.hpp"

namespace polyform::host::inline evaluation {

/// One for each of the joint's q, but the clock of a rheonomic joint, and one for each of its v. Those of primitives
/// have no name; the unit is "" if no type tells it.
std::vector<Variable> positions_of(const JointData&);
std::vector<Variable> velocities_of(const JointData&);
/// Of a unit such as "N or N m" the one that fits a velocity coordinate of the joint that an element is attached to:
/// the first for a translation, the second for a rotation. Other units, and those of elements at several joints, stay.
std::string_view unit_at_joint(std::string_view unit, const ElementInstance&, std::size_t coordinate);

}  // namespace polyform::host::evaluation
