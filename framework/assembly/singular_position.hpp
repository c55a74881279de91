// Positions of loops in which constraints depend on each other that do not next to them: change points, limit
// positions.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/assembly/system.hpp"

namespace polyform::host {

/// Where the initial position is singular: the degrees of freedom of positions next to it, which are fewer. Nothing
/// elsewhere, or where no such position is found.
std::optional<std::size_t> degrees_of_freedom_nearby(const System&);

/// Whether some constraint all but depends on others at a state, as it does next to a singular position.
bool is_next_to_singular(const SystemView&, const ConstStateView&);

}  // namespace polyform::host
