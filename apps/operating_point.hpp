// Where a model is linearized: which state the command line asks for, and how it is found.
#pragma once

#include <string>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/solver_choice.hpp"
#include "framework/linearization/linearize.hpp"

namespace polyform::apps {

/// initial, or a time in seconds.
struct PointArguments {
  std::string at = "initial";
};
void add_point_arguments(CLI::App&, PointArguments&);

/// Solvers of a choice, which outlives the result.
host::SolverMaker maker_of(const SolverChoice&);

/// The state asked for. Failure (simulation_failed) where it is not reached.
host::OperatingPoint find_point(const host::System&, const host::SolverMaker&, const PointArguments&);

/// "at the initial state", and what is to be known of it: that it is no equilibrium, that time is frozen.
std::string describe_point(const PointArguments&, const host::OperatingPoint&, const host::Linearization&);

}  // namespace polyform::apps
