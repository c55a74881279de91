// Solvers of systems whose welded bodies move as one.
#pragma once

#include <functional>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// The solver that make(view) returns, for a system in which every group of welded bodies is one body (RigidGroups).
/// From outside it is a solver of the given system: merged bodies and their reactions are observed like any other. A
/// system without welds is made as it is. nullptr if make returns that.
Solver* with_welds_merged(const SystemView&, const std::function<Solver*(const SystemView&)>& make);

}  // namespace polyform
