#include "polyform/library/model.hpp"

#include <fmt/format.h>

#include "apps/library/document.hpp"
#include "apps/library/internal.hpp"
#include "apps/session/start_state.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/process_state.hpp"

namespace polyform::library {

namespace {

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// Reads with `read`, adds the functions, assembles.
template <class Read>
std::shared_ptr<const Model::Parts> made(const std::string& file, std::optional<std::string> text,
                                         const ReadOptions& options, Read read) {
  std::vector<Message> said;
  auto parts = std::make_shared<Model::Parts>();
  calling(&said, [&] {
    parts->file = file;
    parts->text = std::move(text);
    parts->options = options;
    parts->plugins = plugins_of(options.plugin_paths);
    bool missing_plugin = false;
    parts->description = [parts = parts.get(), read](host::Diagnostics& diagnostics, bool& missing) {
      return read(parts->catalog(), diagnostics, missing);
    };
    host::Description model = parts->description(parts->diagnostics, missing_plugin);
    if (!parts->diagnostics.failed()) {
      for (const FunctionForce& force : options.functions)
        parts->functions.push_back(std::make_unique<FunctionType>(force));
      for (const auto& function : parts->functions) function->add_to(model);
      apps::start_at(options.state, options.start_time, model, parts->diagnostics);
    }
    if (!parts->diagnostics.failed()) {
      const host::ProcessState before;
      parts->system = host::System::assemble(std::move(model), parts->plugins.libraries, parts->diagnostics);
    }
    apps::print(parts->diagnostics);
    if (!parts->system)
      throw host::Failure(missing_plugin ? host::Exit::plugin : host::Exit::bad_input, apps::already_said);
    return 0;
  });
  parts->messages = std::move(said);
  return parts;
}

}  // namespace

std::unique_ptr<host::System> assembled_anew(const Model::Parts& parts, const Change& change) {
  host::Diagnostics unsaid;
  bool missing_plugin = false;
  host::Description model = parts.description(unsaid, missing_plugin);
  if (unsaid.failed())
    throw host::Failure(
        host::Exit::bad_input, fmt::format("the model {} cannot be read once more", host::show(parts.file)),
        "Coordinates that follow from others are found with its file: leave it where it was, or give all "
        "coordinates.");
  for (const auto& function : parts.functions) function->add_to(model);
  change(model);
  const host::ProcessState before;
  return host::System::assemble(std::move(model), parts.plugins.libraries, unsaid);
}

Model::Model(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Model Model::read(const std::string& file, const ReadOptions& options) {
  apps::ModelArguments arguments;
  arguments.file = file;
  arguments.lenient = options.lenient;
  arguments.import_options = options.import_options;
  return Model(made(file, std::nullopt, options,
                    [arguments](const host::Catalog& catalog, host::Diagnostics& diagnostics, bool& missing) {
                      return apps::read(arguments, catalog, diagnostics, missing);
                    }));
}

Model Model::parse(std::string_view text, const std::string& file, const ReadOptions& options) {
  return Model(made(file, std::string(text), options,
                    [text = std::string(text), file, lenient = options.lenient](
                        const host::Catalog& catalog, host::Diagnostics& diagnostics, bool& missing) {
                      return host::read_model_text(text, file, catalog, diagnostics, missing, {lenient});
                    }));
}

Model Model::build(const Value& document, const std::string& file, const ReadOptions& options) {
  return Model(made(file, text_of(document), options,
                    [document, file, lenient = options.lenient](const host::Catalog& catalog,
                                                                host::Diagnostics& diagnostics, bool& missing) {
                      const Nodes nodes(document);
                      return host::read_model_tree(nodes.root(), file, catalog, diagnostics, missing, {lenient});
                    }));
}

Value Model::document(const std::string& file, const ReadOptions& options) {
  return calling(nullptr, [&] {
    host::Diagnostics diagnostics;
    const apps::Plugins plugins = plugins_of(options.plugin_paths);
    Value value = read_document(file, *plugins.catalog, apps::split_options("--import-option", options.import_options),
                                diagnostics);
    if (!diagnostics.failed()) return value;  // losses of an import are reported when the model is read
    apps::print(diagnostics);
    throw host::Failure(host::Exit::bad_input, apps::already_said);
  });
}

Model Model::starting(const std::string& state, std::optional<double> start_time) const {
  ReadOptions options = parts_->options;
  options.state = state;
  options.start_time = start_time;
  return parts_->text ? parse(*parts_->text, parts_->file, options) : read(parts_->file, options);
}

const std::string& Model::name() const noexcept { return parts_->system->description().name; }
std::vector<std::string> Model::bodies() const { return names_of(parts_->system->description().bodies); }
std::vector<std::string> Model::joints() const { return names_of(parts_->system->description().joints); }
const std::vector<Message>& Model::messages() const noexcept { return parts_->messages; }

std::vector<std::string> Model::formulations() const {
  std::vector<std::string> names;
  for (const auto& entry : parts_->catalog().formulations) names.push_back(entry.first);
  return names;
}

std::vector<std::string> Model::solvers() const {
  std::vector<std::string> names;
  for (const auto& [name, formulation] : parts_->catalog().formulations) {
    host::Diagnostics unheard;
    if (host::can_run(*formulation, parts_->system->view(), unheard)) names.push_back(name);
  }
  return names;
}

}  // namespace polyform::library
