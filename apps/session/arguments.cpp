#include "apps/session/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "polyform/helpers/least_tolerance.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

constexpr const char* strict_import = "strict=true";  ///< an option of every importer

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void add_positive(CLI::App& app, const char* name, std::optional<double>& value, const std::string& meaning) {
  app.add_option(name, value, meaning)
      ->check(CLI::Validator([](std::string& text) { return check_positive(text); }, ""))
      ->type_name("NUMBER");
}

/// Unknown names are refused before any output is touched, and with their place where they come from the model.
const IntegratorType& integrator_named(const host::Catalog& catalog, const std::string& name, bool typed,
                                       const host::Description& model) {
  if (const IntegratorType* type = host::find(catalog.integrators, name)) return *type;
  std::vector<std::string_view> names;
  for (const auto& [known, type] : catalog.integrators) names.push_back(known);
  const std::string message = "there is no integrator " + host::show(name);
  const std::string remedy = host::did_you_mean(name, names) + "Integrators: " + host::listing(names) + ".";
  if (typed) throw Failure(Exit::bad_input, "--integrator: " + message, remedy);
  const host::Place place = model.simulation.integrator_place;
  print(Diagnostic{.message = message,
                   .remedy = remedy,
                   .path = "simulation.integrator",
                   .file = model.file,
                   .line = place.line,
                   .column = place.column});
  throw Failure(Exit::bad_input, already_said);
}

/// The typed integrator, else the model's, else the preferred one. Options are those of the model where it names this
/// integrator (or none), then the typed ones.
host::IntegratorChoice choose_integrator(const host::Catalog& catalog, const RunArguments& run,
                                         const host::Description& model) {
  const host::SimulationItem& file = model.simulation;
  const std::string name = run.integrator.empty() ? file.integrator.value_or("") : run.integrator;
  auto given = split_options("--integrator-option", run.integrator_options);
  const IntegratorType* const preferred = host::preferred_integrator(catalog.integrators).type;
  if (name.empty() && preferred == nullptr) return {};
  const IntegratorType& type =
      name.empty() ? *preferred : integrator_named(catalog, name, !run.integrator.empty(), model);
  host::OptionPlaces places;
  if (!file.integrator || *file.integrator == type.name()) {
    given.insert(given.begin(), file.integrator_options.begin(), file.integrator_options.end());
    places = {model.file, file.integrator_option_places};
  }
  host::Diagnostics diagnostics;
  host::IntegratorChoice choice = host::with_options(type, given, diagnostics, places);
  print(diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
  return choice;
}

}  // namespace

std::optional<double> positive_number(std::string_view text) {
  const std::optional<double> value = finite_number(text);
  return value && *value > 0 ? value : std::nullopt;
}

std::string check_positive(const std::string& text) {
  return positive_number(text) ? "" : "expected a positive number, found " + host::show(text);
}

std::string check_limit(const std::string& text, double least, double most) {
  const std::optional<double> value = finite_number(text);
  if (value && *value >= least && *value <= most) return {};
  return fmt::format("expected a number from {:g} to {:g}, found {}", least, most, host::show(text));
}

void add_plugin_path(CLI::App& app, std::vector<std::string>& paths) {
  app.add_option("--plugin-path", paths, "Folder or file with plugins, searched first; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH");
  app.add_flag_callback(
      "--witnesses",
      [&paths] {
        const std::filesystem::path folder = host::installed_witness_folder();
        std::error_code error;
        if (!std::filesystem::is_directory(folder, error))
          throw CLI::ValidationError("--witnesses",
                                     "this build found no other engine; install one (Debian: libmujoco-dev), and build "
                                     "Polyform again");
        paths.push_back(folder.string());
      },
      "Load other engines too, as formulations: those that were found when Polyform was built");
}

void add_model(CLI::App& app, ModelArguments& model) {
  app.add_option("MODEL", model.file, "The model file: YAML, JSON, or a format of polyform import")
      ->required()
      ->type_name("");
  add_plugin_path(app, model.plugin_paths);
  add_lenient(app, model.lenient);
  add_import_options(app, model.import_options);
  add_set(app, model.set);
}

bool is_strict(const std::vector<std::string>& import_options) {
  return std::ranges::find(import_options, strict_import) != import_options.end();
}

void add_import_options(CLI::App& app, std::vector<std::string>& options) {
  app.add_option("--import-option", options,
                 "An option of the importer of a model in another format, such as base=free")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_flag_callback(
         "--strict",
         [&options] {
           if (!is_strict(options)) options.emplace_back(strict_import);
         },
         "End with an error where something of a file in another format would not be honoured")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_set(CLI::App& app, std::vector<std::string>& values) {
  app.add_option("--set", values,
                 "A value of the model by its path, such as parameters.k=50 or bodies.rod.mass=2, over what the file "
                 "says; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
}

void add_state(CLI::App& app, std::string& file) {
  app.add_option("--state", file,
                 "Start from a row of results, the last or that of --at-time: a CSV with columns <joint>.q and "
                 "<joint>.v; or from what equilibrium --output wrote [the model's initial state]")
      ->type_name("FILE");
}

void add_at_time(CLI::App& app, std::optional<double>& time) {
  app.add_option("--at-time", time, "Start with the clock at this time, s, and from the row of --state at it [0]")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const std::optional<double> t = finite_number(text);
            return t && *t >= 0 ? std::string() : "expected a time in s from 0 on, found " + host::show(text);
          },
          ""))
      ->type_name("TIME");
}

void add_lenient(CLI::App& app, bool& lenient) {
  app.add_flag("--lenient", lenient,
               "Take inertias that no body has as they are, with a warning, as 'lenient: true' in the model does");
}

void add_solver(CLI::App& app, std::string& name) {
  app.add_option("--solver", name, "Formulation [model, else the preferred one that can run the model]")
      ->type_name("NAME");
}

void add_solvers(CLI::App& app, std::string& names) {
  app.add_option("--solvers", names, "Solvers, or all that can run the model [all]")->type_name("A,B,C");
}

void add_solver_options(CLI::App& app, std::vector<std::string>& options) {
  app.add_option("--option", options, "An option of the solver, over the model's; may be given several times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

std::vector<std::pair<std::string, std::string>> split_options(const char* flag,
                                                               const std::vector<std::string>& typed) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : typed) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(Exit::bad_input, fmt::format("{}: expected key=value, found {}", flag, host::show(text)),
                    "polyform plugins show NAME lists the options of a solver or an integrator.");
    const std::string key = text.substr(0, equals);
    if (std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == key; }))
      throw Failure(Exit::bad_input, fmt::format("{} gives {} twice", flag, host::show(key)),
                    "Leave one of them out; a list is given as KEY=\"[A, B]\".");
    pairs.emplace_back(key, text.substr(equals + 1));
  }
  return pairs;
}

void add_run_arguments(CLI::App& app, RunArguments& run) {
  app.add_option("--output", run.output, "Where to write results: FILE.csv, FILE.h5, or - for CSV on the output stream")
      ->type_name("FILE");
  add_integration(app, run);
}

void add_integration(CLI::App& app, RunArguments& run) {
  const host::RunSettings builtin;
  add_positive(app, "--duration", run.duration,
               fmt::format("Time to simulate, from the start on, s [model, else {}]", builtin.duration));
  add_positive(app, "--step", run.step,
               fmt::format("Fixed step, or the first of an adaptive one, s [model, else {}]", builtin.step));
  add_positive(app, "--max-step", run.max_step, "Longest step of any integrator, s [model, else no bound]");
  app.add_option("--integrator", run.integrator, "Integrator; polyform help lists them [model, else the preferred one]")
      ->type_name("NAME");
  app.add_option("--integrator-option", run.integrator_options,
                 "An option of the integrator, over the model's; may be given several times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  add_positive(app, "--rtol", run.relative_tolerance,
               fmt::format("Relative tolerance of an adaptive integrator, 1e-15 or more [model, else {}]",
                           builtin.relative_tolerance));
  add_positive(
      app, "--atol", run.absolute_tolerance,
      fmt::format("Absolute tolerance of an adaptive integrator [model, else {}]", builtin.absolute_tolerance));
  add_positive(app, "--output-interval", run.output_interval,
               "Time between rows, s [model, else a hundredth of the duration]");
  app.add_option(
         "--columns", run.columns,
         "Groups of columns, with commas between: joints, bodies, energy, constraints, modules, elements, reactions, "
         "accelerations, body_axes, violations [all but the last four]; and names of columns, with * and ?: "
         "\"tip.*,energy\"")
      ->type_name("LIST")
      ->check(CLI::Validator(
          [](std::string& text) { return text.empty() ? "expected a list of groups" : std::string(); }, ""));
  add_euler_angles(app, run.euler_angles);
}

void add_euler_angles(CLI::App& app, std::string& text) {
  app.add_option("--euler-angles", text,
                 "Axes of the Euler angles of bodies: zyx for all, \"zyx, hub=zxz\" with others for single ones [zyx]")
      ->type_name("LIST");
}

host::RunSettings settle(const host::Catalog& catalog, const RunArguments& run, const host::Description& model) {
  const host::SimulationItem& file = model.simulation;
  host::RunSettings s;
  s.start_time = model.start_time;
  const auto choose = [](double& value, const std::optional<double>& typed, const std::optional<double>& written) {
    if (typed)
      value = *typed;
    else if (written)
      value = *written;
  };
  choose(s.duration, run.duration, file.duration);
  choose(s.step, run.step, file.step);
  choose(s.max_step, run.max_step, file.max_step);
  choose(s.relative_tolerance, run.relative_tolerance, file.relative_tolerance);
  choose(s.absolute_tolerance, run.absolute_tolerance, file.absolute_tolerance);
  s.output_interval = s.duration / 100;
  choose(s.output_interval, run.output_interval, file.output_interval);
  s.integrator = choose_integrator(catalog, run, model);
  // One in the model is refused where it is read.
  if (!s.integrator.fixed_step() && s.relative_tolerance < least_relative_tolerance)
    throw Failure(Exit::bad_input,
                  fmt::format("--rtol: a relative tolerance of {} cannot be met: {}", s.relative_tolerance,
                              why_no_finer_tolerance),
                  remedy_of_tolerance);

  // Where the value stands that was given: on the command line, or in the model.
  const auto refuse = [&](const char* option, const char* key, bool typed, const std::optional<double>& written,
                          host::Place place, const std::string& message) {
    if (typed)
      throw Failure(Exit::bad_input, fmt::format("{}: {}", option, message),
                    fmt::format("Give a longer {}, or a shorter --duration.", option));
    const std::string remedy = fmt::format("Give a longer {}, here or by {}, or a shorter duration.", key, option);
    const bool stands = written && place.line > 0;
    const host::Place at = stands ? place : model.simulation.duration_place;
    const std::string path = fmt::format("simulation.{}", stands ? key : "duration");
    if (at.line == 0) throw Failure(Exit::bad_input, fmt::format("--duration: {}", message), remedy);
    print(Diagnostic{
        .message = message, .remedy = remedy, .path = path, .file = model.file, .line = at.line, .column = at.column});
    throw Failure(Exit::bad_input, already_said);
  };
  if (s.duration / s.step > 0x1p53)
    refuse("--step", "step", run.step.has_value(), file.step, file.step_place,
           fmt::format("a step of {} s is too short for a duration of {} s", s.step, s.duration));
  if (s.duration / s.max_step > 0x1p53)
    refuse("--max-step", "max_step", run.max_step.has_value(), file.max_step, file.max_step_place,
           fmt::format("a longest step of {} s is too short for a duration of {} s", s.max_step, s.duration));
  // No disk holds so many rows, and no one waits for them; far beyond, k × output_interval could not be told from
  // (k + 1) × output_interval.
  constexpr double most_rows = 1e12;
  if (s.duration / s.output_interval > most_rows)
    refuse(
        "--output-interval", "output_interval", run.output_interval.has_value(), file.output_interval,
        file.output_interval_place,
        fmt::format("an output interval of {} s is too short for a duration of {} s", s.output_interval, s.duration));
  return s;
}

host::Columns columns_of(const RunArguments& run) {
  using host::Columns;
  if (run.columns.empty()) return {.euler_angles = run.euler_angles};
  constexpr std::pair<std::string_view, bool Columns::*> groups[] = {
      {"joints", &Columns::joints},       {"bodies", &Columns::bodies},
      {"energy", &Columns::energy},       {"constraints", &Columns::constraints},
      {"modules", &Columns::modules},     {"elements", &Columns::elements},
      {"reactions", &Columns::reactions}, {"accelerations", &Columns::accelerations},
      {"body_axes", &Columns::body_axes}, {"violations", &Columns::violations}};
  std::vector<std::string_view> names;
  for (const auto& group : groups) names.push_back(group.first);
  Columns columns = Columns::none();
  columns.euler_angles = run.euler_angles;
  for (const std::string& name : CLI::detail::split(run.columns, ',')) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && name.find_first_of("*?.") != std::string::npos) {
      columns.patterns.push_back(name);
      continue;
    }
    if (found == names.end())
      throw Failure(Exit::bad_input, "--columns: there is no group " + host::show(name),
                    host::did_you_mean(name, names) + "Groups: " + host::listing(names) +
                        "; or the name of a column, with * and ?, such as tip.*");
    columns.*groups[found - names.begin()].second = true;
  }
  return columns;
}

}  // namespace polyform::apps
