// Tyres.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::tyres {

const ForceType& radial_tyre() noexcept;         ///< radial spring and damper of a wheel on a flat road
const ForceType& brush_tyre() noexcept;          ///< drives, brakes and steers by the brush model
const ForceType& magic_formula_tyre() noexcept;  ///< the same by Pacejka's formula

}  // namespace polyform::tyres
