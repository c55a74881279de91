// Solvers of this formulation with options, and their results at a model's initial state.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

using GivenOptions = std::vector<std::pair<std::string, std::string>>;

/// The formulation under test.
const Formulation& hierarchy_formulation();

/// Throws host::Failure if the formulation refuses.
host::SolverPointer solver_with(const host::System&, const GivenOptions&);

/// The observation at the model's initial state; fails the test if the solver fails.
std::unique_ptr<host::ObservationStore> observe(const host::System&, Solver&);
std::unique_ptr<host::ObservationStore> observe_with(const host::System&, const GivenOptions&);

/// Largest difference of the bodies' accelerations, relative to the largest of them (at least 1).
double difference(const Observation&, const Observation&);

/// Number of a body by name.
std::size_t body_of(const host::System&, const std::string& name);

}  // namespace polyform::test
