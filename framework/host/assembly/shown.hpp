// Numbers as messages show them.
#pragma once

#include <cmath>

namespace polyform::host::inline assembly {

/// A number of size 1 is shown as 0 below this: it is rounding, which means nothing.
inline constexpr double shown_as_nothing = 1e-12;
inline double shown(double x) { return std::abs(x) < shown_as_nothing ? 0 : x; }

}  // namespace polyform::host::assembly
