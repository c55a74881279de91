// The reference formulation: all bodies free, all joints as constraints, sparse KKT. What the papers compare against.
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::cartesian {

/// The formulation `cartesian`; lives as long as the library.
const Formulation& formulation() noexcept;

}  // namespace polyform::cartesian
