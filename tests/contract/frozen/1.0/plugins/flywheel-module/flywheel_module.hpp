// A wheel that a joint turns through a gear.
#pragma once

#include "polyform/contract/module.hpp"

namespace example {

const polyform::ModuleType& flywheel_module() noexcept;

}  // namespace example
