// The columns of a result.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace polyform::host::inline results {

/// One column: its name as in the outer contract (`time`, `pin.q[0]`, `rod.x`, `energy.total`, …) and its SI unit ("1"
/// if it has none). group: `modules` or `elements` for components that an element names, `reactions` for forces of
/// constraints and multipliers of modules, and empty for all others. own_name: of a coordinate of a joint that is code,
/// the name that its type gives it, such as `slip`; empty for all others.
struct Channel {
  std::string name, unit, group{}, own_name{};
};

/// Where a channel belongs. The part of its name after the last dot is the component, the part before it the object:
/// no component of the contract holds a dot, while names of bodies and joints may. The component tells the group:
/// `joints`, `bodies` or `reactions`. A channel with a group belongs to that one. For all others the group is the
/// object (energy, constraint, correction). A name without a dot (time) is an object without components.
struct ChannelPlace {
  std::string group, object, component;
};
ChannelPlace place_of(const Channel&);
/// `<joint>.<own_name>`; empty for a channel without one.
std::string own_path(const Channel&);
/// The place of the channel with this name, or else with this own path; as many as there are if there is none.
std::size_t find_channel(std::span<const Channel>, std::string_view name);

}  // namespace polyform::host::results
