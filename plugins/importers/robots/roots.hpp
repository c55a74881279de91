// Joints for the parts of a mechanism that no joint connects with ground.
#pragma once

#include <string>
#include <vector>

#include "mechanism.hpp"

namespace polyform::importers {

/// Adds joints to ground: for every body named in `welded`, and, at its first body, for each part of the mechanism that
/// no joint connects with ground. They are fixed if `fixed`, else free. The first is called @root.
void hold_roots(Mechanism&, const std::vector<std::string>& welded, bool fixed, NameGiver& joint_names, Ledger&);

}  // namespace polyform::importers
