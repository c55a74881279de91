// polyform verify: the shipped problems with known answers through all solvers.
#include "framework/workbench/verification/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/interruption.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/comparison_text.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/linear_text.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/streams.hpp"
#include "framework/workbench/comparison/votes.hpp"

namespace polyform::apps {

namespace {

namespace fs = std::filesystem;
using host::Exit;
using host::HeatEnd;
using host::Reference;
using host::Verification;

struct VerifyArguments {
  std::vector<std::string> plugin_paths, problems;
  std::string solvers = "all", references, set = "all";
  ProcessArguments processes;
  bool json = false, quiet = false, lenient = false;
};

/// One reference file and the outcome of its runs.
struct Problem {
  std::string name;
  std::optional<Reference> reference;  ///< none if the file is no reference
  std::string model = {};              ///< its name
  std::string trouble = {};            ///< why it could not be checked; empty if it could
  Exit code = Exit::bad_input;         ///< of that trouble
  std::vector<Verification> results = {};

  /// Votes of the runs that passed.
  host::Votes votes() const {
    std::vector<std::vector<std::string>> kernels;
    std::vector<bool> passed;
    for (const Verification& v : results) {
      kernels.push_back(v.run ? v.run->kernels : std::vector<std::string>());
      passed.push_back(v.passed);
    }
    return {kernels, passed};
  }
};

Problem read_problem(const std::string& file) {
  host::FileRoles().read("the reference", file);  // the output stream may lead to it
  host::Diagnostics diagnostics;
  Problem problem{fs::path(file).stem().string(), host::read_reference(file, diagnostics)};
  print(diagnostics);
  if (!problem.reference) {
    const std::string first = host::format(diagnostics.all().front());
    problem.trouble = first.substr(0, first.find('\n'));  // its remedy was printed
  }
  return problem;
}

/// The problems named by the user, otherwise those of the set. A file that cannot be read counts in every set.
std::vector<Problem> chosen(const VerifyArguments& arguments) {
  const std::vector<std::string> files =
      host::reference_files(arguments.references.empty() ? host::shipped_references() : arguments.references);
  std::vector<Problem> result;
  if (arguments.problems.empty()) {
    for (const std::string& file : files) {
      Problem problem = read_problem(file);
      if (arguments.set == "all" || !problem.reference || problem.reference->slow == (arguments.set == "long"))
        result.push_back(std::move(problem));
    }
    return result;
  }
  std::vector<std::string> stems;
  for (const std::string& file : files) stems.push_back(fs::path(file).stem().string());
  const std::vector<std::string_view> names(stems.begin(), stems.end());
  for (const std::string& name : arguments.problems) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw host::Failure(Exit::bad_input, "there is no problem " + host::show(name),
                          host::did_you_mean(name, names) + "Problems: " + host::listing(names) + ".");
    result.push_back(read_problem(files[static_cast<std::size_t>(found - names.begin())]));
  }
  return result;
}

/// Does work that a wrong model or reference, or a plugin, may end; the reason is then kept as the problem's trouble.
/// Returns whether the work came to its end.
template <class Work>
bool without_trouble(Problem& problem, const Work& work) {
  try {
    work();
    return true;
  } catch (const host::Failure& failure) {
    const bool said = failure.message() == already_said;
    if (!said && failure.code() == Exit::plugin) throw;
    if (!said) print(Severity::error, failure.message(), failure.remedy());
    problem.trouble = said ? fmt::format("its model {} cannot be used", problem.reference->model) : failure.message();
    problem.code = failure.code();
    return false;
  }
}

/// Runs the solvers. A problem that is wrong in itself keeps its trouble, and the next can be checked.
void check(Problem& problem, const VerifyArguments& arguments, Session& session, ProgressBar& bar, double before,
           double all_problems) {
  if (!problem.reference) return;
  std::unique_ptr<host::System> system;
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  const auto load = [&] {
    system = session.load({problem.reference->model, {}, arguments.lenient}, limits_before_jobs(arguments.processes),
                          &interrupted);
  };
  if (!without_trouble(problem, load)) return;
  problem.model = system->description().name;
  std::vector<SolverChoice> storage;
  const std::vector<host::Contender> all = contenders(arguments.solvers, session.catalog(), *system, storage);
  const host::RunSettings settings = settle(session.catalog(), {}, system->description());
  const auto runs = static_cast<double>(all.size());
  const host::HeatControl control{
      limits_of(arguments.processes), arguments.processes.jobs, &interrupted, [&](std::size_t k, double time) {
        bar.update(before + (static_cast<double>(k) + time / settings.duration) / runs, all_problems,
                   fmt::format("{} {}", problem.name, all[k].formulation->name()));
      }};
  without_trouble(problem,
                  [&] { problem.results = host::verify(*system, *problem.reference, all, settings, control); });
}

void print_problem(const Problem& problem) {
  if (problem.trouble.empty())
    print_wrapped(fmt::format("{}: {}", problem.name, problem.reference->source), 2);
  else
    print_wrapped(fmt::format("{}: NOT CHECKED: {}", problem.name, problem.trouble), 2);
  for (const Verification& v : problem.results) {
    if (v.how != HeatEnd::How::done) {
      print_wrapped(fmt::format("  {:<12} {:<7} {}", v.solver,
                                v.how == HeatEnd::How::skipped  ? "skipped"
                                : v.how == HeatEnd::How::failed ? "FAILED"
                                                                : "stopped",
                                own_reason(v, v.solver)),
                    23);
      continue;
    }
    const host::ReferenceErrors& e = v.errors;
    print_wrapped(fmt::format("  {:<12} {:<7} {:>9}  error {:.1e}, {:.2g} of the tolerance, in {} at t = {:.4g} s",
                              v.solver, v.passed ? "passed" : "FAILED", duration_text(v.run->wall_seconds), e.error,
                              e.ratio, e.channel, e.time),
                  34);
  }
}

Json problem_json(const Problem& problem) {
  if (!problem.trouble.empty()) return {{"status", "not checked"}, {"reason", problem.trouble}};
  const host::Votes votes = problem.votes();
  Json solvers = Json::object();
  for (std::size_t k = 0; k < problem.results.size(); ++k) {
    const Verification& v = problem.results[k];
    Json& out = solvers[v.solver];
    out["status"] = v.how == HeatEnd::How::done      ? (v.passed ? "passed" : "failed")
                    : v.how == HeatEnd::How::skipped ? "skipped"
                    : v.how == HeatEnd::How::failed  ? "failed"
                                                     : "interrupted";
    if (!v.reason.empty()) out["reason"] = v.reason;
    if (v.how != HeatEnd::How::done) continue;
    out["kernels"] = v.run->kernels;
    if (const auto vote = votes.of(k)) out["vote"] = *vote + 1;
    out["errors"] = v.errors.largest;
    out["worst"] = {{"channel", v.errors.channel},
                    {"time", v.errors.time},
                    {"error", v.errors.error},
                    {"of_tolerance", v.errors.ratio}};
    out["times_compared"] = v.errors.rows;
    out["steps"] = v.run->steps;
    out["evaluations"] = v.run->evaluations;
    out["wall_seconds"] = v.run->wall_seconds;
    out["seconds_per_evaluation"] = v.run->seconds_per_evaluation;
    out["energy_drift"] = v.run->energy_drift;
    out["constraint_violation"] = v.run->constraint_violation;
  }
  return {{"model", problem.model},
          {"source", problem.reference->source},
          {"votes_passed", votes.count()},
          {"solvers", std::move(solvers)}};
}

/// Numbers of outcomes.
struct Count {
  std::size_t passed = 0, failed = 0, skipped = 0, unchecked = 0;
  std::size_t votes = 0;  ///< of those that passed
  bool broken = false, interrupted = false;
  void add(const Problem& problem) {
    unchecked += !problem.trouble.empty();
    votes += problem.votes().count();
    broken = broken || problem.code == Exit::simulation_failed;
    interrupted = interrupted || problem.code == Exit::interrupted;
    for (const Verification& v : problem.results) {
      passed += v.passed;
      skipped += v.how == HeatEnd::How::skipped;
      interrupted = interrupted || v.how == HeatEnd::How::interrupted;
      failed += v.how == HeatEnd::How::failed || (v.how == HeatEnd::How::done && !v.passed);
    }
  }
  Exit code() const {
    if (interrupted) return Exit::interrupted;
    if (failed > 0 || broken) return Exit::simulation_failed;
    if (unchecked > 0) return Exit::bad_input;
    return passed > 0 ? Exit::done : Exit::simulation_failed;
  }
};

Exit verify(const VerifyArguments& arguments) {
  Session session(arguments.plugin_paths);
  std::vector<Problem> problems = chosen(arguments);
  std::optional<PrintedObject> all;
  if (arguments.json) all.emplace();
  Count count;
  for (std::size_t k = 0; k < problems.size() && !count.interrupted; ++k) {
    if (!host::output_is_taken()) return Exit::simulation_failed;  // the program tells why

    Problem& problem = problems[k];
    {
      ProgressBar bar(!arguments.quiet);
      check(problem, arguments, session, bar, static_cast<double>(k), static_cast<double>(problems.size()));
    }
    count.add(problem);
    if (all)
      all->add(problem.name, problem_json(problem));
    else
      print_problem(problem);
  }
  if (!all)
    print_paragraphs(fmt::format(
        "\n{}: {} passed, {} failed, {} skipped{}{}{}", counted(problems.size(), "problem"),
        counted(count.passed, "run"), count.failed, count.skipped,
        count.votes < count.passed
            ? fmt::format("; {}, as solvers that share arithmetic have one together", counted(count.votes, "vote"))
            : "",
        count.unchecked > 0 ? fmt::format("; {} not checked", counted(count.unchecked, "problem")) : "",
        count.interrupted ? "; interrupted" : ""));
  return count.code();
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("verify", "Problems with known answers through all solvers");
  const auto arguments = std::make_shared<VerifyArguments>();
  sub->add_option("--problem", arguments->problems, "Only this problem; may be given several times")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  sub->add_option("--set", arguments->set, "The short set (seconds), the long one, or all [all]")
      ->check(CLI::IsMember({"short", "long", "all"}))
      ->excludes(sub->get_option("--problem"));
  add_solvers(*sub, arguments->solvers);
  sub->add_option("--references", arguments->references, "Folder with references NAME.json [those that are shipped]")
      ->type_name("FOLDER");
  add_plugin_path(*sub, arguments->plugin_paths);
  add_lenient(*sub, arguments->lenient);
  add_process_arguments(*sub, arguments->processes);
  sub->add_flag("--json", arguments->json, "Print one JSON object, by problem and solver, in place of the table");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "A run passes when every value of the reference is met within its tolerance. Solvers that share arithmetic on a\n"
      "model have one vote together there. The references, with their "
      "sources,\n"
      "stand beside the example models; the README there tells how to add one's own. Exit code 1: a run failed, or a "
      "plugin\n"
      "while a model was assembled; 2: none did, but a problem could not be checked.\n"
      "Examples:\n"
      "  polyform verify --set short\n"
      "  polyform verify --problem heavy_top --json");
  sub->final_callback([&action, arguments] { action = [arguments] { return verify(*arguments); }; });
}

}  // namespace polyform::apps
