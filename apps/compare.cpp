// polyform compare MODEL: one model through several solvers, side by side.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/arguments.hpp"
#include "apps/command.hpp"
#include "apps/interruption.hpp"
#include "apps/json_output.hpp"
#include "apps/result_file.hpp"
#include "apps/session.hpp"
#include "apps/solver_choice.hpp"
#include "apps/terminal.hpp"
#include "apps/text.hpp"
#include "framework/comparison/comparison.hpp"
#include "framework/reading/report.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Standing;

struct Arguments {
  ModelArguments model;
  RunArguments run;
  std::string solvers = "all";
  bool json = false, quiet = false;
};

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
        throw host::Failure(Exit::bad_input, fmt::format("--solvers names {} twice", host::show(name)));
      storage.push_back(with_model_options(formulation, system));
    }
  if (storage.empty())
    throw host::Failure(Exit::plugin, "no formulation plugin was found",
                        "polyform plugins shows where plugins were looked for and why a file was refused.");
  std::vector<host::Contender> all;
  for (const SolverChoice& choice : storage) all.push_back({choice.formulation, choice.options});
  return all;
}

/// NAME.csv becomes NAME.<solver>.csv.
std::string file_of(const std::string& output, std::string_view solver) {
  std::filesystem::path file(output);
  const std::string extension = file.extension().string();
  return file.replace_extension(fmt::format(".{}{}", solver, extension)).string();
}

void print_table(const host::System& system, const host::RunSettings& settings,
                 const std::vector<Standing>& standings) {
  fmt::print("{}: bodies {}; {}\n\n", system.description().name, system.bodies().size(), describe(settings));
  fmt::print("{:<12} {:>9} {:>8} {:>11} {:>7} {:>9} {:>9} {:>23} {:>23}\n", "solver", "wall time", "steps",
             "evaluation", "states", "drift", "violation", "position deviation", "angle deviation");
  for (const Standing& s : standings) {
    if (!s.run) {
      fmt::print("{:<12} skipped: {}\n", s.solver, s.reason);
      continue;
    }
    fmt::print("{:<12} {:>9} {:>8} {:>11} {:>7} {:>9.1e} {:>9.1e}", s.solver, duration_text(s.run->wall_seconds),
               s.run->steps, duration_text(s.run->seconds_per_evaluation), s.run->state_size, s.run->energy_drift,
               s.run->constraint_violation);
    if (const auto& d = s.deviation)
      fmt::print(" {:>23} {:>23}\n", fmt::format("{:.1e} m, t = {:.4g} s", d->position, d->position_time),
                 fmt::format("{:.1e} rad, t = {:.4g} s", d->angle, d->angle_time));
    else
      fmt::print(" {:>23} {:>23}\n", "-", "-");
    if (!s.reason.empty()) fmt::print("{:<12} failed: {}\n", "", s.reason);
  }
  if (std::any_of(standings.begin(), standings.end(), [](const Standing& s) { return s.deviation.has_value(); }))
    fmt::print("\nDeviation: largest over bodies and rows from the consensus, the mean of two or median of more.\n");
}

Json standing_json(const host::System& system, std::size_t degrees_of_freedom, const Standing& s) {
  if (!s.run) return {{"solver", s.solver}, {"status", "skipped"}, {"reason", s.reason}};
  Json out = run_json(system, degrees_of_freedom, s.solver, *s.run);
  if (const auto& d = s.deviation) {
    out["position_deviation"] = d->position;
    out["position_deviation_time"] = d->position_time;
    out["angle_deviation"] = d->angle;
    out["angle_deviation_time"] = d->angle_time;
  }
  return out;
}

void print_object(const host::System& system, const std::vector<Standing>& standings) {
  const std::size_t freedoms = system.count_constraints().degrees_of_freedom;
  Json all = Json::object();
  for (const Standing& s : standings) all[s.solver] = standing_json(system, freedoms, s);
  print_json(all);
}

/// The worst of what happened; skipped solvers do not count unless nothing ran.
Exit exit_code(const std::vector<Standing>& standings) {
  Exit code = Exit::bad_input;
  for (const Standing& s : standings) {
    if (!s.run) continue;
    if (s.run->end == host::End::interrupted) return Exit::interrupted;
    if (s.run->end == host::End::failed)
      code = Exit::simulation_failed;
    else if (code == Exit::bad_input)
      code = Exit::done;
  }
  return code;
}

Exit compare(const Arguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model.file);
  const host::RunSettings settings = settle(arguments.run, system->description());
  const host::Columns columns = columns_of(arguments.run);
  if (arguments.run.output == "-")
    throw host::Failure(Exit::bad_input, "--output - cannot take the results of several solvers",
                        "Give --output NAME.csv; each solver writes NAME.<solver>.csv.");
  std::vector<SolverChoice> storage;
  const std::vector<host::Contender> all = contenders(arguments.solvers, session.catalog(), *system, storage);

  std::vector<Standing> standings;
  {
    ProgressBar bar(!arguments.quiet);
    double before = -settings.duration;  // simulated by the solvers before, s
    const host::RunControl control{&watch_interruption(), [&](double time) {
                                     bar.update(before + time, static_cast<double>(all.size()) * settings.duration);
                                   }};
    standings = host::compare(*system, all, settings, control, [&](std::string_view solver) {
      before += settings.duration;
      const std::string file = arguments.run.output.empty() ? "" : file_of(arguments.run.output, solver);
      return open_result(*system, file, columns, solver, settings);
    });
  }
  if (arguments.json)
    print_object(*system, standings);
  else
    print_table(*system, settings, standings);
  return exit_code(standings);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("compare", "The same model through several solvers, side by side");
  const auto arguments = std::make_shared<Arguments>();
  add_model(*sub, arguments->model);
  sub->add_option("--solvers", arguments->solvers, "Solvers, or all that can run the model [all]")->type_name("A,B,C");
  add_run_arguments(*sub, arguments->run);
  sub->add_flag("--json", arguments->json, "Print one JSON object, by solver name, in place of the table");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "With --output NAME.csv (or NAME.h5) each solver writes NAME.<solver>.csv. A solver that cannot run the model\n"
      "is skipped with its reason; one that fails loses only its own row. Example:\n"
      "  polyform compare rod.yaml --duration 5 --output rod.csv");
  sub->final_callback([&action, arguments] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace polyform::apps
