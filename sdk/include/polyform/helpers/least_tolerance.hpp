// The finest relative tolerance that a step can meet.
#pragma once

#include <limits>

namespace polyform {

/// Four roundings: each step adds up some roundings, so no step meets a finer tolerance; a search for such a step finds
/// noise.
inline constexpr double least_relative_tolerance = 4 * std::numeric_limits<double>::epsilon();
inline constexpr const char* why_no_finer_tolerance =
    "numbers are rounded to 2.2e-16 of themselves, and a step sums up some of them";
inline constexpr const char* remedy_of_tolerance =
    "Give 1e-15 or more. Where only the absolute tolerance is to count, that does no harm.";

}  // namespace polyform
