// Which constraints of a system a solver leaves out, such as those above its level in a hierarchy of models.
#pragma once

#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline evaluation {

/// For each joint, then for each constraint element: whether the solver has none of its rows. Empty if the solver has
/// all rows, or does not tell its equations.
std::vector<bool> absent_constraints(const SystemView&, Solver&);

}  // namespace polyform::host::evaluation
