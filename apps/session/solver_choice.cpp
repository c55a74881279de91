#include "apps/session/solver_choice.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/session/arguments.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/supervision.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

namespace {

/// Prints a failure at a place in the model file, and ends with it.
[[noreturn]] void fail_at(const std::string& file, host::Place place, const std::string& path, const Failure& why) {
  print({.message = why.message(),
         .remedy = why.remedy(),
         .path = path,
         .file = file,
         .line = place.line,
         .column = place.column});
  throw Failure(why.code(), already_said);
}

const Formulation& formulation_of(const host::Catalog& catalog, const host::Description& model) {
  try {
    return formulation_named(catalog, *model.solver.name);
  } catch (const Failure& why) {
    fail_at(model.file, model.solver.place, "solver.name", why);
  }
}

std::size_t index_of(std::string_view option, Strided<const FieldSpec> specs) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const FieldSpec& s) { return s.name == option; });
  return static_cast<std::size_t>(found - specs.begin());
}

/// Name of the option, in "m, rad" and what else it bounds, that formulations with a correction have for the largest
/// residual of closed loops.
constexpr std::string_view closing_tolerance = "tolerance";

/// Where nothing is given for the largest residual of closed loops, it allows for what rounded lengths and axes leave
/// of rows that are taken as dependent: such a mechanism moves, and does not close better than its lengths.
void allow_for_rounded_lengths(const host::System& system, SolverChoice& choice) {
  const Strided<const FieldSpec> specs = choice.formulation->options();
  const std::size_t i = index_of(closing_tolerance, specs);
  if (i == specs.size() || specs[i].type != FieldType::number || !specs[i].unit.starts_with("m, rad")) return;
  if (choice.options[i].given) return;
  choice.options[i].number = std::max(choice.options[i].number, host::opening_of_loops(system));
}

/// The choice with its options: those of the model where the solver is meant there, then the typed ones. place: of the
/// formulation's name.
SolverChoice with_options(const Formulation& formulation, const host::System& system, bool meant,
                          const OptionTexts& typed, host::Place place = {}) {
  const host::Description* model = meant ? &system.description() : nullptr;
  SolverChoice choice;
  choice.formulation = &formulation;
  choice.place = place;
  choice.option_places.assign(formulation.options().size(), place);
  OptionTexts given = typed;
  host::OptionPlaces places;
  if (model) {
    given.insert(given.begin(), model->solver.options.begin(), model->solver.options.end());
    places = {model->file, model->solver.option_places};
    choice.file = model->file;
  }
  host::Diagnostics diagnostics;
  choice.options =
      host::read_options(formulation.options(), given, formulation.name(), choice.storage, diagnostics, places);
  print(diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
  for (std::size_t i = 0; i < given.size(); ++i)
    choice.option_places[index_of(given[i].first, formulation.options())] =
        i < places.places.size() ? places.places[i].value : host::Place{};
  allow_for_rounded_lengths(system, choice);
  return choice;
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
  const bool by_model = name.empty() && model.solver.name;
  const Formulation& formulation = by_model       ? formulation_of(catalog, model)
                                   : name.empty() ? host::preferred_formulation(catalog.formulations, system.view())
                                                  : formulation_named(catalog, name);
  // The model's options belong to the solver that the model names; if it names none, to the one that is used.
  const bool meant = !model.solver.name || *model.solver.name == formulation.name();
  return with_options(formulation, system, meant, split_options("--option", typed),
                      by_model ? model.solver.place : host::Place{});
}

host::SolverPointer compile(const SolverChoice& choice, const SystemView& view) {
  try {
    return host::compile(*choice.formulation, view, choice.options);
  } catch (const Failure& why) {
    const std::size_t option = index_of(why.option(), choice.formulation->options());
    const bool blamed = option < choice.option_places.size();
    const host::Place place = blamed ? choice.option_places[option] : choice.place;
    if (place.line == 0) throw;
    fail_at(choice.file, place, blamed ? "solver.options." + why.option() : "solver.name", why);
  }
}

SolverChoice with_model_options(const Formulation& formulation, const host::System& system) {
  return with_options(formulation, system, system.description().solver.name == formulation.name(), {});
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
  if (storage.empty()) throw Failure(Exit::plugin, "no formulation plugin was found", host::remedies::see_plugins);
  std::vector<host::Contender> all;
  for (const SolverChoice& choice : storage) all.push_back({choice.formulation, choice.options});
  return all;
}

std::string failure_at_start(const host::Catalog& catalog, const host::System& system) {
  const host::SolverItem& given = system.description().solver;
  std::optional<SolverChoice> choice;
  try {
    choice = choose_solver(catalog, system, {}, {});
  } catch (const host::Failure&) {
    if (given.name || !given.options.empty()) throw;
    return {};
  }
  host::whereabouts().set_work(fmt::format("solver {}", choice->formulation->name()));
  try {
    const host::SolverPointer solver = host::compile(*choice->formulation, system.view(), choice->options);
    host::ObservationStore store(system.view());
    host::evaluate(system, *solver, store);
  } catch (const host::Failure& reason) {
    return fmt::format("solver {}: {}", choice->formulation->name(), reason.message());
  }
  return {};
}

}  // namespace polyform::apps
