#include "apps/session/study_case.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "apps/session/device_cases.hpp"
#include "apps/session/prepared_case.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/session/study_checks.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/import.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/lane_runs.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

StudyCases::StudyCases(const Plugins& plugins, const std::string& model, const host::Design& design,
                       const host::Quantities& quantities, CaseSettings settings)
    : plugins_(plugins),
      file_(model),
      design_(design),
      quantities_(quantities),
      settings_(std::move(settings)),
      maker_(plugins_, file_, design_, quantities_, settings_) {
  check_settings(settings_, design_.factors());
  check_model();
  maker_.add_factors(integrator_);
  check_names(*plugins_.catalog, design_.factors(), settings_.solver, integrator_);
  if (!settings_.device.empty() && settings_.device != no_device)
    device_ = std::make_unique<DeviceCases>(*plugins_.catalog, settings_.device);
  if (settings_.compile || device_) compile_model();
  if (is_on_device()) types_.emplace("device", device_->device().type->name());
}

StudyCases::~StudyCases() = default;

void StudyCases::check_model() {
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  std::unique_ptr<host::System> system = maker_.assemble(diagnostics, missing_plugin);
  print(diagnostics);
  maker_.keep_warnings(diagnostics);
  if (!system) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
  const host::RunSettings settings = settle(*plugins_.catalog, settings_.run, system->description());
  SolverChoice choice = choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options);
  host::SolverPointer solver = compile(choice, system->view());
  // One formulation serves all cases where neither the user nor the model names it.
  const bool is_varied = std::ranges::any_of(
      design_.factors(), [](const host::Factor& factor) { return std::ranges::any_of(factor.paths, host::is_solver); });
  if (!is_varied) settings_.solver = choice.formulation->name();
  if (!is_varied && settings_.options.empty())
    shared_.usual_choice = std::make_shared<const SolverChoice>(
        choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options));
  const host::RowMaker all_names(*system, host::Columns::all());  // Failure where two are one
  const host::AggregateSink sink(*system, quantities_);
  channels_.assign(sink.channels().begin(), sink.channels().end());
  integrator_ = settings.integrator.name();
  find_types(system->description(), choice);
  if (!settings_.trajectories.empty()) {
    try {
      const host::TrajectorySink kept = sink_of(*system, trajectory_columns(settings_), settings);
      shared_.trajectory_channels.assign(kept.channels().begin(), kept.channels().end());
    } catch (const Failure& failure) {
      // They are read as the columns of a run.
      constexpr std::string_view option = "--columns";
      const std::string& why = failure.message();
      throw Failure(failure.code(), why.starts_with(option) ? "--trajectories" + why.substr(option.size()) : why,
                    failure.remedy());
    }
  }
  for (const std::string& other : quantities_.solvers())
    compile(with_model_options(formulation_named(*plugins_.catalog, other), *system), system->view());
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

void StudyCases::find_types(const host::Description& model, const SolverChoice& choice) {
  add_types(model, types_);
  add_types(design_.factors(), *plugins_.catalog, types_);
  types_.emplace("formulation", choice.formulation->name());
  for (const std::string& other : quantities_.solvers()) types_.emplace("formulation", other);
  types_.emplace("integrator", integrator_);
  if (const ImporterType* const importer = host::importer_for(*plugins_.catalog, file_, maker_.text()))
    types_.emplace("importer", importer->name());
}

std::string StudyCases::plugin_of_others() const {
  for (const host::PluginRecord* const plugin : plugins_with(types_, *plugins_.found))
    if (plugin->chosen) return plugin->name;
  return "";
}

bool StudyCases::is_on_device() const { return device_ && device_->obstacle().empty(); }

host::CaseLimits StudyCases::share_out(host::CaseLimits limits, std::size_t cases) {
  processes_ = std::max<std::size_t>(1, limits.workers);
  const std::size_t lanes = lane_model_ ? lane_model_->batch->lanes() : 1, each = (cases + processes_ - 1) / processes_;
  limits.long_lived = is_on_device();
  limits.together = lanes;
  if (is_on_device()) {
    // A device is idle with few worlds in a launch, and the host holds a system and a solver for each.
    constexpr std::size_t few = 2048;
    constexpr std::uint64_t where_any_is_allowed = 1u << 31;
    const std::uint64_t memory = limits.memory > 0 ? limits.memory : where_any_is_allowed;
    const std::size_t room = memory / 2 / std::max<std::uint64_t>(1, bytes_of_case_);
    limits.together = std::clamp(each, lanes, std::max(few, room));
  }
  together_ = limits.together;
  return limits;
}

std::string StudyCases::evaluation() const {
  std::string how = compiled_ ? "compiled, " : "";
  if (!lane_model_)
    how += "one case at a time: " + why_no_lanes_;
  else
    how += fmt::format("in lanes: {} cases at a time by {} and {}", lane_model_->batch->lanes(),
                       lane_model_->choice.formulation->name(), lane_model_->settings.integrator.name());
  if (is_on_device()) return fmt::format("on {}; what it does not carry {}", device_->device().name, how);
  return device_ ? fmt::format("{}; without a device: {}", how, device_->obstacle()) : how;
}

void StudyCases::compile_model() {
  const HeldMessages messages;
  try {
    compile_variants();
  } catch (const Failure& why) {
    const std::string said = why.message() == already_said ? messages.first_error() : why.message();
    if (settings_.compile) why_not_compiled_ = said;
    if (device_ && is_on_device() && device_->code().text.empty()) device_->set_obstacle(said);
  }
}

std::vector<std::unique_ptr<PreparedCase>> StudyCases::some_cases() {
  constexpr std::size_t most_variants = 64;
  const std::size_t count = std::min(design_.cases(), most_variants);
  std::vector<std::unique_ptr<PreparedCase>> cases;
  const std::size_t before = ::mallinfo2().uordblks;
  for (std::size_t k = 0; k < count; ++k) {
    // Spread over the whole study; a case that cannot be prepared says so when it is run.
    const std::size_t number = k * (design_.cases() - 1) / std::max<std::size_t>(1, count - 1);
    try {
      cases.push_back(maker_.prepare(number, shared_));
    } catch (const Failure&) {
      continue;
    }
  }
  if (cases.empty()) throw Failure(Exit::bad_input, "none of its cases can be prepared");
  bytes_of_case_ = (::mallinfo2().uordblks - before) / cases.size();
  return cases;
}

void StudyCases::compile_variants() {
  const std::vector<std::unique_ptr<PreparedCase>> cases = some_cases();
  const PreparedCase& first = *cases.front();
  if (settings_.compile) require_source(*first.solver, *first.choice, *first.system, *plugins_.catalog);
  std::vector<CompiledCases::Variant> variants;
  for (const std::unique_ptr<PreparedCase>& one : cases) variants.push_back({one->choice.get(), one->solver.get()});
  if (lane_model_) variants.push_back({&lane_model_->choice, lane_model_->solver.get()});
  // At its start the solver finds the rows of loops that it leaves out, and the source has no others.
  std::vector<double> y(cases.front()->solver->state_size());
  if (cases.front()->solver->encode(cases.front()->system->initial_state(), y) != Status::ok)
    throw Failure(Exit::simulation_failed, std::string(cases.front()->solver->failure()));
  if (is_on_device() && !lane_model_) device_->refuse_without_lanes(*first.solver, why_no_lanes_);
  for (const std::vector<host::Channel>* const channels : {&channels_, &shared_.trajectory_channels})
    if (is_on_device()) device_->refuse_columns(first.system->view(), *channels);
  if (is_on_device()) device_->compile(file_, variants, lane_model_->settings);
  if (is_on_device()) device_->note_events(cases.front()->system->view(), *cases.front()->solver);
  if (!settings_.compile) return;
  compiled_ = std::make_unique<CompiledCases>(file_, variants);
  shared_.compiled = compiled_.get();
  if (!lane_model_) return;
  lane_model_->solver = compiled_->solver_for(lane_model_->choice, lane_model_->system->view());
  lane_model_->batch = ask<BatchEvaluation>(*lane_model_->solver);
}

host::CaseOutcome StudyCases::outcome_of(PreparedCase& one, const host::RunRecord& record,
                                         const volatile std::sig_atomic_t* interrupted) const {
  if (record.end != host::End::done) return {one.number, false, record.failure, {}};
  std::string reason;
  const auto warn = [&](const std::string& of) { reason += (reason.empty() ? "warning: " : "; ") + of; };
  if (!one.warning.empty()) warn(one.warning);
  const std::string trouble = one.compared ? find_differences(one, interrupted) : "";
  if (!trouble.empty())
    warn(trouble);
  else if (!record.warnings.empty())
    warn(record.warnings.front());
  host::CaseOutcome outcome{one.number, true, std::move(reason), quantities_.evaluate(one.sink->values())};
  if (one.trajectory) outcome.trajectory = one.trajectory->values();
  return outcome;
}

std::string StudyCases::find_differences(PreparedCase& one, const volatile std::sig_atomic_t* interrupted) const {
  std::string trouble;
  for (const std::string& name : quantities_.solvers()) {
    host::TrajectorySink other = sink_of(*one.system, host::columns_of_differences(quantities_), one.settings);
    try {
      const SolverChoice choice = with_model_options(formulation_named(*plugins_.catalog, name), *one.system);
      const host::SolverPointer solver = compile(choice, one.system->view());
      host::RowSink* const sinks[] = {&other};
      const host::RunRecord record = host::simulate(*one.system, *solver, one.settings, sinks, {interrupted, {}});
      if (record.end != host::End::done) throw Failure(Exit::simulation_failed, record.failure);
    } catch (const Failure& failure) {
      trouble = fmt::format("no difference from {}: {}", name, failure.message());
      continue;
    }
    const std::vector<host::Aggregate>& all = quantities_.aggregates();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind != host::Aggregate::Kind::difference || all[i].solver != name) continue;
      const auto column = std::ranges::find(other.channels(), all[i].column, &host::Channel::name);
      one.sink->set_difference(
          i,
          host::largest_difference(*one.compared, other, static_cast<std::size_t>(column - other.channels().begin())));
    }
  }
  return trouble;
}

host::CaseOutcome StudyCases::run(std::size_t number, const volatile std::sig_atomic_t* interrupted,
                                  const host::CaseReport& report) {
  const HeldMessages messages;
  try {
    std::unique_ptr<PreparedCase> one = maker_.prepare(number, shared_);
    const host::RunRecord record = host::simulate(*one->system, *one->solver, one->settings, one->sinks,
                                                  {interrupted, [&report](double) { report.look(); }});
    host::CaseOutcome outcome = outcome_of(*one, record, interrupted);
    maker_.give_back(std::move(one));
    return outcome;
  } catch (const Failure& failure) {
    return {number, false, failure.message() == already_said ? messages.first_error() : failure.message(), {}};
  }
}

}  // namespace polyform::apps
