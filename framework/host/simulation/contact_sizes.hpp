// What gaps are parts of.
#pragma once

#include <cstddef>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline simulation {

/// The farthest place of bodies and of joints on them at a state, up to 1 m, or the size of the largest body, m.
double size_of_places(const SystemView&, const ConstStateView& start);
/// Whether a joint velocity turns.
bool turns(const SystemView&, std::size_t velocity, const ConstStateView& start);

}  // namespace polyform::host::inline simulation
