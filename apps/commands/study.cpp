// polyform study MODEL: many variants of one model, and a table of what they give.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>

#include "apps/command.hpp"
#include "apps/report/report.hpp"
#include "apps/report/study_page.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/ranks.hpp"
#include "apps/session/session.hpp"
#include "apps/session/study_case.hpp"
#include "apps/session/study_ranks.hpp"
#include "apps/session/study_request.hpp"
#include "apps/text/study_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/printable.hpp"
#include "framework/reading/report.hpp"
#include "framework/results/file_roles.hpp"
#include "framework/results/output_file.hpp"
#include "framework/studies/journal.hpp"
#include "framework/studies/table.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Failure;

bool is_hdf5(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".h5" || extension == ".hdf5";
}

void check_output(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (!file.empty() && file != "-" && extension != ".csv" && !is_hdf5(file))
    throw Failure(Exit::bad_input,
                  fmt::format("cannot write results to {}: expected a name that ends in .csv or .h5", host::show(file)),
                  "- writes CSV to the output stream.");
}

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
    const Json event = {{"event", "progress"}, {"cases", cases_},        {"done", counts.done},
                        {"failed", counts.failed}, {"cases_per_second", rate},
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

host::StudyTable empty_table(const StudyRequest& request, const StudyCases& cases) {
  host::StudyTable table;
  for (const host::Factor& factor : request.design.factors()) table.factors.push_back(factor.name);
  table.quantities = request.quantities.names();
  for (std::size_t q = 0; q < request.quantities.size(); ++q)
    table.units.push_back(request.quantities.unit(q, cases.channels()));
  return table;
}

/// Takes the rows of the journal into the table where it is of the same study. Failure (bad_input) where it is not.
void take_up(const std::string& journal, const host::StudyRecord& record, const host::Design& design,
             host::StudyTable& table) {
  host::JournalContent before = host::read_journal(journal);
  const std::string what = host::can_grow(design.method())
                               ? host::difference(before.record, record, {"samples", "cases"})
                               : host::difference(before.record, record, {});
  if (!what.empty())
    throw Failure(Exit::bad_input, fmt::format("{} is of another study: {}", journal, what),
                  "Give the study as it was, or another --output; without --resume it begins anew.");
  for (host::CaseRow& row : before.table.rows)
    if (row.number < design.cases()) table.rows.push_back(std::move(row));
}

/// Refuses to begin anew over a journal of cases that were not brought to an end.
void check_unfinished(const std::string& journal) {
  if (!host::has_journal(journal) || !host::read_journal(journal).unfinished()) return;
  throw Failure(Exit::bad_input, fmt::format("{} holds cases of a study that did not come to its end", journal),
                "Give --resume to go on with it, or remove the file to begin anew.");
}

host::RecordFields fields_of(const host::StudyRecord& record) {
  host::RecordFields fields;
  for (const auto& [name, text] : record) fields.push_back({name, text});
  return fields;
}

StudyCounts count(const host::StudyTable& table, std::size_t cases) {
  StudyCounts counts{cases};
  for (const host::CaseRow& row : table.rows) {
    ++(row.done ? counts.done : counts.failed);
    if (row.done && !row.reason.empty()) ++counts.warned;
  }
  return counts;
}

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
host::CaseLimits limits_of(const StudyArguments& arguments, std::size_t otherwise) {
  const std::size_t workers = arguments.workers > 0 ? arguments.workers : std::max<std::size_t>(1, otherwise);
  return {arguments.time_limit, memory_limit_of(arguments.memory_limit, workers), workers, arguments.isolate};
}

void report(const StudyArguments& arguments, const std::string& output_file, const host::StudyTable& table,
            const StudyCounts& counts) {
  if (arguments.json) {
    Json object = study_json(table, counts);
    if (!output_file.empty()) object["output"] = output_file;
    print_json(object);
  } else if (!arguments.quiet) {
    std::string text = study_text(table, counts);
    text += output_file.empty() ? "\nresults      not written; give --output FILE.csv, FILE.h5 or -\n"
            : output_file == "-" ? ""
                                 : fmt::format("\nresults      {}\n", output_file);
    if (!arguments.report.empty()) text += fmt::format("report       {}\n", arguments.report);
    const bool aside = output_file == "-" || arguments.report == "-";
    std::fputs(host::printable(text, true).c_str(), aside ? stderr : output());
  }
}

/// A shard by its journal, or by its table alone: then all of its columns are taken as factors.
host::JournalContent read_shard_file(const std::string& shard, const std::string& target) {
  const std::string journal = host::Journal::path_of(shard);
  if (host::has_journal(journal)) return host::read_journal(journal);
  if (is_hdf5(target) || is_hdf5(shard))
    throw Failure(Exit::bad_input, fmt::format("the journal {} is not there", journal),
                  "Keep it beside the shard, or merge tables in CSV into one.");
  return {{}, host::read_csv_table(shard, 0)};
}

Exit merge(const StudyArguments& arguments) {
  const std::string& target = arguments.merge.front();
  const std::vector<std::string> shards(arguments.merge.begin() + 1, arguments.merge.end());
  check_output(target);
  if (target == "-") throw Failure(Exit::bad_input, "--merge writes to a file", "Give the name of the whole table.");
  host::FileRoles files;
  for (const std::string& shard : shards) files.read("the shard", shard);
  files.write("--merge", target);
  host::JournalContent whole;
  for (const std::string& shard : shards) {
    host::JournalContent part = read_shard_file(shard, target);
    if (&shard == &shards.front()) {
      whole.record = part.record;
      whole.table.factors = part.table.factors;
      whole.table.quantities = part.table.quantities;
      whole.table.units = part.table.units;
    }
    std::string what = host::difference(whole.record, part.record, {"shard", "cases"});
    if (header_line(part.table) != header_line(whole.table)) what = "its columns are others";
    if (!what.empty())
      throw Failure(Exit::bad_input, fmt::format("{} is of another study than {}: {}", shard, shards.front(), what),
                    "Give the shards of one study.");
    for (host::CaseRow& row : part.table.rows) whole.table.rows.push_back(std::move(row));
  }
  host::StudyTable& table = whole.table;
  table.sort();
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].number != i)
      throw Failure(Exit::bad_input, fmt::format("case {} is in none of the shards", i),
                    "Give all shards of the study, each brought to its end (--resume).");
  std::erase_if(whole.record, [](const auto& entry) { return entry.first == "shard" || entry.first == "cases"; });
  host::OutputFile file(target, "--merge");
  host::write_table(file, table, fields_of(whole.record));
  report(arguments, target, table, count(table, table.rows.size()));
  return Exit::done;
}

/// Does the cases that are missing, each kept in the journal as it ends. Returns whether all are done.
bool work(const StudyArguments& arguments, StudyCases& cases, const StudyRequest& request, host::Journal* journal,
          Ranks* ranks, const std::vector<std::size_t>& missing, host::StudyTable& table, StudyCounts& counts) {
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  const std::size_t before = table.rows.size();
  StudyProgress progress(arguments, counts.cases);
  const auto take = [&](host::CaseOutcome outcome) {
    host::CaseRow row{outcome.number, request.design.values(outcome.number), std::move(outcome.quantities),
                      outcome.done, std::move(outcome.reason)};
    if (!row.done) row.quantities.assign(table.quantities.size(), std::numeric_limits<double>::quiet_NaN());
    if (journal != nullptr) journal->add(row);
    ++(row.done ? counts.done : counts.failed);
    table.rows.push_back(std::move(row));
    progress.update(counts, before);
  };
  const bool all =
      ranks != nullptr
          ? hand_out_cases(*ranks, missing, take, &interrupted)
          : host::run_cases(missing, [&](std::size_t number) { return cases.run(number, &interrupted); }, take,
                            limits_of(arguments, std::thread::hardware_concurrency()), &interrupted);
  counts.seconds = progress.seconds();
  return all;
}

/// Rank 1 and further: runs what rank 0 hands out, and leaves all that is to be said to that one.
Exit serve(const StudyArguments& arguments, Ranks& ranks) {
  const HeldMessages messages;
  try {
    const StudyRequest request = request_of(arguments);
    Session session(arguments.plugin_paths, memory_limit_of(arguments.memory_limit));
    StudyCases cases(session, request.model, request.design, request.quantities, request.cases);
    const volatile std::sig_atomic_t& interrupted = watch_interruption();
    run_handed_out_cases(ranks, [&](std::size_t number) { return cases.run(number, &interrupted); },
                         limits_of(arguments, 1), &interrupted);
    return Exit::done;
  } catch (const Failure& failure) {
    leave_ranks(ranks, failure.message() == already_said ? messages.first_error() : failure.message());
    return failure.code();
  }
}

/// The study itself; ranks: of mpirun, or nullptr.
Exit study(const StudyArguments& arguments, Ranks* ranks) {
  if (arguments.file.empty())
    throw Failure(Exit::bad_input, "MODEL is missing", "See polyform study --help.");
  const std::string& target = arguments.cases.run.output;
  check_output(target);
  const bool to_file = !target.empty() && target != "-";
  if (arguments.resume && !to_file)
    throw Failure(Exit::bad_input, "--resume needs the --output of the study", "Its journal stands beside that file.");
  if (target == "-" && arguments.json)
    throw Failure(Exit::bad_input, "--output - and --json would mix on the output stream",
                  "Give --output FILE.csv, or leave out --json.");
  check_streams(arguments.report, target);
  if (arguments.report == "-" && arguments.json)
    throw Failure(Exit::bad_input, "--report - and --json would mix on the output stream",
                  "Give --report FILE.html, or leave out --json.");
  const Shard shard = read_shard(arguments.shard);
  const StudyRequest request = request_of(arguments);
  host::FileRoles files;
  files.read("the model", request.model);
  files.read("the study", arguments.file);
  files.read_files("the plugin", arguments.plugin_paths);
  files.write("--output", target);
  files.write("--report", arguments.report);
  const auto page = arguments.report.empty() ? nullptr : open_report(arguments.report, "--report");
  const std::string journal_path = host::Journal::path_of(target);
  Session session(arguments.plugin_paths, memory_limit_of(arguments.memory_limit));
  session.add_plugins_to(files);
  StudyCases cases(session, request.model, request.design, request.quantities, request.cases);
  const host::StudyRecord record = record_of(request, shard, cases);
  host::StudyTable table = empty_table(request, cases);
  std::unique_ptr<host::OutputFile> file;
  std::unique_ptr<host::Journal> journal;
  if (to_file) {
    if (!arguments.resume)
      check_unfinished(journal_path);
    else if (host::has_journal(journal_path))
      take_up(journal_path, record, request.design, table);
    file = std::make_unique<host::OutputFile>(target);
    journal = std::make_unique<host::Journal>(journal_path, record, table);
  } else if (target == "-") {
    file = std::make_unique<host::OutputFile>(target);
  }
  const std::vector<std::size_t> missing = missing_cases(table, request.design.cases(), shard);
  StudyCounts counts = count(table, missing.size() + table.rows.size());
  counts.resumed = table.rows.size();
  const bool all = work(arguments, cases, request, journal.get(), ranks, missing, table, counts);
  host::mend_streams();
  table.sort();
  const double seconds = counts.seconds;
  const std::size_t resumed = counts.resumed;
  counts = count(table, counts.cases);
  counts.seconds = seconds;
  counts.resumed = resumed;
  if (file) host::write_table(*file, table, fields_of(record));
  if (page)
    write_study_page(*page, std::filesystem::path(request.model).stem().string(), table, fields_of(record));
  report(arguments, target, table, counts);
  if (!all) {
    print(Severity::warning, fmt::format("interrupted after {} of {} cases", table.rows.size(), counts.cases),
          to_file ? "What was done is kept; --resume goes on with it." : "");
    return Exit::interrupted;
  }
  return counts.done == 0 && counts.failed > 0 ? Exit::simulation_failed : Exit::done;
}

Exit study(const StudyArguments& arguments) {
  if (!arguments.merge.empty()) return merge(arguments);
  const std::unique_ptr<Ranks> ranks = join_ranks();
  return ranks && ranks->rank() > 0 ? serve(arguments, *ranks) : study(arguments, ranks.get());
}

}  // namespace

void add_study(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("study", "Run many variants of a model and write a table of what they give");
  const auto arguments = std::make_shared<StudyArguments>();
  sub->add_option("MODEL", arguments->file, "The model, or a study file (YAML or JSON)")->type_name("");
  add_plugin_path(*sub, arguments->plugin_paths);
  add_lenient(*sub, arguments->lenient);
  sub->add_option("--vary", arguments->vary,
                  "A value of the model and what it takes: a,b,c or from:to:count or a distribution; several paths "
                  "with commas take the same value; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUES");
  sub->add_option("--quantity", arguments->quantities,
                  "What is told of each case, over its columns; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=EXPRESSION");
  sub->add_option("--samples", arguments->samples, "Number of cases of lhs, sobol and random")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  sub->add_option("--method", arguments->method,
                  "grid, lhs, sobol or random [grid where all factors have levels, else random]")
      ->type_name("NAME");
  sub->add_option("--seed", arguments->seed, "Of random numbers [0]")->type_name("N");
  add_solver(*sub, arguments->cases.solver);
  add_solver_options(*sub, arguments->cases.options);
  add_run_arguments(*sub, arguments->cases.run);
  sub->remove_option(sub->get_option("--columns"));
  sub->add_option("--workers", arguments->workers, "Cases at a time [one per processor]")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
      ->type_name("N");
  sub->add_flag("--isolate", arguments->isolate, "Run each case in a process of its own");
  sub->add_option("--time-limit", arguments->time_limit,
                  fmt::format("Time after which one case is given up, s; 0: never [{}]", arguments->time_limit))
      ->check(CLI::Validator([](std::string& text) { return check_limit(text, 0, 1e9); }, ""))
      ->type_name("NUMBER");
  add_memory_limit(*sub, arguments->memory_limit, ", shared by the workers");
  sub->add_option("--shard", arguments->shard, "Do only the I-th of N shares of the cases")->type_name("I/N");
  sub->add_option("--merge", arguments->merge, "Put the tables of all shards together into OUT")
      ->expected(2, std::numeric_limits<int>::max())
      ->type_name("OUT SHARD...");
  sub->add_option("--report", arguments->report, "Write a page: maps, distributions, influence, disagreement of solvers")
      ->type_name("FILE.html");
  sub->add_flag("--resume", arguments->resume, "Go on with the study of --output that was stopped, or has more samples now");
  sub->add_flag("--json", arguments->json, "Print one JSON object, last; progress as lines of JSON on the error stream");
  sub->add_flag("--quiet", arguments->quiet, "No summary and no progress");
  sub->footer(
      "A path is made of keys, names and indices: bodies.rod.mass, gravity[2], chains.arm.body.mass,\n"
      "joints.pin.initial.velocity, simulation.step, solver, solver.options.NAME. Distributions: uniform(a,b),\n"
      "loguniform(a,b), normal(mean,deviation), triangular(low,mode,high). Quantities: min, max, initial, final,\n"
      "mean, rms, amplitude and integral of a column, crossing(column, value), arithmetic of these.\n"
      "A case that fails, hangs or crashes is a row with its reason and costs no other. Each case is kept in\n"
      "FILE.journal as it ends. The table is the same for any number of workers and shards.\n"
      "Examples:\n"
      "  polyform study rod.yaml --vary bodies.rod.mass=0.5:2:9 --quantity \"low=min(rod.z)\" --output rod.csv\n"
      "  polyform study rod.yaml --vary \"gravity[2]=normal(-9.81,0.02)\" --samples 1000 --method lhs \\\n"
      "    --quantity \"end=final(pin.q)\" --output rod.h5\n"
      "  polyform study rod.yaml --vary solver=riccati,cartesian --quantity \"end=final(pin.q)\"");
  sub->final_callback([&action, arguments] { action = [arguments] { return study(*arguments); }; });
}

}  // namespace polyform::apps
