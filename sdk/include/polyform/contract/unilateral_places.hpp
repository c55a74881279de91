// What UnilateralRows tell of a point that has no place now.
#pragma once

#include <limits>

namespace polyform {

/// The gap of a point that has no place now (UnilateralOutput::gap), m or rad: of a corner beside the face that it lay on,
/// or of two edges that no longer cross. A row that holds lets go where its place ends, and what touches next to it takes
/// over.
inline constexpr double no_place = std::numeric_limits<double>::max();

}  // namespace polyform
