#include "apps/session/study_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/session/model_settings.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/simulate.hpp"

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

StudyCases::StudyCases(const Plugins& plugins, const std::string& model, const host::Design& design,
                       const host::Quantities& quantities, CaseSettings settings)
    : plugins_(plugins), design_(design), quantities_(quantities), settings_(std::move(settings)), model_([&] {
        host::Diagnostics diagnostics;
        host::VariedModel parsed(model, *plugins_.catalog, diagnostics);
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

std::unique_ptr<host::System> StudyCases::assemble(host::Diagnostics& diagnostics, bool& missing_plugin) const {
  host::Description description = model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  if (diagnostics.failed()) return nullptr;
  return host::System::assemble(std::move(description), plugins_.libraries, diagnostics);
}

void StudyCases::check_model() {
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  print(diagnostics);
  if (!system) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
  settle(*plugins_.catalog, settings_.run, system->description());
  const SolverChoice choice = choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options);
  compile(choice, system->view());
  // One formulation serves all cases where neither the user nor the model names it.
  const bool is_varied = std::ranges::any_of(design_.factors(), [](const host::Factor& factor) {
    return std::ranges::find(factor.paths, "solver") != factor.paths.end() ||
           std::ranges::find(factor.paths, "solver.name") != factor.paths.end();
  });
  if (!is_varied) settings_.solver = choice.formulation->name();
  const host::AggregateSink sink(*system, quantities_);
  channels_.assign(sink.channels().begin(), sink.channels().end());
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

std::vector<double> StudyCases::simulate(std::size_t number, const volatile std::sig_atomic_t* interrupted,
                                         std::string& warning) {
  const std::vector<std::string> texts = design_.values(number);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, texts[f]);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  if (!system) throw Failure(Exit::bad_input, first_error(diagnostics));
  const host::RunSettings settings = settle(*plugins_.catalog, settings_.run, system->description());
  const SolverChoice choice = choose_solver(*plugins_.catalog, *system, settings_.solver, settings_.options);
  const host::SolverPointer solver = compile(choice, system->view());
  host::AggregateSink sink(*system, quantities_);
  const std::array<host::RowSink*, 1> sinks{&sink};
  const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {interrupted, {}});
  if (record.end != host::End::done) throw Failure(Exit::simulation_failed, record.failure);
  if (!record.warnings.empty()) warning = "warning: " + record.warnings.front();
  return quantities_.evaluate(sink.values());
}

host::CaseOutcome StudyCases::run(std::size_t number, const volatile std::sig_atomic_t* interrupted) {
  const HeldMessages messages;
  host::CaseOutcome outcome{number, false, {}, {}};
  try {
    outcome.quantities = simulate(number, interrupted, outcome.reason);
    outcome.done = true;
  } catch (const Failure& failure) {
    outcome.reason = failure.message() == already_said ? messages.first_error() : failure.message();
  }
  return outcome;
}

}  // namespace polyform::apps
