#include "apps/session/loading.hpp"

#include "apps/session/model_settings.hpp"
#include "apps/session/start_state.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/results/file_roles.hpp"

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
  const host::ReadingOptions options{arguments.lenient, split_options("--import-option", arguments.import_options)};
  host::Description model = [&] {
    if (arguments.set.empty()) return host::read_model(arguments.file, catalog, diagnostics, missing_plugin, options);
    host::VariedModel varied(arguments.file, catalog, diagnostics, options.import_options);
    if (diagnostics.failed()) return host::Description{};
    set_values(varied, arguments.set);
    return varied.read(catalog, diagnostics, missing_plugin, options);
  }();
  if (!diagnostics.failed()) {
    if (!arguments.state.empty()) host::FileRoles().read("the state", arguments.state);
    start_at(arguments.state, arguments.at_time, model, diagnostics);
  }
  return model;
}

}  // namespace polyform::apps
