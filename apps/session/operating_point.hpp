// The state at which a model is linearized, as the command line asks for it, and the search for it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/session/arguments.hpp"
#include "apps/session/solver_choice.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/linearization/equilibrium.hpp"

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
/// Why the text is none of the three; "" if it is one.
std::string check_at(const std::string& text);

/// Solvers of a choice, which outlives the result.
host::SolverMaker maker_of(const SolverChoice&);

/// Lines that name what is not balanced; "" when everything is.
std::string unbalanced_text(const host::Equilibrium&);

/// Failure (simulation_failed) if accelerations or reactions at the initial state are so large that they cannot be
/// those of any real thing. A state that cannot be evaluated passes: the state asked for may lie elsewhere.
void check_sizes(const host::System&, const host::SolverMaker&);
/// The state asked for. Failure (simulation_failed) if it is not reached, (interrupted) where the run to it was
/// ended by the control, or by signals to the command if there is none.
host::OperatingPoint find_point(const host::Catalog&, const host::System&, const host::SolverMaker&,
                                const PointArguments&, const host::RunControl* = nullptr,
                                const host::CanonicalState* near = nullptr);

/// What a search found: "equilibrium"; "steady motion", at the speeds of the initial state and evenly driven; "driven
/// motion", whose state holds at one time alone or moves although nothing that is free does; or "momentary balance", a
/// state in which nothing accelerates for an instant.
const char* name_of_state(const host::Equilibrium&, bool steady);
/// Whether what has this name is an equilibrium or a steady motion.
bool goes_on(std::string_view name_of_state);
/// "joint `slide`, which moves and accelerates; joint `turn`, which moves".
std::string driven_text(std::span<const host::Driven>);
/// "at the initial state", with notes: that it is no equilibrium, that time is frozen. constant: A
/// is the same along the motion.
std::string describe_point(const host::System&, const PointArguments&, const host::OperatingPoint&,
                           const host::Linearization&, bool constant);

}  // namespace polyform::apps
