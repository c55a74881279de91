// Rounding of the numbers that a model draws its bodies and joints with.
#pragma once

#include "framework/diagnostics.hpp"
#include "framework/assembly/system.hpp"

namespace polyform::host {

/// A warning where places are written so far from the ground origin that their numbers hold lengths with few digits.
void warn_of_drawn_rounding(const System::Parts&, Diagnostics&);

}  // namespace polyform::host
