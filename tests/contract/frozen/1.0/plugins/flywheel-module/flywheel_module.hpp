// A wheel that a joint turns through a gear.
#pragma once

#include "polyform/module.hpp"

namespace example {

const polyform::ModuleType& flywheel_module() noexcept;

}  // namespace example
