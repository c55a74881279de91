// Tyres.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::tyres {

const ForceType& radial_tyre() noexcept;  ///< radial spring and damper of a wheel on a flat road

}  // namespace polyform::tyres
