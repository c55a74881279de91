// Singular positions: constraints of a loop depend on each other there that are independent in positions next to it, as
// in change points and limit positions.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// Where the initial position is singular: the degrees of freedom of positions next to it, which are fewer. Nothing
/// elsewhere, or where no such position is found.
std::optional<std::size_t> degrees_of_freedom_nearby(const System&);

/// Whether some constraint nearly depends on others at a state, as it does next to a singular position.
bool is_next_to_singular(const SystemView&, const ConstStateView&);

}  // namespace polyform::host::assembly
