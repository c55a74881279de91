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
/// Of each element of a group the joint that it is attached to; nullptr of one at no joint or at several.
template <class Group>
std::vector<const JointData*> joint_of_each(const SystemView& view, const Group& group) {
  std::vector<const JointData*> all;
  std::size_t next = 0;  // into the attached joints of the group
  for (const ElementInstance& instance : group.instances) {
    const std::size_t count = instance.joints.size();
    all.push_back(count == 1 ? &view.joints[at(group.joints[next])] : nullptr);
    next += count;
  }
  return all;
}

/// Of a unit such as "N or N m" the one that fits a velocity coordinate of the joint that an element is attached to:
/// the first for one in m/s, the second for one in rad/s. All other units stay, as do those without a joint (nullptr).
std::string_view unit_at_joint(std::string_view unit, const JointData* joint, std::size_t coordinate);

}  // namespace polyform::host::evaluation
