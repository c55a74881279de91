// From where on a number means nothing.
#pragma once

namespace polyform::host::inline expressions {

/// A number that means nothing in SI units is larger. No speed, acceleration, force or moment of a real thing exceeds
/// those made of the Planck units (the largest is an angular acceleration, c²/l² = 3e86 rad/s²); squares of what is
/// smaller are still finite.
inline constexpr double beyond_any_scale = 1e100;

}  // namespace polyform::host::expressions
