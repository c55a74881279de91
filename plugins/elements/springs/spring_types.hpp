// Springs of engineering practice: by tables, of rubber, of gas.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::springs {

const ForceType& bushing() noexcept;           ///< six stiffnesses and dampings between two bodies
const ForceType& nonlinear_spring() noexcept;  ///< by tables of force over elongation and rate
const ForceType& bump_stop() noexcept;         ///< touched at a length, pushes or pulls from there on
const ForceType& gas_spring() noexcept;        ///< a piston on a closed volume of gas

}  // namespace polyform::springs
