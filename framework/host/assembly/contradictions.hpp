// Constraint elements that demand different values of one joint coordinate: no initial state meets both.
#pragma once

#include <vector>

#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// Reports elements that contradict each other at a position; false when there are none.
bool report_contradiction(Start&, const std::vector<double>& q);

}  // namespace polyform::host::inline assembly
