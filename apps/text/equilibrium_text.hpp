// An equilibrium for people, as JSON, and as initial values of a model.
#pragma once

#include <string>
#include <string_view>

#include "apps/text/json_output.hpp"
#include "framework/workbench/linearization/equilibrium.hpp"

namespace polyform::apps {

/// The joints, bodies and trimmed fields at the state that was found; the forces that nothing balances. steady: the
/// search kept the speeds of the initial state.
Json equilibrium_json(const host::System&, const host::Equilibrium&, bool steady);
/// The same as lines.
void print_point(const host::System&, const host::Equilibrium&);
/// Why a state without accelerations does not last: "no: at t = 0.2 s accelerations differ by 0.1 of large ones".
std::string lasting_text(const host::Equilibrium&, bool steady);
/// The state as values that can be put in the model. kind: of the state, as name_of_state gives it.
std::string initial_text(const host::System&, const host::Equilibrium&, std::string_view kind);

}  // namespace polyform::apps
