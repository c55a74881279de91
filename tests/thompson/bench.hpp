// Solvers of this formulation with options, and how far their observations lie apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

const Formulation& formulation_named(const std::string& name);
/// The formulation under test.
inline const Formulation& thompson_formulation() { return formulation_named("thompson"); }

/// The observation at the model's initial state; fails the test when the solver does.
std::unique_ptr<host::ObservationStore> observe(const host::System&, Solver&);
std::unique_ptr<host::ObservationStore> observe_with(const host::System&, const SolverOptions&);

/// Largest differences, relative to the largest value of their kind (at least 1).
struct Difference {
  double acceleration = 0, reaction = 0;
};
Difference difference(const Observation&, const Observation&);

/// All combinations of construction and form but the default one.
std::vector<SolverOptions> variants();
std::string text_of(const SolverOptions&);

/// What compiling with these options is refused for; empty if it is not.
std::string refusal(const host::System&, const SolverOptions&);

}  // namespace polyform::test
