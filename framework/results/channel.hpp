// The columns of a result.
#pragma once

#include <string>

namespace polyform::host {

/// One column: its name as in the outer contract (`time`, `pin.q[0]`, `rod.x`, `energy.total`, …) and its SI unit ("1"
/// where it has none).
struct Channel {
  std::string name, unit;
};

/// The group of a channel: `joints`, `bodies` or `reactions` by its component, the part of the name after the last dot
/// (no component of the contract holds a dot, while names of bodies and joints may); of all others the part before that
/// dot (energy, constraint, correction), and the name itself where there is none (time).
std::string result_group(const std::string& channel_name);

}  // namespace polyform::host
