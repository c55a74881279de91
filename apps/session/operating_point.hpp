// Where a model is linearized: which state the command line asks for, and how it is found.
#pragma once

#include <string>
#include <vector>

#include "apps/session/arguments.hpp"
#include "apps/session/solver_choice.hpp"
#include "framework/linearization/equilibrium.hpp"

namespace polyform::apps {

/// How an equilibrium is searched.
struct EquilibriumArguments {
  bool steady = false;
  std::vector<std::string> trimmed, held;
};
void add_equilibrium_arguments(CLI::App&, EquilibriumArguments&);
host::EquilibriumRequest request_of(const EquilibriumArguments&, const host::System&);

/// initial, equilibrium, or a time in seconds.
struct PointArguments {
  std::string at = "initial";
  EquilibriumArguments equilibrium;
};
void add_point_arguments(CLI::App&, PointArguments&);

/// Solvers of a choice, which outlives the result.
host::SolverMaker maker_of(const SolverChoice&);

/// What is not balanced, a line each; "" when all is.
std::string unbalanced_text(const host::Equilibrium&);

/// The state asked for. Failure (simulation_failed) where it is not reached.
/// Failure (simulation_failed) where accelerations or reactions at the initial state are so large that they cannot be of
/// any real thing. A state that cannot be evaluated passes: what is asked for may lie elsewhere.
void check_sizes(const host::System&, const host::SolverMaker&);
host::OperatingPoint find_point(const host::Catalog&, const host::System&, const host::SolverMaker&,
                                const PointArguments&);

/// "at the initial state", and what is to be known of it: that it is no equilibrium, that time is frozen. constant: A
/// is the same along the motion.
std::string describe_point(const PointArguments&, const host::OperatingPoint&, const host::Linearization&,
                           bool constant);

}  // namespace polyform::apps
