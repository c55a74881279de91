#include "apps/session/session.hpp"

#include <fmt/format.h>

#include "apps/session/model_settings.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/start_state.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/workbench/comparison/trace.hpp"

namespace polyform::apps {

Session::Session(const std::vector<std::string>& plugin_paths, std::uint64_t memory)
    : registry_(plugin_paths), crash_report_(registry_) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // With this limit a plugin that takes memory without end gets an error, before the system ends other programs.
  host::limit_memory(memory);
#else
  (void)memory;  // the sanitizers have taken all addresses there are
#endif
  for (const host::SearchedPlace& place : registry_.search_path())
    if (!place.problem.empty()) print(Severity::warning, place.problem);
  bool ambiguous = false;
  for (const host::PluginRecord& plugin : registry_.plugins()) {
    if (plugin.replaced) print(Severity::warning, plugin.explanation);
    if (plugin.status != host::PluginStatus::refused) continue;
    const bool duplicate = plugin.refusal == host::Refusal::duplicate_name;
    print(duplicate ? Severity::error : Severity::warning, plugin.explanation);
    ambiguous = ambiguous || duplicate;
  }
  // The order of a search must not decide which of two laws of one name is used.
  if (ambiguous) throw host::Failure(host::Exit::plugin, already_said);
}

void Session::add_plugins_to(host::FileRoles& files) const {
  for (const host::PluginRecord& plugin : registry_.plugins()) files.read("the plugin", plugin.file);
}

std::unique_ptr<host::System> Session::load(const ModelArguments& arguments,
                                            const std::optional<host::ProcessLimits>& trial,
                                            const volatile std::sig_atomic_t* interrupted) {
  host::FileRoles().read("the model", arguments.file);  // the output stream may lead to it
  diagnostics_ = {};
  bool missing_plugin = false;
  host::Description model = read(arguments, missing_plugin);
  std::unique_ptr<host::System> system;
  if (!diagnostics_.failed()) {
    if (trial) try_assembly(model, *trial, interrupted);
    system = assemble(model, diagnostics_);
  }
  print(diagnostics_);
  if (!system) throw host::Failure(missing_plugin ? host::Exit::plugin : host::Exit::bad_input, already_said);
  return system;
}

host::Description Session::read(const ModelArguments& arguments, bool& missing_plugin) {
  const host::ReadingOptions options{arguments.lenient};
  host::Description model = [&] {
    if (arguments.set.empty())
      return host::read_model(arguments.file, catalog(), diagnostics_, missing_plugin, options);
    host::VariedModel varied(arguments.file, diagnostics_);
    if (diagnostics_.failed()) return host::Description{};
    set_values(varied, arguments.set);
    return varied.read(catalog(), diagnostics_, missing_plugin, options);
  }();
  if (!arguments.state.empty() && !diagnostics_.failed()) {
    host::FileRoles().read("the state", arguments.state);
    host::start_from(arguments.state, model, diagnostics_);
  }
  return model;
}

std::unique_ptr<host::System> Session::assemble(host::Description& model, host::Diagnostics& diagnostics) {
  const WatchedWork work(crash_report_, "the assembly of " + model.file);
  const host::ProcessState before;
  return host::System::assemble(std::move(model), registry_.keep_alive(), diagnostics);
}

void Session::try_assembly(host::Description& model, const host::ProcessLimits& limits,
                           const volatile std::sig_atomic_t* interrupted) {
  const host::ProcessJob job{[&](const host::Messenger& back) {
                               crash_report_.follow(back, limits.seconds);
                               host::Diagnostics unheard;  // errors of the model are found again, and reported, below
                               const std::string file = model.file;
                               // Takes the copy of the description in this process.
                               const auto system = assemble(model, unheard);
                               if (!system) return;
                               const WatchedWork work(crash_report_, "the first evaluation of the forces of " + file);
                               host::acting_at_start(*system);
                             },
                             {},
                             {}};
  // The process watches the time itself and can name the plugin. This limit is for one that is kept from doing so.
  const host::ProcessLimits outside{limits.seconds > 0 ? limits.seconds + host::grace_seconds : 0, limits.memory};
  const host::ProcessEnd end = host::run_in_processes(std::span(&job, 1), outside, 1, interrupted).front();
  using How = host::ProcessEnd::How;
  if (end.how == How::done || end.how == How::not_started) return;
  if (end.how == How::interrupted)
    throw host::Failure(host::Exit::interrupted, "interrupted in the first use of " + model.file);
  if (end.how == How::failed) throw host::Failure(end.code, end.message, end.remedy);
  throw host::Failure(
      host::Exit::simulation_failed,
      fmt::format("{} could not be assembled and evaluated: {}", model.file, host::describe(end, limits)),
      "No solver was run: all of them need this. polyform conform FILE tells whether a plugin is the cause.");
}

}  // namespace polyform::apps
