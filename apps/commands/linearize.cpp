// polyform linearize MODEL: A, B, C, D at a state, and its modes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "apps/command.hpp"
#include "apps/report/report.hpp"
#include "apps/report/study_page.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/linear_model.hpp"
#include "apps/session/linear_study.hpp"
#include "apps/session/session.hpp"
#include "apps/session/study_output.hpp"
#include "apps/text/linear_study_text.hpp"
#include "apps/text/linear_text.hpp"
#include "apps/text/mode_warnings.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

namespace {

using host::Exit;

struct LinearizeCommandArguments {
  ModelArguments model;
  std::string solver;
  std::vector<std::string> options;
  LinearizeArguments linear;
  std::string vary, output, report;
  bool json = false, quiet = false;
};

std::string check_period(std::string& text) {
  double period = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), period);
  if (problem == std::errc() && end == text.data() + text.size() && std::isfinite(period) && period > 0) return {};
  return "expected a time in s above 0, found " + host::show(text);
}

/// Eigenvalues over the values of something in the model.
Exit vary(const LinearizeCommandArguments& arguments) {
  check_table_name(arguments.output);
  check_streams(arguments.report, arguments.output);
  if (arguments.json && (arguments.output == "-" || arguments.report == "-"))
    throw host::Failure(Exit::bad_input, "a table or page on the output stream would mix with --json",
                        "Write it to a file, or leave out --json.");
  host::FileRoles files;
  files.read("the model", arguments.model.file);
  files.write("--output", arguments.output);
  files.write("--report", arguments.report);
  Session session(arguments.model.plugin_paths);
  session.add_plugins_to(files);
  const host::Factor factor = host::read_factor(arguments.vary);
  LinearStudyWork work(session.plugins(), {arguments.model, arguments.solver, arguments.options, arguments.linear},
                       factor);
  const auto open = [](const std::string& path, const char* option) {
    return path.empty() ? nullptr : std::make_unique<host::OutputFile>(path, option);
  };
  const std::unique_ptr<host::OutputFile> table = open(arguments.output, "--output");
  const std::unique_ptr<host::OutputFile> page =
      arguments.report.empty() ? nullptr : open_report(arguments.report, "--report");
  session.crash_report().set_work("the linearization of " + arguments.model.file);
  const LinearStudy study = work.run(watch_interruption());
  const host::RecordFields record = {
      {"model_file", arguments.model.file}, {"solver", study.solver}, {"vary", arguments.vary}};
  if (table) host::write_table(*table, linear_study_table(study), record);
  if (page) write_study_page(*page, "Eigenvalues of " + study.system, linear_study_table(study), record);
  if (arguments.json)
    print_json(linear_study_json(study));
  else if (arguments.output != "-" && arguments.report != "-")
    print_linear_study(study);
  return Exit::done;
}

Exit linearize(const LinearizeCommandArguments& arguments) {
  if (!arguments.vary.empty()) return vary(arguments);
  if (!arguments.output.empty() || !arguments.report.empty())
    throw host::Failure(Exit::bad_input, "--output and --report are the table and the page of --vary",
                        "Give --vary PATH=VALUES, or --json for one linear model.");
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  const SolverChoice choice = choose_solver(session.catalog(), *system, arguments.solver, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const LinearModel model =
      linear_model(session.catalog(), *system, choice, arguments.linear, nullptr, FloquetBar(!arguments.quiet));
  const host::Linearization& linear = model.linear;
  warn_of_errors(linear);
  warn_of_modes(*system, model.point.time, linear.nominal);
  if (arguments.json) {
    print_json(linear_model_json(*system, choice, arguments.linear, model));
  } else {
    print_wrapped(fmt::format("{}, solver {}: linear model {}", system->description().name, choice.formulation->name(),
                              model.where),
                  2);
    print_linear(linear, model.stability);
    if (model.body) print_body_states(*model.body, linear);
    if (model.periodic) print_periodic_states(*model.periodic, linear);
  }
  const bool reactions = std::any_of(linear.outputs.begin(), linear.outputs.end(), [](const host::Channel& output) {
    return host::place_of(output).group == "reactions";
  });
  if (const std::string open = reactions ? open_reactions(system->count_constraints()) : ""; !open.empty())
    print(Severity::note, "reactions are " + open);
  return Exit::done;
}

}  // namespace

void add_linearize(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("linearize", "Linear model at a state: A, B, C, D, eigenvalues, mode shapes");
  const auto arguments = std::make_shared<LinearizeCommandArguments>();
  add_model(*sub, arguments->model);
  add_state(*sub, arguments->model.state);
  add_at_time(*sub, arguments->model.at_time);
  add_solver(*sub, arguments->solver);
  add_solver_options(*sub, arguments->options);
  add_point_arguments(*sub, arguments->linear.point);
  sub->add_option(
         "--inputs", arguments->linear.inputs,
         "Fields of forces, constraints and modules, such as motor.effort or wind.force[1]; * and ? stand for any "
         "text; none [those given as functions of time]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  sub->add_option("--outputs", arguments->linear.outputs,
                  "Result columns, or bodies and joints for all of theirs: pin.q,rod,*.fx; none [the joints' "
                  "coordinates]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  sub->add_option("--multi-blade", arguments->linear.rotors,
                  "Multi-blade (Coleman) coordinates of a rotor: the joint that turns it, and a joint of each of its "
                  "three or more blades; may be given several times")
      ->allow_extra_args(false)
      ->type_name("HUB=BLADE,...");
  sub->add_option(
         "--floquet", arguments->linear.period,
         "Judge by Floquet's multipliers over this period of the motion [where A changes: a turn of a shaft or "
         "clock, a sine in time]")
      ->check(CLI::Validator(check_period, ""))
      ->type_name("S");
  sub->add_option(
         "--states", arguments->linear.states,
         "independent, or body: A, B and C also in velocities along body axes and Euler angles (--euler-angles) "
         "of free and ball joints [independent]")
      ->check(CLI::IsMember({"independent", "body"}))
      ->type_name("KIND");
  add_euler_angles(*sub, arguments->linear.euler_angles);
  sub->add_option(
         "--instants", arguments->linear.instants,
         "Of a periodic motion: A, B, C and D at so many instants of the period, in the states of --states, their "
         "means, and how far A changes")
      ->check(CLI::Range(std::size_t{2}, most_instants))
      ->type_name("N");
  sub->add_option(
         "--vary", arguments->vary,
         "Eigenvalues over a value of the model, and where stability changes: parameters.speed=0:10:101, with the "
         "paths and values of polyform study; an equilibrium is followed from value to value, in the order given")
      ->type_name("PATH=VALUES");
  sub->add_option("--output", arguments->output, "Of --vary, the table: FILE.csv, FILE.h5 or -")->type_name("FILE");
  sub->add_option("--report", arguments->report, "Of --vary, the page with the plot, for a browser")
      ->type_name("FILE.html");
  sub->add_flag("--json", arguments->json, "Print one JSON object; matrices are lists of rows");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "x' = A x + B u, y = C x + D u in minimal coordinates: independent positions, their velocities, states of\n"
      "forces; derivatives by extrapolation on exactly closed states, with their estimated error.\n"
      "Stability is judged where A does not change along the motion, in axes that move along its symmetries\n"
      "(turns, spins, translations), or is periodic: by Floquet's multipliers. Elsewhere no verdict is given.\n"
      "Examples:\n"
      "  polyform linearize rod.yaml --at equilibrium\n"
      "  polyform linearize rod.yaml --at 2.5 --inputs motor.effort --outputs pin.q\n"
      "  polyform linearize rotor.yaml --floquet 0.35\n"
      "  polyform linearize rotor.yaml --instants 24 --json\n"
      "  polyform linearize bicycle.yaml --vary parameters.speed=0:10:101 \\\n"
      "    --report speeds.html");
  sub->final_callback([&action, arguments] { action = [arguments] { return linearize(*arguments); }; });
}

}  // namespace polyform::apps
