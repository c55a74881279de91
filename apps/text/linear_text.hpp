// Linear models and their modes, for people and as JSON.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/workbench/linearization/body_states.hpp"
#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/periodic_states.hpp"
#include "framework/workbench/linearization/stability.hpp"

namespace polyform::apps {

/// States, inputs, outputs with units; A, B, C, D as lists of rows; modes with shapes; errors; the verdict.
Json linear_json(const host::Linearization&, const host::Stability&);
/// The same as tables.
void print_linear(const host::Linearization&, const host::Stability&);
/// States, A, B, C, D as lists of rows, values and rates of the states.
Json state_space_json(const host::StateSpace&);
Json periodic_states_json(const host::PeriodicStates&);
void print_body_states(const host::StateSpace&, const host::Linearization&);
void print_periodic_states(const host::PeriodicStates&, const host::Linearization&);
/// The verdict, its reason, and Floquet's multipliers if they were found.
Json stability_json(const host::Stability&);

/// Prints the verdict and its reason.
void print_stability(const host::Stability&);

/// Prints a line in parts of at most 80 columns, broken at blanks; the further parts are indented.
void print_wrapped(const std::string& line, std::size_t indent);

/// Warns if an entry of A is uncertain.
void warn_of_errors(const host::Linearization&);

}  // namespace polyform::apps
