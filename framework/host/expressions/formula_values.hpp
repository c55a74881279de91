// From where on a number means nothing.
#pragma once

#include <atomic>

namespace polyform::host::inline expressions {

/// A number that means nothing in SI units is larger. No speed, acceleration, force or moment of a real thing exceeds
/// those made of the Planck units (the largest is an angular acceleration, c²/l² = 3e86 rad/s²); squares of what is
/// smaller are still finite.
inline constexpr double beyond_any_scale = 1e100;

/// From this absolute value on a formula looks at what it computes. While a run that does not get on is looked into, it
/// is zero, and formulas next to a place where they have no value are noted too (note_strained).
inline std::atomic<double> looked_at_from{beyond_any_scale};

}  // namespace polyform::host::expressions
