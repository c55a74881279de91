// The library that makes formulas of equations (apps/formulas), opened when it is asked for.
#pragma once

#include <string>

#include "apps/formulas/formulas.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::apps {

/// text, latex or c, as the command line has it.
Language language_of(const std::string& name);

/// The equations of a system as formulas, at its initial state. euler_angles: as of host::body_angles(). Failure (bad_input) where it has none, or where the
/// library cannot be opened.
Formulas formulas_of(const host::System&, const std::string& euler_angles, Language);

/// Failure (simulation_failed) where the formulas give other accelerations of the joints of the tree than those found
/// by a solver: they are not to be used then.
void check_formulas(const host::System&, const Formulas&, std::span<const double> accelerations);

}  // namespace polyform::apps
