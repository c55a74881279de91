#include "apps/fmi/export_fmu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "apps/fmi/model_description.hpp"
#include "apps/fmi/zip_writer.hpp"
#include "apps/session/used_plugins.hpp"
#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/files_read.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/checksum.hpp"

namespace polyform::fmi {

namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& file) {
  if (std::optional<std::string> content = host::file_content(file.string())) return std::move(*content);
  throw host::Failure(host::Exit::bad_input, file.string() + " cannot be read into the FMU");
}

/// Files of the model in the FMU: below the deepest folder that holds all of them, they lie as their names in the model
/// say. A link becomes a file.
class ModelFiles {
 public:
  std::string add(const std::string& name) {
    const fs::path file = fs::absolute(name).lexically_normal();
    files_.insert(file);
    return file.string();
  }
  /// The same for a file that is none on this machine.
  std::string add(const std::string& name, std::string text) {
    const fs::path file = fs::absolute(name).lexically_normal();
    texts_[file] = std::move(text);
    files_.insert(file);
    return file.string();
  }
  /// The place of an added file below `resources`.
  std::string place(const std::string& file) const {
    return "model/" + fs::path(file).lexically_relative(root()).generic_string();
  }
  void add_to(host::Checksum& sum) const {
    for (const fs::path& file : files_) sum.add(content(file));
  }
  /// Whether one of them has this word. Files of more than a megabyte are meshes and tables.
  bool name(std::string_view word) const {
    constexpr std::size_t most = 1 << 20;
    return std::ranges::any_of(files_, [&](const fs::path& file) {
      const std::string text = content(file);
      return text.size() <= most && text.find(word) != std::string::npos;
    });
  }
  void write(ZipWriter& out) const {
    for (const fs::path& file : files_) out.add("resources/" + place(file.string()), content(file));
  }

 private:
  std::string content(const fs::path& file) const {
    const auto text = texts_.find(file);
    return text == texts_.end() ? content_of(file) : text->second;
  }
  fs::path root() const {
    fs::path root = files_.begin()->parent_path();
    for (const fs::path& file : files_)
      while (file.lexically_relative(root).empty() || *file.lexically_relative(root).begin() == "..")
        root = root.parent_path();
    return root;
  }
  std::set<fs::path> files_;
  std::map<fs::path, std::string> texts_;
};

/// Plugins that the FMU needs, in every build: its formulation, all integrators and importers, and those of elements
/// that the model has, or that its files name, as where a parameter may call for one.
std::vector<const host::PluginRecord*> plugins_for(const host::Registry& registry, const std::string& formulation,
                                                   const host::Description& model, const ModelFiles& files) {
  const std::string needed = registry.plugin_of(std::string_view(formulation));
  apps::TypeNames types;
  apps::add_types(model, types);
  const auto needs = [&](const host::PluginRecord& record, const host::Offer& offer) {
    if (offer.kind == "formulation") return record.name == needed;
    if (offer.kind == "device") return false;
    return offer.kind == "integrator" || offer.kind == "importer" || types.contains({offer.kind, offer.name}) ||
           files.name(offer.name);
  };
  std::set<std::string> names;
  for (const host::PluginRecord& record : registry.plugins())
    if (record.status == host::PluginStatus::loaded &&
        std::ranges::any_of(record.offers, [&](const host::Offer& offer) { return needs(record, offer); }))
      names.insert(record.name);
  std::vector<const host::PluginRecord*> out;
  for (const host::PluginRecord& record : registry.plugins())
    if (names.contains(record.name) && !record.replaced &&
        !(record.refusal && *record.refusal != host::Refusal::instruction_set))
      out.push_back(&record);
  return out;
}

fs::path library_of_fmus(const std::string& given) {
  const fs::path file =
      given.empty() ? host::installed_plugin_folder().parent_path() / "polyform_fmu.so" : fs::path(given);
  if (fs::exists(file)) return file;
  throw host::Failure(host::Exit::bad_input, fmt::format("{}, which goes into each FMU, is missing", file.string()),
                      "Install Polyform whole, or build the target polyform_fmu.");
}

}  // namespace

apps::Json summary(const Fmu& fmu) {
  return {{"inputs", fmu.inputs},       {"outputs", fmu.outputs}, {"parameters", fmu.parameters},
          {"start_values", fmu.starts}, {"states", fmu.states},   {"event_indicators", fmu.events},
          {"plugins", fmu.plugins}};
}

Fmu export_fmu(const ExportRequest& request, const host::Registry& registry) {
  Settings settings = request.settings;
  host::take_read_files();  // those of models before this one
  FmuModel model(settings, registry.catalog(), registry.keep_alive());
  ModelFiles files;
  const std::string file =
      settings.text ? files.add(settings.model.file, *settings.text) : files.add(settings.model.file);
  const std::string state = settings.model.state.empty() ? "" : files.add(settings.model.state);
  for (const std::string& name : host::take_read_files()) files.add(name);
  settings.model.file = files.place(file);
  if (!state.empty()) settings.model.state = files.place(state);
  // The FMU itself can choose only among its own plugins, so the choice of the solver is fixed now.
  settings.solver = model.choice().formulation->name();
  settings.run.integrator = model.run().integrator.name();

  const std::vector<const host::PluginRecord*> plugins =
      plugins_for(registry, settings.solver, model.system().description(), files);
  host::Checksum sum;
  sum.add(to_text(settings));
  files.add_to(sum);
  settings.token = fmt::format("{{{}-{:016x}-{}}}", model_identifier(model.system().description().name), sum.value(),
                               POLYFORM_VERSION);

  Fmu out;
  ZipWriter zip;
  zip.add("modelDescription.xml", model_description(model, settings, request.version));
  zip.add(fmt::format("binaries/{}/{}.so", request.version == 2 ? "linux64" : POLYFORM_FMI_PLATFORM,
                      model_identifier(model.system().description().name)),
          content_of(library_of_fmus(request.library)), true);
  zip.add("resources/fmu.json", to_text(settings));
  files.write(zip);
  std::set<std::string> taken;
  for (const host::PluginRecord* plugin : plugins) {
    std::string name = fs::path(plugin->file).filename().string();
    while (!taken.insert(name).second) name.insert(0, "_");
    zip.add("resources/plugins/" + name, content_of(plugin->file), true);
    if (std::ranges::find(out.plugins, plugin->name) == out.plugins.end()) out.plugins.push_back(plugin->name);
  }
  out.bytes = zip.finish();
  using Role = Variable::Role;
  out.inputs = model.count(Role::input);
  out.outputs = model.count(Role::output);
  out.parameters = model.count(Role::parameter);
  out.starts = model.count(Role::start);
  out.states = model.states();
  out.events = model.count(Role::event);
  return out;
}

}  // namespace polyform::fmi
