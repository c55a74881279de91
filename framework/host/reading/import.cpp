#include "framework/host/reading/import.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>

#include "framework/files_read.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/report.hpp"
#include "polyform/contract/named_files.hpp"

namespace polyform::host::inline reading {

namespace {

class Collector final : public ConversionSink, private NamedFiles {
 public:
  Collector(Conversion& into, Diagnostics& diagnostics) : into_(into), diagnostics_(diagnostics) {}

  void text(std::string_view piece) noexcept override {
    keep([&] { into_.text += piece; });
  }
  void finding(const Finding& f) noexcept override {
    keep([&] {
      into_.findings.push_back({f.treatment, std::string(f.what), std::string(f.remark), f.count, f.line, f.column});
    });
  }
  DiagnosticSink& diagnostics() noexcept override { return diagnostics_; }
  void* query(std::string_view asked) noexcept override {
    return asked == NamedFiles::interface_name ? static_cast<NamedFiles*>(this) : nullptr;
  }
  bool out_of_memory() const noexcept { return out_of_memory_; }
  /// Failure if one of the files that the importer has named is being written.
  void note_files() const {
    for (const std::string& path : files_) note_named_file(path);
  }

 private:
  void named(std::string_view path) noexcept override {
    keep([&] { files_.emplace(path); });
  }
  template <class Keep>
  void keep(Keep what) noexcept {
    try {
      what();
    } catch (...) {
      out_of_memory_ = true;
    }
  }
  Conversion& into_;
  Diagnostics& diagnostics_;
  std::set<std::string> files_;
  bool out_of_memory_ = false;
};

/// An option of every importer: `true` makes it an error where something is not honoured.
constexpr std::string_view strict_option = "strict";

/// Takes `strict` from the options, which is none of one importer: whether a loss is an error.
bool take_strict(ImportOptions& options, Diagnostics& diagnostics) {
  bool strict = false;
  std::erase_if(options, [&](const auto& option) {
    if (option.first != strict_option) return false;
    strict = option.second == "true";
    if (!strict && option.second != "false")
      diagnostics.error(fmt::format("--import-option strict: found {}, expected true or false", show(option.second)));
    return true;
  });
  return strict;
}

/// What is wrong with what a conversion gave; nothing if it is good.
bool is_good(Status status, const Collector& sink, const Conversion& got, const std::string& file,
             std::string_view name, Diagnostics& diagnostics) {
  std::string message;
  if (sink.out_of_memory())
    message = "there is not enough memory to convert this";
  else if (status == Status::ok && got.text.empty())
    message = fmt::format("the importer {} gave nothing", name);
  else if (status != Status::ok && !diagnostics.failed())
    message = fmt::format("the importer {} failed without a reason", name);
  if (message.empty()) return status == Status::ok && !diagnostics.failed();
  diagnostics.report({.message = message, .remedy = remedies::report_to_author, .file = file});
  return false;
}

}  // namespace

std::size_t Conversion::count(Treatment treatment) const {
  std::size_t sum = 0;
  for (const FoundThing& thing : findings)
    if (thing.treatment == treatment) sum += thing.count;
  return sum;
}

std::string_view name_of(Treatment treatment) noexcept {
  switch (treatment) {
    case Treatment::honoured: return "honoured";
    case Treatment::converted: return "converted";
    case Treatment::not_honoured: return "not honoured";
    case Treatment::kept_back: return "within";
  }
  return "not honoured";
}

bool looks_like_xml(std::string_view bytes) noexcept {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

const ImporterType* importer_for(const Catalog& catalog, std::string_view file, std::string_view bytes) {
  for (const auto& [name, importer] : catalog.importers)
    if (importer->recognises(bytes)) return importer;
  // Content that tells nothing: a file that is cut short, or is no text at all.
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending.empty()) return nullptr;
  for (const auto& [name, importer] : catalog.importers)
    if (fmt::format(" {} ", importer->extensions()).find(fmt::format(" {} ", ending)) != std::string::npos)
      return importer;
  return nullptr;
}

std::optional<Conversion> import_model(const ImporterType& importer, const std::string& file, std::string_view bytes,
                                       const ImportOptions& given, Diagnostics& diagnostics) {
  ImportOptions options = given;
  const bool strict = take_strict(options, diagnostics);
  Description storage;
  const std::vector<FieldValue> values = read_options(
      importer.fields(), options, {"importer", importer.name(), "--import-option", "", ""}, storage, diagnostics);
  if (diagnostics.failed()) return std::nullopt;
  Conversion got;
  Collector sink(got, diagnostics);
  const Status status = importer.import_model({.name = file, .bytes = bytes}, values, sink);
  sink.note_files();
  if (!is_good(status, sink, got, file, importer.name(), diagnostics)) return std::nullopt;
  if (const std::size_t losses = got.count(Treatment::not_honoured); strict && losses > 0) {
    diagnostics.report({.message = fmt::format("strict: {} thing{} would not be honoured: {}", losses,
                                               losses == 1 ? "" : "s", summary_of_losses(got)),
                        .remedy = "Remove them from the file, choose options that keep them, or leave strict out.",
                        .file = file});
    return std::nullopt;
  }
  return got;
}

std::string summary_of_losses(const Conversion& conversion) {
  constexpr std::size_t most = 6;
  std::string text;
  std::size_t shown = 0, more = 0;
  for (const FoundThing& thing : conversion.findings) {
    if (thing.treatment != Treatment::not_honoured) continue;
    if (shown == most) {
      ++more;
      continue;
    }
    text += fmt::format("{}{} ({})", shown++ == 0 ? "" : ", ", thing.what, thing.count);
  }
  if (more > 0) text += fmt::format(" and {} more kinds", more);
  return text;
}

namespace {

/// What the host resolves or keeps back before an exporter sees the model.
void add_resolved(const Description& model, Conversion& got) {
  const auto add = [&](std::string what, std::string remark, std::size_t count) {
    if (count > 0) got.findings.push_back({Treatment::converted, std::move(what), std::move(remark), count});
  };
  const SimulationItem& run = model.simulation;
  const bool has_run = run.duration || run.step || run.max_step || run.relative_tolerance || run.absolute_tolerance ||
                       run.output_interval || run.integrator || !run.integrator_options.empty();
  add("`simulation`", "left out: it belongs to a run", has_run ? 1 : 0);
  add("`solver`", "left out: it belongs to a run", model.solver.name || !model.solver.options.empty() ? 1 : 0);
  add("parameters", "written as the numbers that they stand for", model.parameters.size());
}

}  // namespace

std::optional<Conversion> export_model(const ImporterType& importer, const Description& model,
                                       Diagnostics& diagnostics) {
  const Exporter* const exporter = ask<Exporter>(importer);
  if (exporter == nullptr) {
    diagnostics.error(fmt::format("the plugin of the format {} reads files, but writes none", importer.name()));
    return std::nullopt;
  }
  Conversion got;
  Collector sink(got, diagnostics);
  const Status status = exporter->export_model(resolved_model(model), sink);
  if (!is_good(status, sink, got, model.file, importer.name(), diagnostics)) return std::nullopt;
  add_resolved(model, got);
  return got;
}

}  // namespace polyform::host::inline reading
