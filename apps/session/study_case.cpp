#include "apps/session/study_case.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <exception>

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

namespace {

/// The words of a message, with the names in it, which stand between backticks: what it says of one case is what it
/// says of another one, but for the numbers.
std::string without_numbers(std::string_view message) {
  std::string words;
  bool is_name = false;
  for (const char c : message) {
    if (c == '`') is_name = !is_name;
    const bool of_number = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e';
    if (is_name || !of_number) words += c;
  }
  return words;
}

}  // namespace

StudyCases::StudyCases(const Plugins& plugins, const std::string& model, const host::Design& design,
                       const host::Quantities& quantities, CaseSettings settings)
    : plugins_(plugins),
      file_(model),
      design_(design),
      quantities_(quantities),
      settings_(std::move(settings)),
      model_([&] {
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
  check_names(*plugins_.catalog, design_.factors(), settings_.solver, integrator_);
  if (!settings_.device.empty() && settings_.device != no_device)
    device_ = std::make_unique<DeviceCases>(*plugins_.catalog, settings_.device);
  if (settings_.compile || device_) compile_model();
  if (is_on_device()) types_.emplace("device", device_->device().type->name());
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
  for (const Diagnostic& d : diagnostics.all()) warnings_of_model_.insert(without_numbers(d.message));
  if (!system) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
  const host::RunSettings settings = settle(*plugins_.catalog, settings_.run, system->description());
  SolverChoice choice = choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options);
  host::SolverPointer solver = compile(choice, system->view());
  // One formulation serves all cases where neither the user nor the model names it.
  const bool is_varied = std::ranges::any_of(
      design_.factors(), [](const host::Factor& factor) { return std::ranges::any_of(factor.paths, host::is_solver); });
  if (!is_varied) settings_.solver = choice.formulation->name();
  if (!is_varied && settings_.options.empty())
    usual_choice_ = std::make_shared<const SolverChoice>(
        choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options));
  const host::RowMaker all_names(*system, host::Columns::all());  // Failure where two are one
  const host::AggregateSink sink(*system, quantities_);
  channels_.assign(sink.channels().begin(), sink.channels().end());
  integrator_ = settings.integrator.name();
  find_types(system->description(), choice);
  if (!settings_.trajectories.empty()) {
    try {
      const host::TrajectorySink kept = sink_of(*system, trajectory_columns(settings_), settings);
      trajectory_channels_.assign(kept.channels().begin(), kept.channels().end());
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
  if (const ImporterType* const importer = host::importer_for(*plugins_.catalog, file_, model_.text()))
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
      cases.push_back(prepare(number));
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
  for (const std::vector<host::Channel>* const channels : {&channels_, &trajectory_channels_})
    if (is_on_device()) device_->refuse_columns(first.system->view(), *channels);
  if (is_on_device()) device_->compile(file_, variants, lane_model_->settings);
  if (is_on_device()) device_->note_events(cases.front()->system->view(), *cases.front()->solver);
  if (!settings_.compile) return;
  compiled_ = std::make_unique<CompiledCases>(file_, variants);
  if (!lane_model_) return;
  lane_model_->solver = compiled_->solver_for(lane_model_->choice, lane_model_->system->view());
  lane_model_->batch = ask<BatchEvaluation>(*lane_model_->solver);
}

void StudyCases::add_factors() {
  bool has_option = false, has_name = false;
  const auto look = [&](std::string_view path) {
    has_option = has_option || path.starts_with("simulation.integrator.options.");
    has_name = has_name || path == "simulation.integrator" || path == "simulation.integrator.name";
  };
  for (const host::Factor& factor : design_.factors()) {
    std::vector<std::size_t>& values = values_.emplace_back();
    for (const std::string& path : factor.paths) {
      values.push_back(model_.add(path));
      look(path);
    }
  }
  for (const std::string& text : settings_.set) look(std::string_view(text).substr(0, text.find('=')));
  // Options belong to an integrator that is named.
  if (has_option && !has_name) model_.set(model_.add("simulation.integrator.name"), integrator_);
}

/// Keys that the file leaves to their default are known to be none only now.
void StudyCases::check_first_values() {
  const std::vector<std::string> first = design_.values(0);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, first[f]);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const host::Description first_model =
      model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  // What stands nowhere in the file was added for a factor.
  constexpr std::array<std::string_view, 3> of_paths{"unknown key", "the part has no parameter", "found a map"};
  for (const Diagnostic& d : diagnostics.all())
    if (d.line == 0 && d.severity == Severity::error &&
        std::ranges::any_of(of_paths, [&](std::string_view begin) { return d.message.starts_with(begin); }))
      throw Failure(Exit::bad_input, fmt::format("there is no value {} in the model: {}", d.path, d.message),
                    std::string(d.remedy));
  const std::vector<std::string> units = model_.units(*plugins_.catalog, {settings_.lenient});
  for (const std::vector<std::size_t>& values : values_) factor_units_.push_back(units[values.front()]);
  if (diagnostics.failed()) return;
  std::vector<std::size_t> varied;
  for (const std::vector<std::size_t>& values : values_) varied.insert(varied.end(), values.begin(), values.end());
  host::NumberRenewal numbers = model_.renewal(varied, first_model, *plugins_.catalog);
  if (numbers.is_whole()) in_place_.reset(new CasesInPlace{std::move(numbers)});
}

std::unique_ptr<PreparedCase> StudyCases::prepare(std::size_t number) {
  const std::vector<std::string> texts = design_.values(number);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, texts[f]);
  if (std::unique_ptr<PreparedCase> one = prepare_in_place(number)) return one;
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  if (!system) throw Failure(Exit::bad_input, first_error(diagnostics));
  auto one = std::make_unique<PreparedCase>(number, std::move(system), *plugins_.catalog, settings_, quantities_,
                                            usual_choice_, compiled_.get());
  if (one->trajectory && !std::ranges::equal(one->trajectory->channels(), trajectory_channels_, {},
                                             &host::Channel::name, &host::Channel::name))
    throw Failure(Exit::bad_input, "the columns of its trajectory are others than those of the model as it is written");
  one->warning = new_warning(diagnostics);
  return one;
}

std::string StudyCases::new_warning(const host::Diagnostics& diagnostics) const {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning && !warnings_of_model_.contains(without_numbers(d.message)))
      return std::string(d.message);
  return "";
}

/// Nothing where the whole model has to be read, be it to tell what is wrong with it.
std::unique_ptr<PreparedCase> StudyCases::prepare_in_place(std::size_t number) {
  if (!in_place_ || in_place_->ended.empty()) return nullptr;
  std::unique_ptr<PreparedCase> one = std::move(in_place_->ended.back());
  in_place_->ended.pop_back();
  try {
    host::Diagnostics diagnostics;
    if (!one->renew(number, in_place_->numbers, settings_, quantities_, compiled_.get(), diagnostics)) return nullptr;
    one->warning = new_warning(diagnostics);
    return one;
  } catch (const std::exception&) {
    // Read as a whole it fails with its reason.
  }
  return nullptr;
}

void StudyCases::give_back(std::unique_ptr<PreparedCase> one) {
  if (in_place_) in_place_->ended.push_back(std::move(one));
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
    std::unique_ptr<PreparedCase> one = prepare(number);
    const host::RunRecord record = host::simulate(*one->system, *one->solver, one->settings, one->sinks,
                                                  {interrupted, [&report](double) { report.look(); }});
    host::CaseOutcome outcome = outcome_of(*one, record, interrupted);
    give_back(std::move(one));
    return outcome;
  } catch (const Failure& failure) {
    return {number, false, failure.message() == already_said ? messages.first_error() : failure.message(), {}};
  }
}

}  // namespace polyform::apps
