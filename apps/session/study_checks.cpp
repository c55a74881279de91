#include "apps/session/study_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/session/solver_choice.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// The values that factors with one of these paths take, where they are words; else the name itself.
std::vector<std::string> names_taken(const std::vector<host::Factor>& factors, std::string_view path,
                                     const std::string& otherwise) {
  for (const host::Factor& factor : factors)
    for (const std::string& one : factor.paths)
      if ((one == path || one == std::string(path) + ".name") && factor.levels() != nullptr)
        return factor.levels()->texts;
  return {otherwise};
}

/// Options that none of their owners has would fail every case.
void check_options(const host::Catalog& catalog, const std::vector<host::Factor>& factors, std::string_view prefix,
                   const std::vector<std::string>& owners, std::string_view kind) {
  std::vector<std::string_view> known;
  for (const std::string& owner : owners) {
    const Strided<const FieldSpec> fields = kind == "solver" ? formulation_named(catalog, owner).options()
                                                             : host::find(catalog.integrators, owner)->fields();
    for (const FieldSpec& field : fields)
      if (std::ranges::find(known, field.name) == known.end()) known.push_back(field.name);
  }
  for (const host::Factor& factor : factors)
    for (const std::string& path : factor.paths) {
      if (!path.starts_with(prefix)) continue;
      const std::string_view option = std::string_view(path).substr(prefix.size());
      const std::string_view name = option.substr(0, option.find_first_of(".["));
      if (std::ranges::find(known, name) != known.end()) continue;
      throw Failure(Exit::bad_input,
                    fmt::format("there is no value {} in the model: {} {} has no option {}", host::show(path), kind,
                                host::listing({owners.begin(), owners.end()}), host::show(name)),
                    host::did_you_mean(name, known) +
                        (known.empty() ? "It has none." : fmt::format("Options: {}.", host::listing(known))));
    }
}

}  // namespace

void check_settings(const CaseSettings& cases, const std::vector<host::Factor>& factors) {
  const RunArguments& run = cases.run;
  std::vector<std::pair<std::string, std::string>> taken;  // path of the model, and what gives it
  const auto take = [&](bool given, const char* path, const char* setting) {
    if (given) taken.emplace_back(path, setting);
  };
  take(run.duration.has_value(), "simulation.duration", "the duration");
  take(run.step.has_value(), "simulation.step", "the step");
  take(run.max_step.has_value(), "simulation.max_step", "the longest step");
  take(run.relative_tolerance.has_value(), "simulation.tolerance.relative", "the relative tolerance");
  take(run.absolute_tolerance.has_value(), "simulation.tolerance.absolute", "the absolute tolerance");
  take(run.output_interval.has_value(), "simulation.output_interval", "the output interval");
  take(!run.integrator.empty(), "simulation.integrator", "the integrator");
  take(!run.integrator.empty(), "simulation.integrator.name", "the integrator");
  take(!cases.solver.empty(), "solver", "the solver");
  take(!cases.solver.empty(), "solver.name", "the solver");
  for (const auto& [key, value] : split_options("--option", cases.options))
    taken.emplace_back("solver.options." + key, "an option of the solver");
  for (const auto& [key, value] : split_options("--integrator-option", run.integrator_options))
    taken.emplace_back("simulation.integrator.options." + key, "an option of the integrator");
  for (const host::Factor& factor : factors)
    for (const auto& [path, setting] : taken)
      if (std::ranges::find(factor.paths, path) != factor.paths.end())
        throw Failure(Exit::bad_input,
                      fmt::format("{} is a factor, {}, and is given for all cases too", setting, host::show(path)),
                      "Leave one of them out: a setting for all cases would stand over the factor.");
}

void check_names(const host::Catalog& catalog, const std::vector<host::Factor>& factors, const std::string& solver,
                 const std::string& integrator) {
  const std::vector<std::string> solvers = names_taken(factors, "solver", solver),
                                 integrators = names_taken(factors, "simulation.integrator", integrator);
  for (const std::string& name : solvers) formulation_named(catalog, name);
  std::vector<std::string_view> known;
  for (const auto& [name, type] : catalog.integrators) known.push_back(name);
  for (const std::string& name : integrators)
    if (std::ranges::find(known, name) == known.end())
      throw Failure(Exit::bad_input, "there is no integrator " + host::show(name),
                    host::did_you_mean(name, known) + "Integrators: " + host::listing(known) + ".");
  check_options(catalog, factors, "solver.options.", solvers, "solver");
  check_options(catalog, factors, "simulation.integrator.options.", integrators, "integrator");
}

}  // namespace polyform::apps
