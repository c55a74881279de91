// Forces of fields: gravity of a sphere, magnets, drag.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::fields {

const ForceType& central_gravity() noexcept;  ///< of a sphere, with its gradient over the body
const ForceType& magnets() noexcept;          ///< two dipoles
const ForceType& magnetic_field() noexcept;   ///< a dipole in a uniform field
const ForceType& drag() noexcept;             ///< of air or water, by the square of the speed

}  // namespace polyform::fields
