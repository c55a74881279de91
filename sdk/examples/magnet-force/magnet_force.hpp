// Two magnetic dipoles, each fixed in a body, that attract, repel and turn one another.
#pragma once

#include "polyform/contract/force.hpp"

namespace example {

const polyform::ForceType& magnet_force() noexcept;

}  // namespace example
