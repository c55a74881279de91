// Singular positions: constraints of a loop depend on each other there that are independent in positions next to it, as
// in change points and limit positions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// The positions next to one.
struct Neighbourhood {
  /// If that position is singular: the degrees of freedom of positions next to it, which are fewer. Nothing
  /// otherwise, or if no such position is found.
  std::optional<std::size_t> degrees_of_freedom;
  /// Bodies that the rates of that position move, but that the loops take back to it, as in a stretched loop of
  /// two links: they move for an instant only.
  std::vector<std::string> held;
};
Neighbourhood neighbourhood(const System&, double t, const ConstStateView&);
/// Of the initial position.
inline Neighbourhood neighbourhood(const System& system) {
  return neighbourhood(system, system.start_time(), system.initial_state());
}

/// Whether some constraint nearly depends on others at a state, as it does next to a singular position.
bool is_next_to_singular(const SystemView&, double t, const ConstStateView&);

}  // namespace polyform::host::assembly
