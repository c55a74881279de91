// An equilibrium for people, as JSON, and as initial values of a model.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/workbench/linearization/equilibrium.hpp"

namespace polyform::apps {

/// Joints, bodies and trimmed fields at the state; what is not balanced.
Json equilibrium_json(const host::System&, const host::Equilibrium&);
/// The same as lines.
void print_point(const host::System&, const host::Equilibrium&);
/// The state as values that can be put in the model.
std::string initial_text(const host::System&, const host::Equilibrium&);

}  // namespace polyform::apps
