// The plugins of this build and models made ready for them: what tests above the command line's level start from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::test {

/// The registry over the build's plugin folder and the sdk's example plugins, loaded once.
const host::Registry& registry();

/// A system from model text or a model file; fails the test with the diagnostics when it cannot be made.
std::unique_ptr<host::System> system_from_text(const std::string& text);
std::unique_ptr<host::System> system_from_file(const std::string& file);

/// Formulations of this build that can run the system, in alphabetical order.
std::vector<const Formulation*> formulations_for(const host::System&);

/// A solver with the options given by name and text, and the formulation's defaults for the others.
using SolverOptions = std::vector<std::pair<std::string, std::string>>;
host::SolverPointer solver_for(const host::System&, const Formulation&, const SolverOptions& = {});

/// The solver's state vector at the system's initial state.
std::vector<double> initial_vector(const host::System&, Solver&);

}  // namespace polyform::test
