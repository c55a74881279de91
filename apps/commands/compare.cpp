// polyform compare MODEL: one model through several solvers, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/command.hpp"
#include "apps/report/comparison_report.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/model_files.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/result_file.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/session/sweep_values.hpp"
#include "apps/text/comparison_json.hpp"
#include "apps/text/comparison_text.hpp"
#include "apps/text/sweep_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/workbench/comparison/comparison.hpp"
#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::HeatEnd;

struct CompareArguments {
  ModelArguments model;
  RunArguments run;
  ProcessArguments processes;
  std::string solvers = "all", sweep, report;
  double tolerance = host::default_agreement;
  bool json = false, quiet = false;
};

/// The code of the worst outcome; skipped solvers do not count unless nothing ran.
template <class Ends>
Exit exit_code(const Ends& ends) {
  Exit code = Exit::bad_input;
  for (const HeatEnd& end : ends) {
    if (end.how == HeatEnd::How::interrupted) return Exit::interrupted;
    if (end.how == HeatEnd::How::failed)
      code = Exit::simulation_failed;
    else if (end.how == HeatEnd::How::done && code == Exit::bad_input)
      code = Exit::done;
  }
  return code;
}

/// The bar over all runs, which counts those before as done.
class Progress {
 public:
  Progress(bool enabled, const host::RunSettings& settings, std::vector<std::string> names)
      : bar_(enabled),
        start_(settings.start_time),
        duration_(settings.duration),
        names_(std::move(names)),
        reached_(names_.size()) {}

  void operator()(std::size_t run, double time) {
    if (run >= reached_.size()) return;
    reached_[run] = time - start_;
    double done = 0;
    for (std::size_t k = 0; k < reached_.size(); ++k) done += k < run ? duration_ : reached_[k];
    bar_.update(done, duration_ * static_cast<double>(reached_.size()),
                fmt::format("{} t = {:.4g} s", names_[run], time));
  }

 private:
  ProgressBar bar_;
  double start_, duration_;
  std::vector<std::string> names_;
  std::vector<double> reached_;
};

std::vector<std::string> names_of(const std::vector<host::Contender>& all, std::size_t rounds, bool twins) {
  std::vector<std::string> names;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const host::Contender& contender : all) names.emplace_back(contender.formulation->name());
  if (twins) names.insert(names.end(), {"finer run", "disturbed run", "finer peer"});
  return names;
}

/// Refuses, before anything is written, an output that is the model, a plugin or another output.
void check_files(const CompareArguments& arguments, const Session& session, const std::vector<host::Contender>& all) {
  host::FileRoles files;
  add_model_files(files, arguments.model);
  add_parts(files);
  session.add_plugins_to(files);
  const std::string& output = arguments.run.output;
  if (!arguments.sweep.empty())
    files.write("--output", output);
  else if (!output.empty())
    for (const host::Contender& contender : all)
      files.write("--output", file_of(output, contender.formulation->name()));
  files.write("--report", arguments.report);
}

/// A warning of several solvers is printed once.
void print_comparison_warnings(const host::Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> told;  // solvers, warning
  for (const host::Standing& s : comparison.standings) {
    if (!s.run) continue;
    for (const std::string& warning : s.run->warnings) {
      const auto known = std::find_if(told.begin(), told.end(), [&](const auto& one) { return one.second == warning; });
      if (known == told.end())
        told.emplace_back(s.solver, warning);
      else
        known->first += fmt::format(", {}", s.solver);
    }
  }
  for (const auto& [solvers, warning] : told) print(Severity::warning, fmt::format("{}: {}", solvers, warning));
}

/// With --json the outcome goes into `json`, else it is printed.
Exit compare_all(const CompareArguments& arguments, const host::System& system, const host::RunSettings& settings,
                 const std::vector<host::Contender>& all, host::HeatControl control, ComparisonReport* report,
                 Json& json) {
  const host::Columns columns = columns_of(arguments.run);
  // With a sweep, --output takes its table.
  const std::string output = arguments.sweep.empty() ? arguments.run.output : "";
  check_outputs(output, all);
  host::Comparison comparison;
  {
    Progress progress(!arguments.quiet, settings, names_of(all, 1, true));
    control.progress = std::ref(progress);
    comparison = host::compare(system, all, settings, arguments.tolerance, control, [&](std::string_view solver) {
      const std::string file = output.empty() ? "" : file_of(output, solver);
      auto sink = open_result(system, file, columns, solver, settings);
      return report ? report->sink(system, columns, solver, settings, std::move(sink)) : std::move(sink);
    });
  }
  if (report) report->add(system, arguments.tolerance, comparison);
  if (arguments.json)
    json = comparison_json(system, comparison);
  else
    print_comparison(system, settings, arguments.tolerance, comparison);
  if (arguments.json) print_comparison_warnings(comparison);  // the text of the comparison has them
  // The exit code stays: it did what was asked.
  if (const std::string alone = uncompared_text(comparison); !alone.empty()) print(Severity::note, alone);
  if (comparison.interrupted) return Exit::interrupted;
  const Exit code = exit_code(comparison.standings);
  const bool unresolved = comparison.bounded && !comparison.bounded->resolved;
  const bool agreed = !comparison.first && !unresolved && imbalance_text(comparison, arguments.tolerance).empty();
  return code == Exit::done && !agreed ? Exit::simulation_failed : code;
}

Exit sweep_all(const CompareArguments& arguments, const host::System& system, const host::RunSettings& settings,
               const std::vector<host::Contender>& all, const SweepRequest& request, host::HeatControl control,
               ComparisonReport* report, Json& json) {
  std::optional<host::OutputFile> table;
  if (!arguments.run.output.empty()) {
    if (std::filesystem::path(arguments.run.output).extension() != ".csv")
      throw host::Failure(Exit::bad_input,
                          fmt::format("cannot write the table of the runs to {}", host::show(arguments.run.output)),
                          "With --sweep, --output takes the table of all runs: FILE.csv.");
    table.emplace(arguments.run.output);
  }
  host::Sweep sweep;
  {
    Progress progress(!arguments.quiet, settings, names_of(all, request.values.size() + 1, false));
    control.progress = std::ref(progress);
    sweep = host::sweep(system, all, settings, request.what, request.values, control);
  }
  if (report) report->add(request.what, sweep);
  if (table) {
    table->replace();
    table->write(sweep_csv(request.what, sweep));
    table->close();
  }
  if (arguments.json)
    json = sweep_json(request.what, sweep);
  else
    print_sweep(system, settings, request.what, sweep);
  return exit_code(sweep.points);
}

Exit compare(const CompareArguments& arguments) {
  Session session(arguments.model.plugin_paths, memory_limit_of(arguments.processes.memory_limit));
  const auto system = session.load(arguments.model, limits_before_jobs(arguments.processes));
  const host::RunSettings settings = settle(session.catalog(), arguments.run, system->description());
  host::RowMaker(*system, columns_of(arguments.run));  // it knows the columns' names
  if (arguments.run.output == "-")
    throw host::Failure(Exit::bad_input, "--output - cannot take the results of several solvers",
                        "Give --output NAME.csv; each solver writes NAME.<solver>.csv.");
  if (arguments.report == "-")
    throw host::Failure(Exit::bad_input, "--report - would mix with the comparison on the output stream",
                        "Give --report FILE.html.");
  std::vector<SolverChoice> storage;
  const std::vector<host::Contender> all = contenders(arguments.solvers, session.catalog(), *system, storage);
  check_files(arguments, session, all);
  const host::HeatControl control{limits_of(arguments.processes), arguments.processes.jobs, &watch_interruption(), {}};
  std::optional<SweepRequest> request;
  if (!arguments.sweep.empty()) request = read_sweep(arguments.sweep, settings);
  std::unique_ptr<ComparisonReport> report;
  if (!arguments.report.empty()) {
    check_page(*system, columns_of(arguments.run), settings, all.size());
    report = std::make_unique<ComparisonReport>(arguments.report);
  }
  // The page of a sweep shows the motion too, so the solvers run once at the settings themselves.
  Exit code = Exit::done;
  Json compared, swept;
  if (report || !request) code = compare_all(arguments, *system, settings, all, control, report.get(), compared);
  if (request && code != Exit::interrupted) {
    const Exit end = sweep_all(arguments, *system, settings, all, *request, control, report.get(), swept);
    if (code == Exit::done || end == Exit::interrupted) code = end;
  }
  if (arguments.json) print_json(request ? sweep_json(std::move(swept), compared) : compared);
  if (report) report->write(*system);
  return code;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("compare", "The same model through several solvers, side by side");
  const auto arguments = std::make_shared<CompareArguments>();
  add_model(*sub, arguments->model);
  add_state(*sub, arguments->model.state);
  add_at_time(*sub, arguments->model.at_time);
  add_solvers(*sub, arguments->solvers);
  add_run_arguments(*sub, arguments->run);
  sub->add_option("--tolerance", arguments->tolerance,
                  fmt::format("Deviation from the consensus, relative to the system's size, its forces or a radian, up "
                              "to which solvers agree [{}]",
                              host::default_agreement))
      ->check(CLI::Validator([](std::string& text) { return check_positive(text); }, ""))
      ->type_name("NUMBER");
  sub->add_option(
         "--sweep", arguments->sweep,
         "Work against precision: every solver at each step=... or tolerance=..., a list A,B,C or FROM:TO:COUNT")
      ->type_name("WHAT=VALUES")
      ->excludes(sub->get_option("--columns"))
      ->excludes(sub->get_option("--tolerance"));
  sub->add_option("--report", arguments->report, "Write a page about all solvers: plots, animation, tables")
      ->type_name("FILE.html");
  add_process_arguments(*sub, arguments->processes);
  sub->add_flag("--json", arguments->json, "Print one JSON object, by solver name, in place of the table");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "Each solver runs in a process of its own. A solver that crashes, hangs or runs out of memory loses only its\n"
      "own row, and the row tells the reason. A solver that cannot run the model is skipped, with the reason. The\n"
      "model is assembled under the same limits before. With --output NAME.csv (or NAME.h5) each solver writes\n"
      "NAME.<solver>.csv; with --sweep that file takes the table of all runs, whose wall times are of one run each.\n"
      "The exit code is 1 when solvers disagree beyond the tolerance. Further runs, finer and disturbed ones, then\n"
      "tell chaos from a wrong solver. If all agree and took long steps, the fastest runs once more with steps in\n"
      "which no body passes more than its own size; the exit code is 1 if that changes the motion.\n"
      "Examples:\n"
      "  polyform compare rod.yaml --duration 5 --output rod.csv\n"
      "  polyform compare rod.yaml --integrator rk4 --sweep step=1e-2:1e-4:5\n"
      "  polyform compare rod.yaml --sweep tolerance=1e-6,1e-8,1e-10 --output work.csv\n"
      "  polyform compare rod.yaml --report rod.html");
  sub->final_callback([&action, arguments] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace polyform::apps
