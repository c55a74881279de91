// Rounding of the numbers that place bodies and joints in a model.
#pragma once

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// Warns where positions are so far from the ground origin that their numbers hold few digits of a length.
void warn_of_drawn_rounding(const System::Parts&, Diagnostics&);

}  // namespace polyform::host::assembly
