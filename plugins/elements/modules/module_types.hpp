// Modules with equations of their own.
#pragma once

#include "polyform/contract/module.hpp"

namespace polyform::modules {

const ModuleType& acceleration_law() noexcept;  ///< a constraint on the acceleration of a joint
const ModuleType& circuit_branch() noexcept;    ///< source, resistor, coil and capacitor in a row
const ModuleType& dc_motor() noexcept;          ///< a circuit and a rotor that drive a joint through a gear
const ModuleType& geared_shaft() noexcept;      ///< a shaft that meshes with two joints
const ModuleType& rotor() noexcept;             ///< an inertia that a joint turns

}  // namespace polyform::modules
