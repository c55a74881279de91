// A massless rod with a ball at each end: it keeps two points at a distance.
#pragma once

#include "polyform/contract/constraint_element.hpp"

namespace example {

const polyform::ConstraintType& coupler_constraint() noexcept;

}  // namespace example
