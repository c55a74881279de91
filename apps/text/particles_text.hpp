// The equivalent particles of each body, for `evaluate --particles`.
#pragma once

#include <string_view>

#include "framework/host/assembly/system.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

/// Prints the particles of a solver that replaces bodies by them (polyform/contract/particle_model.hpp). Throws
/// host::Failure for any other solver.
void print_particles(const host::System&, std::string_view solver_name, Solver&, bool json);

}  // namespace polyform::apps
