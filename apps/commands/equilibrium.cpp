// polyform equilibrium MODEL: a state without accelerations, at rest or in steady motion.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/found_equilibrium.hpp"
#include "apps/session/operating_point.hpp"
#include "apps/session/model_files.hpp"
#include "apps/session/session.hpp"
#include "apps/text/equilibrium_text.hpp"
#include "apps/text/linear_text.hpp"
#include "apps/text/mode_warnings.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::apps {

namespace {

using host::Equilibrium;
using host::Exit;

struct EquilibriumCommandArguments {
  ModelArguments model;
  std::string solver, output;
  std::vector<std::string> options;
  EquilibriumArguments equilibrium;
  bool json = false, quiet = false;
};

Exit equilibrium(const EquilibriumCommandArguments& arguments) {
  host::FileRoles files;
  add_model_files(files, arguments.model);
  files.write("--output", arguments.output);
  Session session(arguments.model.plugin_paths);
  session.add_plugins_to(files);
  std::optional<host::OutputFile> file;  // opened before the work begins
  if (!arguments.output.empty()) file.emplace(arguments.output);
  const auto system = session.load(arguments.model);
  add_parts(files);
  const SolverChoice choice = choose_solver(session.catalog(), *system, arguments.solver, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const FoundEquilibrium result =
      find_equilibrium(session.catalog(), *system, choice, arguments.equilibrium, FloquetBar(!arguments.quiet));
  const Equilibrium& found = result.state;
  const std::string_view kind = name_of_state(found, arguments.equilibrium.steady);
  const bool is_driven = kind == "driven motion";
  if (arguments.json) {
    print_json(found_equilibrium_json(*system, choice, arguments.equilibrium, result));
  } else {
    print_wrapped(fmt::format("{}, solver {}: {} {} {} iterations, largest acceleration left {}{:.1e}",
                              system->description().name, choice.formulation->name(),
                              is_driven       ? fmt::format("state of a driven motion at t = {} s,", found.point.time)
                              : goes_on(kind) ? fmt::format("{}", kind)
                                              : fmt::format("{} at t = {} s,", kind, found.point.time),
                              found.balanced ? "found in" : "not found after", found.iterations,
                              is_driven ? "of what is free " : "", found.residual),
                  2);
    if (!found.driven.empty())
      print_wrapped("driven  " + driven_text(found.driven) + (is_driven ? ": the state is no equilibrium" : ""), 2);
    if (!found.lasting.lasts) print_wrapped("lasts   " + lasting_text(found, arguments.equilibrium.steady), 2);
    print_point(*system, found);
    if (result.stability) print_stability(*result.stability);
    if (!result.unjudged.empty()) print_wrapped("stability    " + result.unjudged, 2);
  }
  if (file && found.balanced) {
    file->replace();
    file->write(initial_text(*system, found, kind));
    file->close();
  }
  warn_of_modes(*system, found.point.time, found.point.state);
  if (!found.warning.empty()) print(Severity::warning, found.warning);
  if (found.balanced) return Exit::done;
  print(Severity::error,
        fmt::format("there is no {} near the initial state; what is not balanced:\n  {}",
                    is_driven ? "state of the driven motion without free accelerations" : kind, unbalanced_text(found)),
        fmt::format("--trim frees fields of forces that could balance it; another initial position may lead "
                    "elsewhere.{}",
                    file ? " The file of --output is left as it was." : ""));
  return Exit::simulation_failed;
}

}  // namespace

void add_equilibrium(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("equilibrium", "A state without accelerations: at rest, or a steady motion (trim)");
  const auto arguments = std::make_shared<EquilibriumCommandArguments>();
  add_model(*sub, arguments->model);
  add_state(*sub, arguments->model.state);
  add_at_time(*sub, arguments->model.at_time);
  add_solver(*sub, arguments->solver);
  add_solver_options(*sub, arguments->options);
  add_equilibrium_arguments(*sub, arguments->equilibrium);
  sub->add_option("--output", arguments->output, "Write the state, if it balances, as initial values for the model")
      ->type_name("FILE");
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "Searches from the initial state, downhill where it is at rest, so that it settles in a stable equilibrium\n"
      "unless it starts in an unstable one. What cannot be balanced is named, with exit code 1. Where joints are\n"
      "driven, the state found is one of a driven motion at the start, and these joints are named. A state whose\n"
      "forces balance only at this instant is called a momentary balance. An example is a pendulum that swings\n"
      "through its lowest position.\n"
      "Examples:\n"
      "  polyform equilibrium rod.yaml\n"
      "  polyform equilibrium rod.yaml --hold pin --trim motor.effort\n"
      "  polyform equilibrium aircraft.yaml --steady \\\n"
      "    --trim elevator.angle,engine.force[0] --json");
  sub->final_callback([&action, arguments] { action = [arguments] { return equilibrium(*arguments); }; });
}

}  // namespace polyform::apps
