// A latch: a spring that catches a joint where it passes a place, and lets it go where it is pulled too hard.
#pragma once

#include "polyform/contract/force.hpp"

namespace example {

const polyform::ForceType& latch_force() noexcept;

}  // namespace example
