#include "apps/session/loading.hpp"

#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"

namespace polyform::apps {

void warn_of_refused(const host::Registry& registry) {
  for (const host::SearchedPlace& place : registry.search_path())
    if (!place.problem.empty()) print(Severity::warning, place.problem);
  bool ambiguous = false;
  for (const host::PluginRecord& plugin : registry.plugins()) {
    if (plugin.replaced) print(Severity::warning, plugin.explanation);
    if (plugin.status != host::PluginStatus::refused) continue;
    const bool duplicate = plugin.refusal == host::Refusal::duplicate_name;
    print(duplicate ? Severity::error : Severity::warning, plugin.explanation);
    ambiguous = ambiguous || duplicate;
  }
  if (ambiguous) throw host::Failure(host::Exit::plugin, already_said);
}

host::Description read(const ModelArguments& arguments, const host::Catalog& catalog, host::Diagnostics& diagnostics,
                       bool& missing_plugin) {
  return host::read_model(arguments.file, catalog, diagnostics, missing_plugin,
                          {arguments.lenient, split_options("--import-option", arguments.import_options)});
}

}  // namespace polyform::apps
