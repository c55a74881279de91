// Joints and elements that move as functions of time: a system in which one of them moves is not in equilibrium.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// A joint whose motion depends on time or is prescribed, or an element that prescribes a motion other than of joints.
struct Driven {
  std::string kind, name;   ///< "joint", "constraint" or "module"
  bool moves, accelerates;  ///< at the time, while nothing else moves
  bool changes = false;     ///< it accelerates at a later time, before the next knot of a function of time
};

/// The joints and elements that move or accelerate as functions of time at a point; none if the system may rest there.
std::vector<Driven> find_driven(const System&, const OperatingPoint&);

}  // namespace polyform::host::linearization
