// The names of what the rows of constraint elements carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline columns {

/// A row that its type names, as results show it: `<element>.<name>`.
struct ConstraintForce {
  std::string_view element;
  std::string name, unit;
  std::size_t row = 0;  ///< into Observation::constraint_multipliers
};

/// The forces of all constraint elements whose types name their rows, in the order of the view.
std::vector<ConstraintForce> constraint_forces(const SystemView&);

}  // namespace polyform::host::columns
