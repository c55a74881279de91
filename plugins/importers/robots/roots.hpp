// What holds the parts of a mechanism that no joint connects with ground.
#pragma once

#include <string>
#include <vector>

#include "mechanism.hpp"

namespace polyform::importers {

/// Adds a joint to ground for every body named in `welded`, and for each part of the mechanism that no joint connects
/// with ground, at its first body: a fixed one where `fixed`, else a free one. The first is called @root.
void hold_roots(Mechanism&, const std::vector<std::string>& welded, bool fixed, NameGiver& joint_names, Ledger&);

}  // namespace polyform::importers
