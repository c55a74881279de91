// Which solver a command runs, and with which options.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::apps {

/// A formulation with its options; move only, as the options point into their storage.
struct SolverChoice {
  const Formulation* formulation = nullptr;
  std::vector<FieldValue> options;
  host::Description storage;
  /// Where the model names the formulation and gives each of its options, for messages; line 0 if it does not.
  std::string file;
  host::Place place;
  std::vector<host::Place> option_places;
};

/// The formulation of that name. Failure (plugin), with a suggestion and the list, when there is none.
const Formulation& formulation_named(const host::Catalog&, std::string_view name);

/// The named solver, else the model's, else the preferred one of those that can run the model. Options are those of the
/// model where it names this solver (or none), then the typed ones. Failure after bad options; a name that the model
/// gives is refused at its place there.
SolverChoice choose_solver(const host::Catalog&, const host::System&, const std::string& name,
                           const std::vector<std::string>& typed);

/// A solver for the system. Failure (bad_input), at its place in the model where that asks for what is refused.
host::SolverPointer compile(const SolverChoice&, const SystemView&);

/// One formulation with the options the model gives for it.
SolverChoice with_model_options(const Formulation&, const host::System&);

/// Those of a list such as "a,b,c", or all that are loaded, with the options the model gives; `storage` keeps these.
/// Failure (plugin) for an unknown name or when there is none at all, Failure (bad_input) for one named twice.
std::vector<host::Contender> contenders(const std::string& list, const host::Catalog&, const host::System&,
                                        std::vector<SolverChoice>& storage);

/// Why the solver that a run would take finds no accelerations at the start; empty if it finds them, or no solver can
/// run the model.
std::string failure_at_start(const host::Catalog&, const host::System&);

}  // namespace polyform::apps
