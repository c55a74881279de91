#include "apps/session.hpp"

#include "apps/terminal.hpp"
#include "framework/reading/reader.hpp"

namespace polyform::apps {

Session::Session(const std::vector<std::string>& plugin_paths, std::uint64_t memory)
    : registry_(plugin_paths), crash_report_(registry_) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // A hunger without end meets an error that can be told, before the system ends programs of its own choice.
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
  // Which of two laws of one name is computed with must not hang on the order of a search.
  if (ambiguous) throw host::Failure(host::Exit::plugin, already_said);
}

std::unique_ptr<host::System> Session::load(const std::string& file) {
  diagnostics_ = {};
  bool missing_plugin = false;
  host::Description model = host::read_model(file, catalog(), diagnostics_, missing_plugin);
  std::unique_ptr<host::System> system;
  if (!diagnostics_.failed()) system = host::System::assemble(std::move(model), registry_.keep_alive(), diagnostics_);
  print(diagnostics_);
  if (!system) throw host::Failure(missing_plugin ? host::Exit::plugin : host::Exit::bad_input, already_said);
  return system;
}

}  // namespace polyform::apps
