// What is known of eigenvalues, and of numbers that are measured on a motion.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline linearization {

/// No derivative is known to a smaller part of itself.
inline constexpr double known_part = 1e-9;
/// An estimate of an error is right within this factor.
inline constexpr double factor_of_error = 10;
/// An eigenvalue whose error is more than this part of it has few digits: slow modes are then found in another way.
inline constexpr double few_digits_part = 1e-6;
/// In place of a size that vanishes, where it divides.
inline constexpr double least_divisor = std::numeric_limits<double>::min();

/// Changes after a period, integrated roughly, with which it is worth a closer look: what differs by more is no period.
inline constexpr double may_repeat = 1e-3;

/// By how much an eigenvalue or a multiplier may differ from what is found.
inline double uncertainty(double error, double size) { return std::max(factor_of_error * error, known_part * size); }

}  // namespace polyform::host::linearization
