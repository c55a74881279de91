// The library that makes formulas of equations (apps/formulas), opened when it is asked for.
#pragma once

#include <span>
#include <string>

#include "apps/formulas/formulas.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::apps {

/// The language by its name on the command line: text, latex or c.
formulas::Language language_of(const std::string& name);

/// The equations of a system as formulas, at its initial state. euler_angles: as for host::body_angles(). They are made
/// in a process of their own, which gets so many seconds, because their length grows without bound with the tree.
/// Failure (bad_input) if the system has no formulas, they are not done in time, or the library cannot be opened.
/// Failure (simulation_failed) if they give other accelerations of the tree joints than a solver, so that they cannot
/// be trusted.
inline constexpr double formulas_seconds = 60;
std::string checked_formulas(const host::System&, const std::string& euler_angles, formulas::Language,
                             std::span<const double> accelerations);

}  // namespace polyform::apps
