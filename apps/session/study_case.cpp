#include "apps/session/study_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/session/model_settings.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/lane_runs.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/host/simulation/unilateral_set.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// Settings of the command line or a study file, and the values of the model that they stand over.
void check_settings(const CaseSettings& cases, const std::vector<host::Factor>& factors) {
  const RunArguments& run = cases.run;
  std::vector<std::pair<std::string, std::string>> taken;  // path of the model, and what gives it
  const auto take = [&](bool given, const char* path, const char* setting) {
    if (given) taken.emplace_back(path, setting);
  };
  take(run.duration.has_value(), "simulation.duration", "the duration");
  take(run.step.has_value(), "simulation.step", "the step");
  take(run.max_step.has_value(), "simulation.max_step", "the longest step");
  take(run.relative_tolerance.has_value(), "simulation.tolerance.relative", "the relative tolerance");
  take(run.absolute_tolerance.has_value(), "simulation.tolerance.absolute", "the absolute tolerance");
  take(run.output_interval.has_value(), "simulation.output_interval", "the output interval");
  take(!run.integrator.empty(), "simulation.integrator", "the integrator");
  take(!run.integrator.empty(), "simulation.integrator.name", "the integrator");
  take(!cases.solver.empty(), "solver", "the solver");
  take(!cases.solver.empty(), "solver.name", "the solver");
  for (const auto& [key, value] : split_options("--option", cases.options))
    taken.emplace_back("solver.options." + key, "an option of the solver");
  for (const auto& [key, value] : split_options("--integrator-option", run.integrator_options))
    taken.emplace_back("simulation.integrator.options." + key, "an option of the integrator");
  for (const host::Factor& factor : factors)
    for (const auto& [path, setting] : taken)
      if (std::ranges::find(factor.paths, path) != factor.paths.end())
        throw Failure(Exit::bad_input,
                      fmt::format("{} is a factor, {}, and is given for all cases too", setting, host::show(path)),
                      "Leave one of them out: a setting for all cases would stand over the factor.");
}

}  // namespace

/// A case ready to run: all that its solver and its run refer to.
struct PreparedCase {
  PreparedCase(std::size_t number, std::unique_ptr<host::System> made, const host::Catalog& catalog,
               const CaseSettings& cases, const host::Quantities& quantities)
      : number(number), system(std::move(made)), settings(settle(catalog, cases.run, system->description())),
        choice(choose_solver(catalog, *system, cases.solver, cases.options)),
        solver(compile(choice, system->view())), sink(*system, quantities) {}

  std::size_t number;
  std::unique_ptr<host::System> system;
  host::RunSettings settings;
  SolverChoice choice;
  host::SolverPointer solver;
  host::AggregateSink sink;
  const std::array<host::RowSink*, 1> sinks{&sink};
};

/// The model as it is written, with the solver that has the lanes.
struct LaneModel {
  std::unique_ptr<host::System> system;
  SolverChoice choice;
  host::RunSettings settings;
  host::SolverPointer solver;
  BatchEvaluation* batch;
};

StudyCases::StudyCases(const Plugins& plugins, const std::string& model, const host::Design& design,
                       const host::Quantities& quantities, CaseSettings settings)
    : plugins_(plugins), design_(design), quantities_(quantities), settings_(std::move(settings)), model_([&] {
        host::Diagnostics diagnostics;
        host::VariedModel parsed(model, *plugins_.catalog, diagnostics,
                                 split_options("--import-option", settings_.import_options));
        print(diagnostics);
        if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
        set_values(parsed, settings_.set);
        return parsed;
      }()) {
  check_settings(settings_, design_.factors());
  check_model();
  add_factors();
  check_first_values();
}

StudyCases::~StudyCases() = default;

std::unique_ptr<host::System> StudyCases::assemble(host::Diagnostics& diagnostics, bool& missing_plugin) const {
  host::Description description = model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  if (diagnostics.failed()) return nullptr;
  return host::System::assemble(std::move(description), plugins_.libraries, diagnostics);
}

void StudyCases::check_model() {
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  print(diagnostics);
  if (!system) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
  const host::RunSettings settings = settle(*plugins_.catalog, settings_.run, system->description());
  SolverChoice choice = choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options);
  host::SolverPointer solver = compile(choice, system->view());
  // One formulation serves all cases where neither the user nor the model names it.
  const bool is_varied = std::ranges::any_of(design_.factors(), [](const host::Factor& factor) {
    return std::ranges::find(factor.paths, "solver") != factor.paths.end() ||
           std::ranges::find(factor.paths, "solver.name") != factor.paths.end();
  });
  if (!is_varied) settings_.solver = choice.formulation->name();
  const host::AggregateSink sink(*system, quantities_);
  channels_.assign(sink.channels().begin(), sink.channels().end());
  BatchEvaluation* const batch = settings_.lanes ? ask<BatchEvaluation>(*solver) : nullptr;
  if (!settings_.lanes)
    why_no_lanes_ = "as asked for";
  else if (batch == nullptr)
    why_no_lanes_ = fmt::format("{} has no lanes for this model", choice.formulation->name());
  else if (host::has_unilateral_rows(system->view()))
    why_no_lanes_ = "elements touch, stick or lock at times";
  else if (!host::LaneRuns::has_method(settings.integrator))
    why_no_lanes_ = fmt::format("{} has no lanes", settings.integrator.name());
  else
    lane_model_.reset(new LaneModel{std::move(system), std::move(choice), settings, std::move(solver), batch});
}

std::size_t StudyCases::together() const { return lane_model_ ? lane_model_->batch->lanes() : 1; }

std::string StudyCases::evaluation() const {
  if (!lane_model_) return "one case at a time: " + why_no_lanes_;
  return fmt::format("in lanes: {} cases at a time by {} and {}", together(), lane_model_->choice.formulation->name(),
                     lane_model_->settings.integrator.name());
}

void StudyCases::add_factors() {
  for (const host::Factor& factor : design_.factors()) {
    std::vector<std::size_t>& values = values_.emplace_back();
    for (const std::string& path : factor.paths) values.push_back(model_.add(path));
  }
}

/// Keys that the file leaves to their default are known to be none only now.
void StudyCases::check_first_values() {
  const std::vector<std::string> first = design_.values(0);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, first[f]);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  for (const Diagnostic& d : diagnostics.all())
    if (d.line == 0 && d.severity == Severity::error && d.message.starts_with("unknown key"))
      throw Failure(Exit::bad_input, fmt::format("there is no value {} in the model: {}", d.path, d.message),
                    std::string(d.remedy));
}

std::unique_ptr<PreparedCase> StudyCases::prepare(std::size_t number) {
  const std::vector<std::string> texts = design_.values(number);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, texts[f]);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  if (!system) throw Failure(Exit::bad_input, first_error(diagnostics));
  return std::make_unique<PreparedCase>(number, std::move(system), *plugins_.catalog, settings_, quantities_);
}

host::CaseOutcome StudyCases::outcome_of(const PreparedCase& one, const host::RunRecord& record) const {
  if (record.end != host::End::done) return {one.number, false, record.failure, {}};
  return {one.number, true, record.warnings.empty() ? "" : "warning: " + record.warnings.front(),
          quantities_.evaluate(one.sink.values())};
}

host::CaseOutcome StudyCases::run(std::size_t number, const volatile std::sig_atomic_t* interrupted) {
  const HeldMessages messages;
  try {
    const std::unique_ptr<PreparedCase> one = prepare(number);
    return outcome_of(*one, host::simulate(*one->system, *one->solver, one->settings, one->sinks, {interrupted, {}}));
  } catch (const Failure& failure) {
    return {number, false, failure.message() == already_said ? messages.first_error() : failure.message(), {}};
  }
}

void StudyCases::run(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t* interrupted,
                     const host::CaseReport& report) {
  const auto stopped = [&] { return interrupted != nullptr && *interrupted != 0; };
  const auto run_alone = [&](std::size_t number) {
    host::CaseOutcome outcome = run(number, interrupted);
    if (!stopped()) report(std::move(outcome));
  };
  if (!lane_model_) {
    for (std::size_t i = 0; i < numbers.size() && !stopped(); ++i) run_alone(numbers[i]);
    return;
  }
  const HeldMessages messages;
  std::vector<std::unique_ptr<PreparedCase>> under_way(together());
  host::LaneRuns runs(*lane_model_->batch, lane_model_->system->view(), lane_model_->settings.integrator);
  /// False where the case does not go on in the lane: its outcome was reported.
  const auto begin = [&](std::size_t lane, std::size_t number) {
    std::unique_ptr<PreparedCase>& one = under_way[lane];
    try {
      const HeldMessages its_own;
      one = prepare(number);
      if (runs.begin(lane, *one->system, *one->solver, one->settings, one->sinks, {interrupted, {}})) return true;
    } catch (const Failure&) {
      // Alone it fails with its reason.
    }
    one.reset();
    run_alone(number);
    return false;
  };
  std::size_t next = 0, busy = 0;
  while ((next < numbers.size() || busy > 0) && !stopped()) {
    for (std::size_t lane = 0; lane < runs.lanes(); ++lane)
      while (runs.is_free(lane) && next < numbers.size())
        if (begin(lane, numbers[next++])) ++busy;
    runs.step();
    for (std::size_t lane = 0; lane < runs.lanes(); ++lane) {
      const std::optional<host::RunRecord> record = runs.take(lane);
      if (!record) continue;
      const std::unique_ptr<PreparedCase> one = std::move(under_way[lane]);
      --busy;
      if (record->end == host::End::failed)
        run_alone(one->number);
      else if (!stopped())
        report(outcome_of(*one, *record));
    }
  }
}

}  // namespace polyform::apps
