// A rod without mass that keeps two points at a distance, as a module without variables.
#pragma once

#include "polyform/contract/module.hpp"

namespace links {

const polyform::ModuleType& link_module() noexcept;

}  // namespace links
