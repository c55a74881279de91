// polyform run MODEL: integrate, and write a table of results. polyform resume FILE: go on with a run.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/report/report.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/checkpoint.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/model_files.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/result_file.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/session/temporary_folder.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/mode_warnings.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/printable.hpp"
#include "polyform/contract/process_state.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::RunRecord;

struct RunCommandArguments {
  ModelArguments model;
  RunArguments run;
  std::string solver;
  std::vector<std::string> options;
  std::string report;
  std::optional<double> memory_limit;  ///< GiB; 0: none
  bool json = false, quiet = false;
  std::string checkpoint;          ///< a file; "": none
  std::optional<double> every;     ///< between checkpoints, s of wall time
  std::vector<std::string> words;  ///< as they were typed behind `run`
};

struct ResumeArguments {
  std::string file;
  std::optional<double> duration;
  bool json = false, quiet = false;
};

/// The summary of the run. It goes to the error stream when results or page go to the output stream.
void print_summary(const RunCommandArguments& arguments, const host::System& system, const host::ConstraintCount& count,
                   std::string_view solver, const host::RunSettings& settings, const RunRecord& run) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}: bodies {}, degrees of freedom {}, loops {}\n", system.description().name,
                 system.bodies().size(), count.degrees_of_freedom, system.loops());
  fmt::format_to(out, "solver       {} ({} states)\n", solver, run.state_size);
  fmt::format_to(out, "integrator   {}\n", describe(settings));
  if (!run.choices.empty()) fmt::format_to(out, "chosen       {}\n", run.choices);
  fmt::format_to(out, "reached      t = {} s, {} rows every {} s\n", run.time, run.rows, settings.output_interval);
  fmt::format_to(out, "work         {} steps, {} rejected, {} evaluations; {:.3g} s, {} per evaluation\n", run.steps,
                 run.rejected_steps, run.evaluations, run.wall_seconds, duration_text(run.seconds_per_evaluation));
  if (run.stops + run.events > 0)
    fmt::format_to(out, "restarts     of the integrator: at {} where a function of time bends, at {} of elements\n",
                   counted(run.stops, "time"), counted(run.events, "event"));
  for (const std::string& note : run.notes) fmt::format_to(out, "note         {}\n", note);
  fmt::format_to(out, "energy       {} {:.2e} (relative)\n",
                 run.conservative ? "drift" : "drift, without the work of dampers, motors and the like,",
                 run.energy_drift);
  fmt::format_to(out, "constraints  largest violation {:.2e}; before corrections {:.2e}, {} Newton steps\n",
                 run.constraint_violation, run.correction.position_residual, run.correction.iterations);
  fmt::format_to(out, "balance      forces and inertia forces differ by {:.1e} at most{}\n", run.imbalance,
                 run.imbalance_of.empty() ? "" : fmt::format(", {}", run.imbalance_of));
  if (columns_of(arguments.run).reactions && !count.redundant_joints.empty())
    fmt::format_to(out, "reactions    {}\n", open_reactions(count));
  if (const std::string open = open_contacts(run.open_contacts); !open.empty())
    fmt::format_to(out, "contacts     forces {}; one share that all laws allow is shown\n", open);
  if (!arguments.report.empty()) fmt::format_to(out, "report       {}\n", arguments.report);
  if (arguments.run.output.empty() && arguments.report.empty())
    fmt::format_to(out, "results      not written; give --output FILE.csv, FILE.h5 or -\n");
  else if (!arguments.run.output.empty() && arguments.run.output != "-")
    fmt::format_to(out, "results      {}\n", arguments.run.output);
  const bool aside = arguments.run.output == "-" || arguments.report == "-";
  std::fputs(wrapped_lines(host::printable(text, true), 13).c_str(), aside ? stderr : output());
}

bool has_page_rows(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  return extension == ".h5" || extension == ".hdf5";
}

/// The page is made of the rows in an HDF5 file, so that they need not be held in memory. The file is the result where
/// that is HDF5, otherwise a temporary one.
class PageOfRun {
 public:
  PageOfRun(const RunCommandArguments& arguments, const host::System& system, std::string_view solver,
            const host::RunSettings& settings)
      : page_(open_report(arguments.report, "--report")), rows_(arguments.run.output) {
    if (has_page_rows(rows_)) return;
    folder_ = std::make_unique<TemporaryFolder>();
    rows_ = folder_->file("rows.h5");
    sink_ = open_result(system, rows_, columns_of(arguments.run), solver, settings);
  }

  /// For the rows of the run, where no result takes them.
  host::RowSink* sink() { return sink_.get(); }
  void write(const host::System& system, std::string_view solver) {
    Report report{system.description().name, {}, &system, {}, {}, {}};
    report.runs.push_back({std::string(solver), host::ResultFile(rows_)});
    write_report(*page_, report);
  }

 private:
  std::unique_ptr<host::OutputFile> page_;
  std::string rows_;  ///< the file
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<host::RowSink> sink_;
};

Exit exit_code(const RunRecord& run) {
  return run.end == host::End::done     ? Exit::done
         : run.end == host::End::failed ? Exit::simulation_failed
                                        : Exit::interrupted;
}

void check_checkpoint(const RunCommandArguments& arguments) {
  if (arguments.checkpoint.empty()) {
    if (!arguments.every) return;
    throw host::Failure(Exit::bad_input, "--every is given without --checkpoint",
                        "Give --checkpoint FILE, or leave out --every.");
  }
  if (arguments.run.output == "-" || arguments.checkpoint == "-")
    throw host::Failure(Exit::bad_input, "a run with --checkpoint needs files that can be gone on with, not a stream",
                        "Give --output FILE.csv or FILE.h5, and --checkpoint FILE.");
  if (!arguments.report.empty() && !has_page_rows(arguments.run.output))
    throw host::Failure(Exit::bad_input, "with --checkpoint, a page needs the rows of an HDF5 file",
                        "Give --output FILE.h5 too, or make the page later: polyform report.");
}

/// Of the run as it is now. Failure (bad_input) where it is no longer the one of the checkpoint.
Checkpoint checkpoint_of(const RunCommandArguments& arguments, std::string_view solver, const Checkpoint* earlier,
                         const std::vector<std::string>& parts) {
  std::vector<std::string> read{arguments.model.file};
  if (!arguments.model.state.empty()) read.push_back(arguments.model.state);
  for (const std::string& part : parts)
    if (std::ranges::find(read, part) == read.end()) read.push_back(part);
  Checkpoint now{std::filesystem::current_path().string(), arguments.words, std::string(solver), sums_of(read)};
  if (earlier == nullptr) return now;
  for (const FileSum& file : now.files)
    if (std::ranges::find(earlier->files, file) == earlier->files.end())
      throw host::Failure(Exit::bad_input, fmt::format("{} is not as it was when the run began", file.path),
                          "A run goes on with the model that it began with: restore the file, or begin anew.");
  if (earlier->solver != now.solver)
    throw host::Failure(
        Exit::bad_input,
        fmt::format("the run began with the solver {}, and now {} would be chosen", earlier->solver, now.solver),
        "Plugins have come or gone since: begin the run anew.");
  return now;
}

/// Failure (bad_input) if a part of the state would be lost with the process.
void refuse_process_states(const SystemView& view) {
  for (const ForceInstances& group : view.forces)
    if (const auto* const state = ask<ProcessState>(*group.type))
      throw host::Failure(Exit::bad_input,
                          fmt::format("a run with `{}` ({}) cannot be gone on with: {} stays with this process",
                                      group.names[0], group.type->descriptor().name, state->kept()),
                          "Leave out --checkpoint.");
}

/// earlier: what the run goes on from, or nullptr.
Exit run(const RunCommandArguments& arguments, const Checkpoint* earlier) {
  check_streams(arguments.report, arguments.run.output);
  check_checkpoint(arguments);
  host::FileRoles files;
  add_model_files(files, arguments.model);
  files.write("--output", arguments.run.output);
  files.write("--checkpoint", arguments.checkpoint);
  files.write("--report", arguments.report);
  if (arguments.report == "-" && arguments.json)
    throw host::Failure(Exit::bad_input, "--report - and --json would mix on the output stream",
                        "Give --report FILE.html, or leave out --json.");
  Session session(arguments.model.plugin_paths, memory_limit_of(arguments.memory_limit));
  session.add_plugins_to(files);
  const auto system = session.load(arguments.model);
  const std::vector<std::string> parts = add_parts(files);
  const host::RunSettings settings = settle(session.catalog(), arguments.run, system->description());
  const SolverChoice choice = choose_solver(session.catalog(), *system, arguments.solver, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const host::SolverPointer solver = compile(choice, system->view());
  if (arguments.run.output.empty()) host::RowMaker(*system, columns_of(arguments.run));  // it knows the columns' names
  if (!arguments.report.empty()) check_page(*system, columns_of(arguments.run), settings, 1);
  // An interruption from here on leaves a file that can be read.
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  std::optional<CheckpointFile> checkpoint;
  if (!arguments.checkpoint.empty()) {
    refuse_process_states(system->view());
    constexpr double usual_distance = 60;  // s
    checkpoint.emplace(arguments.checkpoint, arguments.every.value_or(usual_distance),
                       checkpoint_of(arguments, choice.formulation->name(), earlier, parts));
  }
  std::unique_ptr<PageOfRun> page;
  if (!arguments.report.empty())
    page = std::make_unique<PageOfRun>(arguments, *system, choice.formulation->name(), settings);
  std::unique_ptr<host::RowSink> results =
      earlier == nullptr
          ? open_result(*system, arguments.run.output, columns_of(arguments.run), choice.formulation->name(), settings)
          : reopen_result(*system, arguments.run.output, columns_of(arguments.run), choice.formulation->name(),
                          settings, earlier->snapshot.state.time, earlier->snapshot.sums.rows);

  host::ModeLimits limits(system->view());
  RunRecord record;
  {
    session.crash_report().set_rescue([&results, &page] {
      results.reset();
      page.reset();  // nothing of the page is written yet
    });
    ProgressBar bar(!arguments.quiet);
    host::RunControl control{&interrupted, [&](double time) {
                               session.crash_report().reached(time);
                               bar.update(time - settings.start_time, settings.duration);
                             }};
    if (checkpoint) {
      control.snapshot_due = [&] { return checkpoint->is_due(); };
      control.take_snapshot = [&](const host::RunSnapshot& snapshot) {
        if (results) results->store();
        checkpoint->write(snapshot);
      };
    }
    std::vector<host::RowSink*> sinks;
    if (results) sinks.push_back(results.get());
    if (page && page->sink()) sinks.push_back(page->sink());
    if (!limits.bodies().empty()) sinks.push_back(&limits);
    const InterruptibleWork work;
    record = earlier == nullptr ? host::simulate(*system, *solver, settings, sinks, control)
                                : host::simulate(*system, *solver, settings, sinks, control, earlier->snapshot);
    session.crash_report().set_rescue({});
  }
  host::mend_streams();
  print_warnings(limits);
  if (record.end == host::End::failed)
    print(Severity::error, record.failure,
          record.remedy.empty() ? fmt::format("This was solver {}; polyform compare tells whether others go on.",
                                              choice.formulation->name())
                                : record.remedy);
  if (record.end == host::End::interrupted)
    print(Severity::warning, fmt::format("interrupted at t = {:.6g} s; the results so far are kept{}", record.time,
                                         checkpoint ? "; polyform resume " + arguments.checkpoint + " goes on" : ""));

  for (const std::string& warning : record.warnings) print(Severity::warning, warning);
  const std::string_view name = choice.formulation->name();
  if (page) page->write(*system, name);
  const host::ConstraintCount count = system->count_constraints(system->start_time(), system->initial_state(),
                                                                host::absent_constraints(system->view(), *solver));
  if (!arguments.quiet && !arguments.json) print_summary(arguments, *system, count, name, settings, record);
  if (arguments.json) print_json(run_json(*system, count.degrees_of_freedom, name, record));
  return exit_code(record);
}

void declare_run(CLI::App& sub, RunCommandArguments& arguments) {
  add_model(sub, arguments.model);
  add_state(sub, arguments.model.state);
  add_at_time(sub, arguments.model.at_time);
  add_solver(sub, arguments.solver);
  add_solver_options(sub, arguments.options);
  add_run_arguments(sub, arguments.run);
  sub.add_option("--report", arguments.report, "Write a page about the run: plots, animation, tables")
      ->type_name("FILE.html");
  sub.add_option("--checkpoint", arguments.checkpoint,
                 "Write, now and then, what polyform resume needs to go on with the run")
      ->type_name("FILE");
  sub.add_option("--every", arguments.every, "Wall time between checkpoints, s [60]")
      ->check(check_positive)
      ->type_name("NUMBER");
  add_memory_limit(sub, arguments.memory_limit);
  sub.add_flag("--json", arguments.json, "Print one JSON object about the run, last, in place of the summary");
  sub.add_flag("--quiet", arguments.quiet, "No summary and no progress bar");
}

/// What was typed, in an order of its own: arguments, then options with their values.
std::vector<std::string> words_of(const CLI::App& sub) {
  std::vector<std::string> words, options;
  for (const CLI::Option* option : sub.get_options()) {
    if (option->count() == 0) continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results()) {
      if (option->get_positional())
        words.push_back(value);
      else if (is_flag)
        options.push_back("--" + option->get_lnames().front());
      else
        options.push_back("--" + option->get_lnames().front() + "=" + value);
    }
  }
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

Exit resume(const ResumeArguments& given) {
  const Checkpoint checkpoint = read_checkpoint(given.file);
  const std::string file = std::filesystem::absolute(given.file).string();
  std::error_code trouble;
  std::filesystem::current_path(checkpoint.folder, trouble);
  if (trouble)
    throw host::Failure(Exit::bad_input,
                        fmt::format("the folder {} in which the run was begun is not there", checkpoint.folder),
                        "Its files are named as seen from there.");
  RunCommandArguments arguments;
  CLI::App parser;
  declare_run(parser, arguments);
  try {
    parser.parse(std::vector<std::string>(checkpoint.words.rbegin(), checkpoint.words.rend()));
  } catch (const CLI::ParseError& problem) {
    throw host::Failure(Exit::bad_input, fmt::format("{} is damaged: {}", given.file, problem.what()),
                        "Begin the run anew.");
  }
  arguments.words = checkpoint.words;
  arguments.checkpoint = file;
  if (given.duration) {
    if (*given.duration < checkpoint.snapshot.state.time)
      throw host::Failure(Exit::bad_input,
                          fmt::format("the run has reached t = {:.9g} s, beyond --duration {:.9g}",
                                      checkpoint.snapshot.state.time, *given.duration),
                          "Give a longer one.");
    // The next checkpoints are of a run that lasts so long.
    const double duration = *given.duration - arguments.model.at_time.value_or(0);
    arguments.run.duration = duration;
    std::erase_if(arguments.words, [](const std::string& word) { return word.starts_with("--duration="); });
    arguments.words.push_back(fmt::format("--duration={}", duration));
  }
  arguments.json = arguments.json || given.json;
  arguments.quiet = arguments.quiet || given.quiet;
  return run(arguments, &checkpoint);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("run", "Integrate a model and write a table of results");
  const auto arguments = std::make_shared<RunCommandArguments>();
  declare_run(*sub, *arguments);
  sub->footer(
      "Energy drift is the largest change of energy.balance in the rows, the energy less the work of forces without\n"
      "potential and of drives, relative to the largest kinetic energy, change of potential energy or work. A page is\n"
      "made of the rows in FILE.h5, or else of those in a temporary file (TMPDIR), a few columns at a time, so that\n"
      "memory is bounded. Ctrl-C, SIGTERM and SIGHUP end a run after its step, with the\n"
      "results so far; where a plugin never returns, a second one, or SIGTERM and SIGHUP after 5 s, end it all the "
      "same.\n"
      "Examples:\n"
      "  polyform run rod.yaml --output rod.csv\n"
      "  polyform run rod.yaml --rtol 1e-10 --output rod.h5 --columns \"rod.*,energy\"\n"
      "  polyform run rod.yaml --output - --quiet | head");
  sub->final_callback([&action, arguments, sub] {
    arguments->words = words_of(*sub);
    action = [arguments] { return run(*arguments, nullptr); };
  });
}

void add_resume(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("resume", "Go on with a run from its checkpoint");
  const auto arguments = std::make_shared<ResumeArguments>();
  sub->add_option("FILE", arguments->file, "What polyform run --checkpoint wrote")->required();
  sub->add_option("--duration", arguments->duration, "Time at which the run ends, s [that of the run]")
      ->check(check_positive)
      ->type_name("NUMBER");
  sub->add_flag("--json", arguments->json, "Print one JSON object about the run, last, in place of the summary");
  sub->add_flag("--quiet", arguments->quiet, "No summary and no progress bar");
  sub->footer(
      "Model, solver, files and all else are those of the run, seen from the folder in which it was begun. Rows that\n"
      "the result file has behind the checkpoint are written anew, and further ones follow. The integrator begins anew\n"
      "at the checkpoint: what follows is the same within its tolerances. A run that has come to its end goes on with\n"
      "a longer --duration.\n"
      "Examples:\n"
      "  polyform run rod.yaml --duration 1e5 --output rod.h5 --checkpoint rod.state \\\n"
      "    --every 30\n"
      "  polyform resume rod.state\n"
      "  polyform resume rod.state --duration 2e5");
  sub->final_callback([&action, arguments] { action = [arguments] { return resume(*arguments); }; });
}

}  // namespace polyform::apps
