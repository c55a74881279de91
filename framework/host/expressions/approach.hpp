// Event functions that are no events: steps end where they are zero, so that nothing narrow there is stepped over.
#pragma once

#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// As the crossing of such a function: no change of its sign is an event. For elements of the host's own.
inline constexpr Crossing approached = static_cast<Crossing>(2);

}  // namespace polyform::host::inline expressions
