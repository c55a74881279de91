// Model text with a state in it, so that what was found there is found again.
#pragma once

#include <span>
#include <string>

#include "framework/workbench/conformance/state.hpp"

namespace polyform::host::inline conformance {

/// The text of a ModelWriter with coordinates and velocities as initial ones of a joint. If the text has no such
/// joint, because the host made it, nothing changes.
std::string with_state(std::string text, const JointData&, std::span<const double> q, std::span<const double> v);
/// The same of all joints of the tree.
std::string with_state(std::string text, const SystemView&, const State&);

}  // namespace polyform::host::conformance
