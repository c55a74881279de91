// Files of other programs: what became of everything in one, and models written as one.
#include <fmt/format.h>

#include <filesystem>

#include "apps/library/internal.hpp"
#include "apps/text/conversion_text.hpp"
#include "framework/host/reading/import.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/reading/source.hpp"

namespace polyform::library {

namespace {

const ImporterType& writer_of(const host::Catalog& catalog, const std::string& file, const std::string& format) {
  const std::string ending = std::filesystem::path(file).extension().string();
  std::vector<std::string_view> names;
  for (const auto& [name, importer] : catalog.importers) {
    if (ask<Exporter>(*importer) == nullptr) continue;
    names.push_back(name);
    const std::string endings = fmt::format(" {} ", importer->extensions());
    if (format.empty() ? !ending.empty() && endings.find(fmt::format(" {} ", ending)) != std::string::npos
                       : format == name)
      return *importer;
  }
  throw host::Failure(host::Exit::bad_input,
                      format.empty() ? fmt::format("the ending of {} tells no format", host::show(file))
                                     : fmt::format("there is no format {}", host::show(format)),
                      "Formats: " + host::listing(names) + ".");
}

}  // namespace

Value Model::conversion(const std::string& file, const ReadOptions& options) {
  return calling(nullptr, [&]() -> Value {
    host::Diagnostics diagnostics;
    const apps::Plugins plugins = plugins_of(options.plugin_paths);
    host::Report report(diagnostics, file);
    const std::optional<std::string> bytes = host::read_source(file, report);
    report.finish();
    if (bytes) {
      const ImporterType* const importer = host::importer_for(*plugins.catalog, file, *bytes);
      if (importer == nullptr) return {};
      const auto got = host::import_model(*importer, file, *bytes,
                                          apps::split_options("--import-option", options.import_options), diagnostics);
      if (got) return value_of(apps::conversion_json(file, importer->name(), *got));
    }
    apps::print(diagnostics);
    throw host::Failure(host::Exit::bad_input, apps::already_said);
  });
}

Exported Model::exported(const std::string& file, const std::string& format, bool strict,
                         std::vector<Message>* said) const {
  return calling(said, [&]() -> Exported {
    const ImporterType& writer = writer_of(parts_->catalog(), file, format);
    host::Diagnostics diagnostics;
    const auto got = host::export_model(writer, parts_->system->description(), diagnostics);
    apps::print(diagnostics);
    if (!got) throw host::Failure(host::Exit::bad_input, apps::already_said);
    if (strict) apps::refuse_losses(parts_->file, *got);
    return {got->text, value_of(apps::conversion_json(parts_->file, writer.name(), *got))};
  });
}

}  // namespace polyform::library
