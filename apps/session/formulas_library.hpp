// The library that makes formulas of equations (apps/formulas), opened when it is asked for.
#pragma once

#include <span>
#include <string>

#include "apps/formulas/formulas.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::apps {

/// text, latex or c, as the command line has it.
formulas::Language language_of(const std::string& name);

/// The equations of a system as formulas, at its initial state. euler_angles: as of host::body_angles(). They are made
/// in a process of their own, which is given so many seconds: their length grows without bound with the tree. Failure
/// (bad_input) if the system has no formulas, or they are not done in time, or the library cannot be opened;
/// (simulation_failed) if they give other accelerations of the tree joints than those that a solver found, so that they
/// cannot be trusted.
inline constexpr double formulas_seconds = 60;
std::string checked_formulas(const host::System&, const std::string& euler_angles, formulas::Language,
                             std::span<const double> accelerations);

}  // namespace polyform::apps
