// A model as an FMU: what `polyform export --fmi` writes.
#include <fmt/format.h>

#include <filesystem>

#include "apps/fmi/export_fmu.hpp"
#include "apps/library/internal.hpp"

namespace polyform::library {

namespace {

/// The name of data in the FMU: a model file, in the folder that its references start from.
std::string name_of_text(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".json").string();
}

}  // namespace

FmuFile Model::fmu(const FmuRequest& request, std::vector<Message>* said) const {
  return calling(said, [&]() -> FmuFile {
    if (request.version != 2 && request.version != 3)
      refuse(fmt::format("there is no version {} of FMI", request.version), "Versions: 2 and 3.");
    if (request.kind != "cs" && request.kind != "me")
      refuse(fmt::format("there is no kind of FMU {}", request.kind),
             "Kinds: cs (co-simulation) and me (model exchange).");
    if (!parts_->functions.empty())
      refuse("functions of the program cannot go into an FMU, which runs without it",
             "Say them in the model: as formulas, signals, or an FMU of their own.");
    if (request.run.start_time.value_or(0) != 0 || parts_->options.start_time.value_or(0) != 0)
      refuse("an FMU begins at t = 0", "Leave out start_time.");
    if (!request.run.output.empty()) refuse("output: an FMU writes no results", "Leave out output.");
    if (request.run.watch.progress) refuse("progress: an FMU runs without the program", "Leave it out.");
    fmi::ExportRequest out;
    out.version = request.version;
    fmi::Settings& settings = out.settings;
    settings.kind = request.kind == "me" ? fmi::Kind::model_exchange : fmi::Kind::co_simulation;
    settings.model.file = parts_->file;
    settings.model.lenient = parts_->options.lenient;
    settings.model.import_options = parts_->options.import_options;
    settings.model.state = request.run.state.empty() ? parts_->options.state : request.run.state;
    if (parts_->text) {
      settings.model.file = name_of_text(parts_->file);
      settings.text = parts_->text;
    }
    settings.run = arguments_of(request.run);
    settings.solver = request.run.solver.name;
    settings.options = typed(request.run.solver.options);
    settings.inputs = request.inputs;
    out.library = library_of_fmus();
    const fmi::Fmu made = fmi::export_fmu(out, registry_of(parts_->options.plugin_paths));
    return {made.bytes, value_of(fmi::summary(made))};
  });
}

}  // namespace polyform::library
