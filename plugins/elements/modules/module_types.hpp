// Modules with equations of their own.
#pragma once

#include "polyform/contract/module.hpp"

namespace polyform::modules {

const ModuleType& dc_motor() noexcept;  ///< a circuit and a rotor that drive a joint through a gear
const ModuleType& geared_shaft() noexcept;  ///< a shaft that meshes with two joints
const ModuleType& rotor() noexcept;  ///< an inertia that a joint turns

}  // namespace polyform::modules
