// polyform study MODEL: many variants of one model, and a table of what they give.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "apps/command.hpp"
#include "apps/session/compiled_cases.hpp"
#include "apps/session/device_cases.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/model_files.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/ranks.hpp"
#include "apps/session/session.hpp"
#include "apps/session/study_case.hpp"
#include "apps/session/study_output.hpp"
#include "apps/session/study_ranks.hpp"
#include "apps/session/study_request.hpp"
#include "apps/text/compiled_text.hpp"
#include "apps/text/device_text.hpp"
#include "apps/text/influence_text.hpp"
#include "apps/text/study_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/file_identity.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/printable.hpp"
#include "framework/workbench/studies/merge.hpp"
#include "framework/workbench/studies/table.hpp"
#include "framework/workbench/studies/trajectory_file.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Failure;

/// Tells how far the study is: a bar for people, or an event a second as a line of JSON on the error stream.
class StudyProgress {
 public:
  StudyProgress(const StudyArguments& arguments, std::size_t cases)
      : bar_(!arguments.quiet && !arguments.json), events_(arguments.json && !arguments.quiet), cases_(cases) {}

  void update(const StudyCounts& counts, std::size_t before) {
    const std::size_t ended = counts.done + counts.failed;
    bar_.update(static_cast<double>(ended), static_cast<double>(cases_),
                fmt::format("case {} of {}{}", ended, cases_,
                            counts.failed > 0 ? fmt::format(", {} failed", counts.failed) : ""));
    const Clock::time_point now = Clock::now();
    if (!events_ || now < next_) return;
    next_ = now + std::chrono::seconds(1);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = static_cast<double>(ended - before) / seconds;
    const Json event = {{"event", "progress"},
                        {"cases", cases_},
                        {"done", counts.done},
                        {"failed", counts.failed},
                        {"cases_per_second", rate},
                        {"seconds_left", rate > 0 ? Json(static_cast<double>(cases_ - ended) / rate) : Json(nullptr)}};
    fmt::print(stderr, "{}\n", event.dump());
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  ProgressBar bar_;
  bool events_;
  std::size_t cases_;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
};

/// The cases of the shard that the table lacks.
std::vector<std::size_t> missing_cases(const host::StudyTable& table, std::size_t cases, const Shard& shard) {
  std::vector<bool> known(cases);
  for (const host::CaseRow& row : table.rows) known[row.number] = true;
  std::vector<std::size_t> missing;
  for (std::size_t number = 0; number < cases; ++number)
    if (shard.holds(number) && !known[number]) missing.push_back(number);
  return missing;
}

/// otherwise: how many workers there are where the command line does not say.
host::CaseLimits limits_of(const StudyArguments& arguments, StudyCases& cases, std::size_t count,
                           std::size_t otherwise) {
  const std::size_t workers = arguments.workers > 0 ? arguments.workers : std::max<std::size_t>(1, otherwise);
  return cases.share_out({arguments.time_limit, memory_limit_of(arguments.memory_limit, workers), workers,
                          arguments.isolate.value_or(cases.wants_isolation())},
                         count);
}

host::GroupWork work_of(StudyCases& cases, const volatile std::sig_atomic_t& interrupted) {
  return [&](std::span<const std::size_t> numbers, const host::CaseReport& report) {
    cases.run(numbers, &interrupted, report);
  };
}

/// What a study or a merge tells at its end.
struct StudyFiles {
  std::string table, trajectories;
  std::string_view method;
  const CompiledCases* compiled = nullptr;
  const DeviceCases* device = nullptr;
  std::string isolated_for = {};  ///< the plugin of others for which each case had a process of its own; or ""
};

void report(const StudyArguments& arguments, const StudyFiles& files, const host::StudyTable& table,
            const StudyCounts& counts) {
  const std::string& output_file = files.table;
  if (arguments.json) {
    Json object = study_json(table, counts);
    object["influence"] = influence_json(table, files.method);
    if (!output_file.empty()) object["output"] = output_file;
    if (!files.trajectories.empty()) object["trajectories"] = files.trajectories;
    if (files.compiled != nullptr) object["compiled"] = compiled_json(files.compiled->plugin());
    if (files.device != nullptr) object["device"] = device_json(*files.device);
    if (!files.isolated_for.empty()) object["isolated_for"] = files.isolated_for;
    print_json(object);
  } else if (!arguments.quiet) {
    std::string text = study_text(table, counts) + influence_text(table, files.method);
    text += output_file.empty()  ? "\nresults      not written; give --output FILE.csv, FILE.h5 or -\n"
            : output_file == "-" ? ""
                                 : fmt::format("\nresults      {}\n", output_file);
    if (!files.trajectories.empty()) text += fmt::format("trajectories {}\n", files.trajectories);
    if (!arguments.report.empty()) text += fmt::format("report       {}\n", arguments.report);
    if (files.compiled != nullptr) text += fmt::format("compiled     {}\n", compiled_text(files.compiled->plugin()));
    if (files.device != nullptr) text += device_text(*files.device);
    if (!files.isolated_for.empty())
      text += fmt::format(
          "processes    one for each case, because the plugin {} does not come\n"
          "             with polyform; --no-isolate lets cases share them\n",
          host::show(files.isolated_for));
    const bool aside = output_file == "-" || arguments.report == "-";
    std::fputs(host::printable(text, true).c_str(), aside ? stderr : output());
  }
}

Exit merge(const StudyArguments& arguments) {
  const std::string& target = arguments.merge.front();
  std::vector<std::string> shards(arguments.merge.begin() + 1, arguments.merge.end());
  // *.h5 names the trajectories of the shards too.
  std::erase_if(shards, [&](const std::string& file) {
    return std::any_of(arguments.merge.begin() + 1, arguments.merge.end(),
                       [&](const std::string& table) { return host::trajectory_file_of(table) == file; });
  });
  check_table_name(target);
  if (target == "-") throw Failure(Exit::bad_input, "--merge writes to a file", "Give the name of the whole table.");
  host::FileRoles files;
  for (const std::string& shard : shards) files.read("the shard", shard);
  files.write("--merge", target);
  std::string other_build;
  const host::JournalContent whole = host::merge_shards(shards, !target.ends_with(".csv"), other_build);
  warn_of_other_build(other_build);
  host::TrajectoryParts trajectories;
  if (host::find(whole.record, "trajectories") != nullptr ||
      std::filesystem::exists(host::trajectory_file_of(shards.front())))
    for (const std::string& shard : shards) host::add_part(trajectories, host::trajectory_file_of(shard), target);
  const bool has_trajectories = !trajectories.parts.empty();
  if (has_trajectories && target.ends_with(".csv")) {
    host::OutputFile joined(host::trajectory_file_of(target), "--merge");
    host::write_joined(joined, whole.table, trajectories);
  }
  write_table_file(target, "--merge", whole.table, whole.record, has_trajectories ? &trajectories : nullptr);
  const std::string* const method = host::find(whole.record, "method");
  report(arguments,
         {target, has_trajectories && target.ends_with(".csv") ? host::trajectory_file_of(target) : "",
          method != nullptr ? std::string_view(*method) : ""},
         whole.table, counts_of(whole.table, whole.table.rows.size()));
  return Exit::done;
}

/// Does the cases that are missing, each kept in the journal as it ends. Returns whether all are done.
bool work(const StudyArguments& arguments, StudyCases& cases, const StudyRequest& request, StudyOutput& files,
          Ranks* ranks, const std::vector<std::size_t>& missing, host::StudyTable& table, StudyCounts& counts) {
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  const std::size_t before = table.rows.size();
  StudyProgress progress(arguments, counts.cases);
  const auto take = [&](std::vector<host::CaseOutcome> outcomes) {
    const std::size_t first = table.rows.size();
    for (host::CaseOutcome& outcome : outcomes) {
      const std::vector<double> trajectory = std::move(outcome.trajectory);
      counts.add(table.rows.emplace_back(row_of(request, std::move(outcome))));
      files.add_trajectory(table.rows.back(), trajectory);
    }
    files.add(std::span(table.rows).subspan(first));
    progress.update(counts, before);
  };
  const std::size_t usual_workers = ranks != nullptr ? 1 : std::thread::hardware_concurrency();
  const host::CaseLimits limits = limits_of(arguments, cases, missing.size(), usual_workers);
  const bool all = ranks != nullptr
                       ? hand_out_cases(*ranks, missing, limits.isolate ? 1 : limits.together, take, &interrupted)
                       : host::run_cases(missing, work_of(cases, interrupted), take, limits, &interrupted);
  counts.seconds = progress.seconds();
  return all;
}

/// Rank 1 and further: runs the cases that rank 0 hands out, and leaves all messages to rank 0.
Exit serve(const StudyArguments& arguments, Ranks& ranks) {
  const HeldMessages messages;
  try {
    const StudyRequest request = request_of(arguments);
    Session session(arguments.plugin_paths, memory_limit_of(arguments.memory_limit));
    StudyCases cases(session.plugins(), request.model, request.design, request.quantities, request.cases);
    const volatile std::sig_atomic_t& interrupted = watch_interruption();
    run_handed_out_cases(ranks, work_of(cases, interrupted), limits_of(arguments, cases, request.design.cases(), 1),
                         &interrupted);
    return Exit::done;
  } catch (const Failure& failure) {
    leave_ranks(ranks, failure.message() == already_said ? messages.first_error() : failure.message());
    return failure.code();
  }
}

/// The other ranks wait for cases: where the study fails before it hands any out, they hear of the end.
class WaitingRanks {
 public:
  explicit WaitingRanks(Ranks* ranks) : ranks_(ranks) {}
  WaitingRanks(const WaitingRanks&) = delete;
  WaitingRanks& operator=(const WaitingRanks&) = delete;
  ~WaitingRanks() {
    if (ranks_ != nullptr) dismiss_ranks(*ranks_);
  }
  /// They are about to get cases. Returns nullptr if there are no ranks.
  Ranks* take() { return std::exchange(ranks_, nullptr); }

 private:
  Ranks* ranks_;
};

/// The study itself; ranks: of mpirun, or nullptr.
Exit study(const StudyArguments& arguments, Ranks* ranks) {
  WaitingRanks waiting(ranks);
  if (arguments.file.empty()) throw Failure(Exit::bad_input, "MODEL is missing", "See polyform study --help.");
  const Shard shard = read_shard(arguments.shard);
  const StudyRequest request = request_of(arguments);
  host::FileRoles roles;
  roles.read("the model", request.model);
  roles.read("the study", arguments.file);
  roles.read_files("the plugin", arguments.plugin_paths);
  StudyOutput files(arguments, roles);
  Session session(arguments.plugin_paths, memory_limit_of(arguments.memory_limit));
  session.add_plugins_to(roles);
  StudyCases cases(session.plugins(), request.model, request.design, request.quantities, request.cases);
  std::vector<std::string> parts = add_parts(roles);
  // What a study file says is in the record, entry by entry: it may ask for more samples.
  std::erase_if(parts, [study = host::FileIdentity(arguments.file)](const std::string& file) {
    return study.same_as(host::FileIdentity(file));
  });
  warn_of_what_is_left_out(cases);
  host::StudyTable table = empty_table(request, cases);
  files.begin(record_of(request, shard, cases, parts, session.registry().plugins()), request.design, table,
              cases.trajectory_channels());
  const std::size_t resumed = table.rows.size();
  const std::vector<std::size_t> missing = missing_cases(table, request.design.cases(), shard);
  StudyCounts counts = counts_of(table, missing.size() + resumed);
  counts.resumed = resumed;
  const bool all = work(arguments, cases, request, files, waiting.take(), missing, table, counts);
  host::mend_streams();
  table.sort();
  files.finish(table, std::filesystem::path(request.model).stem().string());
  report(arguments,
         {arguments.cases.run.output, files.trajectory_file(), host::name_of(request.design.method()), cases.compiled(),
          cases.device(), !arguments.isolate && cases.wants_isolation() ? cases.plugin_of_others() : ""},
         table, counts);
  if (!all) {
    print(Severity::warning, fmt::format("interrupted after {} of {} cases", table.rows.size(), counts.cases),
          files.keeps_rows() ? "What was done is kept; --resume goes on with it." : "");
    return Exit::interrupted;
  }
  return counts.done == 0 && counts.failed > 0 ? Exit::simulation_failed : Exit::done;
}

Exit study(const StudyArguments& arguments) {
  if (!arguments.merge.empty()) return merge(arguments);
  const std::unique_ptr<Ranks> ranks = join_ranks();
  return ranks && ranks->rank() > 0 ? serve(arguments, *ranks) : study(arguments, ranks.get());
}

/// What is wrong with a count; empty if nothing is.
std::string check_count(std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, count);
  return problem == std::errc() && last == end
             ? ""
             : "expected a whole number from 0 to 18446744073709551615, found " + host::show(text);
}
constexpr const char* nameless = "a device has a name, which polyform plugins shows; none goes without";

}  // namespace

void add_study(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("study", "Run many variants of a model and write a table of what they give");
  const auto arguments = std::make_shared<StudyArguments>();
  sub->add_option("MODEL", arguments->file, "The model, or a study file (YAML or JSON)")->type_name("");
  add_plugin_path(*sub, arguments->plugin_paths);
  add_lenient(*sub, arguments->lenient);
  add_import_options(*sub, arguments->cases.import_options);
  add_set(*sub, arguments->cases.set);
  sub->add_option("--vary", arguments->vary,
                  "A value of the model and what it takes: a,b,c or from:to:count or a distribution; several paths "
                  "with commas take the same value; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUES");
  sub->add_option("--quantity", arguments->quantities,
                  "What is told of each case, over its columns; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=EXPRESSION");
  sub->add_option("--samples", arguments->samples,
                  "Number of cases of lhs, sobol and random; of saltelli, of groups of as many cases as factors, "
                  "and two")
      ->check(CLI::Validator(check_count, ""))
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  sub->add_option("--method", arguments->method,
                  "grid, lhs, sobol, random, or saltelli for total Sobol indices [grid where all factors have "
                  "levels, else random]")
      ->type_name("NAME");
  sub->add_option("--seed", arguments->seed, "Of random numbers, a whole number [0]")
      ->check(CLI::Validator(check_count, ""))
      ->type_name("N");
  sub->add_option("--trajectories", arguments->cases.trajectories,
                  "Columns that are kept of each case, as of run --columns, in a file beside --output: \"pin.q,tip.*\"")
      ->type_name("LIST")
      ->check(CLI::Validator(
          [](std::string& text) { return text.empty() ? "expected a list of columns" : std::string(); }, ""));
  add_solver(*sub, arguments->cases.solver);
  add_solver_options(*sub, arguments->cases.options);
  add_run_arguments(*sub, arguments->cases.run);
  sub->remove_option(sub->get_option("--columns"));
  sub->add_option("--workers", arguments->workers, "Cases at a time [one per processor]")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
      ->type_name("N");
  CLI::Option* const isolate = sub->add_flag_callback(
      "--isolate", [arguments] { arguments->isolate = true; },
      "Run each case in a process of its own [where the cases use a plugin that does not come with polyform]");
  sub->add_flag_callback(
         "--no-isolate", [arguments] { arguments->isolate = false; }, "Let cases share processes")
      ->excludes(isolate);
  sub->add_flag("--compile", arguments->cases.compile,
                "Compile the solver for the model, with the factors left open: the cases go sooner by it");
  sub->add_option("--device", arguments->cases.device,
                  "Do the cases on a device: its name as polyform plugins shows it, auto for the first that can be "
                  "used, or none [none]")
      ->check(CLI::Validator([](std::string& text) { return std::string(text.empty() ? nameless : ""); }, ""))
      ->type_name("NAME");
  sub->add_flag("!--no-lanes", arguments->cases.lanes,
                "Run each case for itself, also where several can be evaluated at once");
  sub->add_option("--time-limit", arguments->time_limit,
                  fmt::format("Time after which one case is given up, s; 0: never [{}]", arguments->time_limit))
      ->check(CLI::Validator([](std::string& text) { return check_limit(text, 0, 1e9); }, ""))
      ->type_name("NUMBER");
  add_memory_limit(*sub, arguments->memory_limit, ", shared by the workers");
  sub->add_option("--shard", arguments->shard, "Do only the I-th of N shares of the cases")->type_name("I/N");
  sub->add_option("--merge", arguments->merge, "Put the tables of all shards together into OUT")
      ->expected(2, std::numeric_limits<int>::max())
      ->type_name("OUT SHARD...");
  sub->add_option("--report", arguments->report,
                  "Write a page: maps, distributions, influence, disagreement of solvers, fans")
      ->type_name("FILE.html");
  sub->add_flag("--resume", arguments->resume,
                "Go on with the study of --output that was stopped, or has more samples now");
  sub->add_flag("--json", arguments->json,
                "Print one JSON object, last; progress as lines of JSON on the error stream");
  sub->add_flag("--quiet", arguments->quiet, "No summary and no progress");
  sub->footer(
      "A path is made of keys, names and indices: bodies.rod.mass, gravity[2], chains.arm.body.mass,\n"
      "joints.pin.initial.velocity, simulation.step, solver, solver.options.NAME. Distributions: uniform(a,b),\n"
      "loguniform(a,b), normal(mean,deviation), triangular(low,mode,high). Quantities: min, max, initial, final,\n"
      "mean, rms, amplitude and integral of a column, crossing(column, value), difference(column, SOLVER), the largest\n"
      "distance from a run with that solver; arithmetic of these.\n"
      "Where the model allows it, eight cases are evaluated at once, in lanes; the results are those of single runs, to\n"
      "rounding. With --compile the solver is compiled for the model first, by the C++ compiler of this machine, and\n"
      "kept (polyform compile --help). With --device thousands of cases run on a device at a time by rk4 or dopri5,\n"
      "with code that clang makes of the model, or without clang by general code. Loops can run there, and so can\n"
      "forces whose type gives its law as equations. All other cases run on the processor, in lanes. A case that fails,\n"
      "hangs or crashes is a row with its reason. It does not stop the others.\n"
      "Each case is kept in FILE.journal as it ends. The table is the same for any number of workers and shards.\n"
      "Examples:\n"
      "  polyform study rod.yaml --vary bodies.rod.mass=0.5:2:9 \\\n"
      "    --quantity \"fastest=max(pin.v)\" --output rod.csv\n"
      "  polyform study rod.yaml --vary \"gravity[2]=normal(-9.81,0.02)\" --samples 500 \\\n"
      "    --method lhs --quantity \"end=final(pin.q)\" --output rod.h5\n"
      "  polyform study arm.yaml --compile --vary bodies.hand.mass=1:3:1000 \\\n"
      "    --quantity \"far=max(hand.x)\" --output arm.csv\n"
      "  polyform study rod.yaml --vary solver=riccati,cartesian \\\n"
      "    --quantity \"end=final(pin.q)\"");
  sub->final_callback([&action, arguments] { action = [arguments] { return study(*arguments); }; });
}

}  // namespace polyform::apps
