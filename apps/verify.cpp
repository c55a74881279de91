// polyform verify: the shipped problems with known answers through all solvers.
#include "framework/verification/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "apps/arguments.hpp"
#include "apps/command.hpp"
#include "apps/interruption.hpp"
#include "apps/json_output.hpp"
#include "apps/process_arguments.hpp"
#include "apps/session.hpp"
#include "apps/solver_choice.hpp"
#include "apps/terminal.hpp"
#include "apps/text.hpp"
#include "framework/reading/report.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::HeatEnd;
using host::Reference;
using host::Verification;

struct Arguments {
  std::vector<std::string> plugin_paths, problems;
  std::string solvers = "all", references, set = "all";
  ProcessArguments processes;
  bool json = false, quiet = false;
};

/// Those asked for by name, else those of the set.
std::vector<Reference> chosen(const Arguments& arguments) {
  const std::string folder = arguments.references.empty() ? host::shipped_references() : arguments.references;
  std::vector<Reference> all = host::read_references(folder), result;
  if (arguments.problems.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                 [&](const Reference& r) { return arguments.set == "all" || r.slow == (arguments.set == "long"); });
    return result;
  }
  std::vector<std::string_view> names;
  for (const Reference& reference : all) names.push_back(reference.name);
  for (const std::string& name : arguments.problems) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw host::Failure(Exit::bad_input, "there is no problem " + host::show(name),
                          host::did_you_mean(name, names) + "Problems: " + host::listing(names) + ".");
    result.push_back(all[static_cast<std::size_t>(found - names.begin())]);
  }
  return result;
}

/// One problem and its solvers.
struct Checked {
  const Reference& reference;
  std::string model;
  std::vector<Verification> results;
};

Checked check(const Reference& reference, const Arguments& arguments, Session& session, ProgressBar& bar, double before,
              double all_problems) {
  const auto system = session.load(reference.model);
  std::vector<SolverChoice> storage;
  const std::vector<host::Contender> all = contenders(arguments.solvers, session.catalog(), *system, storage);
  const host::RunSettings settings = settle({}, system->description());
  const auto runs = static_cast<double>(all.size());
  const host::HeatControl control{
      limits_of(arguments.processes), arguments.processes.jobs, &watch_interruption(), [&](std::size_t k, double time) {
        bar.update(before + (static_cast<double>(k) + time / settings.duration) / runs, all_problems,
                   fmt::format("{} {}", reference.name, all[k].formulation->name()));
      }};
  return {reference, system->description().name, host::verify(*system, reference, all, settings, control)};
}

void print_problem(const Checked& checked) {
  fmt::print(output(), "{}: {}\n", checked.reference.name, checked.reference.source);
  for (const Verification& v : checked.results) {
    if (v.how != HeatEnd::How::done) {
      fmt::print(output(), "  {:<12} {:<7} {}\n", v.solver,
                 v.how == HeatEnd::How::skipped  ? "skipped"
                 : v.how == HeatEnd::How::failed ? "FAILED"
                                                 : "stopped",
                 v.reason);
      continue;
    }
    const host::ReferenceErrors& e = v.errors;
    fmt::print(output(), "  {:<12} {:<7} {:>9}  error {:.1e}, {:.2g} of the tolerance, in {} at t = {:.4g} s\n",
               v.solver, v.passed ? "passed" : "FAILED", duration_text(v.run->wall_seconds), e.error, e.ratio,
               e.channel, e.time);
  }
}

Json problem_json(const Checked& checked) {
  Json solvers = Json::object();
  for (const Verification& v : checked.results) {
    Json& out = solvers[v.solver];
    out["status"] = v.how == HeatEnd::How::done      ? (v.passed ? "passed" : "failed")
                    : v.how == HeatEnd::How::skipped ? "skipped"
                    : v.how == HeatEnd::How::failed  ? "failed"
                                                     : "interrupted";
    if (!v.reason.empty()) out["reason"] = v.reason;
    if (v.how != HeatEnd::How::done) continue;
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
  return {{"model", checked.model}, {"source", checked.reference.source}, {"solvers", std::move(solvers)}};
}

/// How many came to what.
struct Count {
  std::size_t passed = 0, failed = 0, skipped = 0;
  bool interrupted = false;
  void add(const std::vector<Verification>& results) {
    for (const Verification& v : results) {
      passed += v.passed;
      skipped += v.how == HeatEnd::How::skipped;
      interrupted = interrupted || v.how == HeatEnd::How::interrupted;
      failed += v.how == HeatEnd::How::failed || (v.how == HeatEnd::How::done && !v.passed);
    }
  }
  Exit code() const {
    return interrupted ? Exit::interrupted : failed > 0 || passed == 0 ? Exit::simulation_failed : Exit::done;
  }
};

Exit verify(const Arguments& arguments) {
  Session session(arguments.plugin_paths);
  const std::vector<Reference> references = chosen(arguments);
  Json all = Json::object();
  Count count;
  for (std::size_t k = 0; k < references.size() && !count.interrupted; ++k) {
    const Checked checked = [&] {
      ProgressBar bar(!arguments.quiet);
      return check(references[k], arguments, session, bar, static_cast<double>(k),
                   static_cast<double>(references.size()));
    }();
    count.add(checked.results);
    if (arguments.json)
      all[references[k].name] = problem_json(checked);
    else
      print_problem(checked);
  }
  if (arguments.json)
    print_json(all);
  else
    fmt::print(output(), "\n{} problems: {} runs passed, {} failed, {} skipped{}\n", references.size(), count.passed,
               count.failed, count.skipped, count.interrupted ? "; interrupted" : "");
  return count.code();
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("verify", "Problems with known answers through all solvers");
  const auto arguments = std::make_shared<Arguments>();
  sub->add_option("--problem", arguments->problems, "Only this problem; may be given several times")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  sub->add_option("--set", arguments->set, "The short set (seconds), the long one, or all [all]")
      ->check(CLI::IsMember({"short", "long", "all"}));
  sub->add_option("--solvers", arguments->solvers, "Solvers, or all that can run the model [all]")->type_name("A,B,C");
  sub->add_option("--references", arguments->references, "Folder with references NAME.json [those that are shipped]")
      ->type_name("FOLDER");
  add_plugin_path(*sub, arguments->plugin_paths);
  add_process_arguments(*sub, arguments->processes);
  sub->add_flag("--json", arguments->json, "Print one JSON object, by problem and solver, in place of the table");
  sub->add_flag("--quiet", arguments->quiet, "No progress bar");
  sub->footer(
      "A run passes when every value of the reference is met within its tolerance. The references, with their "
      "sources,\n"
      "stand beside the example models; the README there tells how to add one's own. Exit code 1: a run failed. "
      "Examples:\n"
      "  polyform verify --set short\n"
      "  polyform verify --problem heavy_top --json");
  sub->final_callback([&action, arguments] { action = [arguments] { return verify(*arguments); }; });
}

}  // namespace polyform::apps
