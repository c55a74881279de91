#include "apps/solver_choice.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/terminal.hpp"
#include "framework/reading/reader.hpp"
#include "framework/reading/report.hpp"
#include "framework/simulation/solver_selection.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

namespace {

SolverChoice with_options(const Formulation& formulation, const OptionTexts& given) {
  SolverChoice choice;
  choice.formulation = &formulation;
  host::Diagnostics diagnostics;
  choice.options = host::read_options(formulation.options(), given, formulation.name(), choice.storage, diagnostics);
  print(diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
  return choice;
}

/// The model's options belong to the solver it names; where it names none, to the one that is used.
OptionTexts model_options(const host::Description& model, const Formulation& formulation) {
  const bool meant = !model.solver.name || *model.solver.name == formulation.name();
  return meant ? model.solver.options : OptionTexts{};
}

}  // namespace

const Formulation& formulation_named(const host::Catalog& catalog, std::string_view name) {
  if (const Formulation* found = host::find(catalog.formulations, name)) return *found;
  std::vector<std::string_view> names;
  for (const auto& [known, formulation] : catalog.formulations) names.push_back(known);
  throw Failure(Exit::plugin, "there is no solver " + host::show(name),
                names.empty() ? "No formulation plugin was found; polyform plugins shows where they were looked for."
                              : host::did_you_mean(name, names) + "Solvers found: " + host::listing(names) + ".");
}

SolverChoice choose_solver(const host::Catalog& catalog, const host::System& system, const std::string& name,
                           const std::vector<std::string>& typed) {
  const host::Description& model = system.description();
  const std::string wanted = !name.empty() ? name : model.solver.name.value_or("");
  const Formulation& formulation = wanted.empty() ? host::preferred_formulation(catalog.formulations, system.view())
                                                  : formulation_named(catalog, wanted);
  OptionTexts given = model_options(model, formulation);
  const OptionTexts over = split_options(typed);
  given.insert(given.end(), over.begin(), over.end());
  return with_options(formulation, given);
}

SolverChoice with_model_options(const Formulation& formulation, const host::System& system) {
  const host::Description& model = system.description();
  return with_options(formulation, model.solver.name ? model_options(model, formulation) : OptionTexts{});
}

std::vector<host::Contender> contenders(const std::string& list, const host::Catalog& catalog,
                                        const host::System& system, std::vector<SolverChoice>& storage) {
  if (list == "all")
    for (const auto& [name, formulation] : catalog.formulations)
      storage.push_back(with_model_options(*formulation, system));
  else
    for (const std::string& name : CLI::detail::split(list, ',')) {
      const Formulation& formulation = formulation_named(catalog, name);
      if (std::any_of(storage.begin(), storage.end(),
                      [&](const SolverChoice& c) { return c.formulation == &formulation; }))
        throw Failure(Exit::bad_input, fmt::format("--solvers names {} twice", host::show(name)));
      storage.push_back(with_model_options(formulation, system));
    }
  if (storage.empty())
    throw Failure(Exit::plugin, "no formulation plugin was found",
                  "polyform plugins shows where plugins were looked for and why a file was refused.");
  std::vector<host::Contender> all;
  for (const SolverChoice& choice : storage) all.push_back({choice.formulation, choice.options});
  return all;
}

}  // namespace polyform::apps
