// Drives: hydraulic cylinders, belts that slip, motors by computed torque, synchronous motors.
#pragma once

#include "polyform/contract/module.hpp"

namespace polyform::drives {

const ForceType& hydraulic_cylinder() noexcept;  ///< with the pressures of its chambers as states
const ForceType& belt_drive() noexcept;          ///< a belt that stretches, creeps and slips
const ForceType& computed_torque() noexcept;     ///< inverse dynamics of an open chain
const ModuleType& synchronous_motor() noexcept;  ///< with permanent magnets, in the axes of its rotor

}  // namespace polyform::drives
