// Accelerations and reactions at the initial state, without integration.
#pragma once

#include "framework/assembly/system.hpp"
#include "framework/simulation/observation_store.hpp"

namespace polyform::host {

/// Fills the store with what the solver observes at the initial state. Failure (simulation_failed) when it cannot.
void evaluate(const System&, Solver&, ObservationStore&);

}  // namespace polyform::host
