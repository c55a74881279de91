// The equations of motion of a solver at the initial state, for `evaluate --equations`.
#pragma once

#include <string_view>

#include "framework/host/assembly/system.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

/// Prints unknowns, constraints, levels and M, f, A, b of a solver that offers them (polyform/contract/equations.hpp).
/// Throws host::Failure where it does not, or where they are too many to print.
void print_equations(const host::System&, std::string_view solver_name, Solver&, bool json);

}  // namespace polyform::apps
