// The state of a system as the state vector of a solver.
#pragma once

#include <span>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline evaluation {

/// Solver::encode of a state at time t, s: a solver that asks for the time (StateTime) is told it before.
Status encode_at(double t, Solver&, const ConstStateView&, std::span<double> y);
/// Writes y of the state from which a solver starts, at time t. Failure (simulation_failed) if the solver cannot take
/// the state.
void encode_start(double t, Solver&, const ConstStateView& start, std::span<double> y);

}  // namespace polyform::host::evaluation
