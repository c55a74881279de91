// Modules with equations of their own.
#pragma once

#include "polyform/module.hpp"

namespace polyform::modules {

const ModuleType& dc_motor() noexcept;  ///< a circuit and a rotor that drive a joint through a gear

}  // namespace polyform::modules
