// The largest of sizes of which some may be no numbers.
#pragma once

namespace polyform {

/// The larger of two sizes; no number if one of them is none, so that nothing hides it in a search for the largest.
constexpr double larger(double a, double b) noexcept { return b <= a || a != a ? a : b; }

}  // namespace polyform
