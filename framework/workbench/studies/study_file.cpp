#include "framework/workbench/studies/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/source.hpp"

namespace polyform::host::inline studies {

namespace {

/// Turns an exception of a part of the file into a report at its place.
template <class Read>
void at(const Value& value, const Read& read) {
  try {
    read();
  } catch (const Failure& failure) {
    value.error(failure.message(), failure.remedy());
  }
}

/// The values of a factor as the command line would give them.
std::optional<std::string> values_of(const Value& value) {
  const Node& node = value.node();
  if (node.kind != Node::Kind::list) return read_text(value, "a list, or one text");
  std::string text;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::optional<std::string> item = read_text(value.item(i), "a number or a word");
    if (!item) return std::nullopt;
    text += (i > 0 ? "," : "") + *item;
  }
  return text;
}

void read_vary(const Value& list, std::vector<Factor>& factors) {
  if (!is_list(list, "factors")) return;
  for (std::size_t i = 0; i < list.node().items.size(); ++i) {
    const Value item = list.item(i);
    MapReader map(item);
    if (!map.is_map()) continue;
    const auto path = map.require("path", "what is varied, such as bodies.rod.mass, or a list of these");
    const auto values = map.require("values", "a list, from:to:count, or a distribution such as normal(1, 0.1)");
    map.finish();
    if (!path || !values) continue;
    std::vector<std::string> paths;
    if (path->node().kind == Node::Kind::list) {
      for (std::size_t k = 0; k < path->node().items.size(); ++k)
        if (auto text = read_text(path->item(k), "the path of a value")) paths.push_back(std::move(*text));
    } else if (auto text = read_text(*path, "the path of a value")) {
      paths.push_back(std::move(*text));
    }
    const std::optional<std::string> text = values_of(*values);
    if (!paths.empty() && text) at(*values, [&] { factors.push_back(make_factor(std::move(paths), *text)); });
  }
}

void read_correlation(const Value& list, std::vector<double>& correlation) {
  if (!is_list(list, "rows")) return;
  for (std::size_t i = 0; i < list.node().items.size(); ++i)
    if (const auto row = read_numbers(list.item(i))) correlation.insert(correlation.end(), row->begin(), row->end());
}

void read_quantities(const Value& value, StudyFile& study) {
  if (value.node().kind != Node::Kind::map) return value.unexpected("a map of NAME: EXPRESSION");
  for (const Node::Entry& entry : value.node().entries)
    if (auto text = read_text(value.entry(entry), "an expression such as max(pin.q)"))
      study.quantities.emplace_back(entry.key, std::move(*text));
}

void read_root(const Value& root, const std::string& file, StudyFile& study) {
  MapReader map(root);
  if (const auto version = map.find("study"); version && read_integer(*version).value_or(1) != 1)
    version->error("this program reads studies of format 1", "Write 'study: 1'.");
  if (const auto model = map.require("model", "the file of the model"))
    if (const auto name = read_text(*model, "the file of the model"))
      study.model = (std::filesystem::path(file).parent_path() / *name).string();
  if (const auto vary = map.find("vary")) read_vary(*vary, study.factors);
  if (const auto method = map.find("method"))
    if (const auto name = read_text(*method, "the name of a method"))
      at(*method, [&] { study.design.method = method_named(*name); });
  const auto count = [&](const char* key, auto& out) {
    const auto value = map.find(key);
    const auto number = value ? read_integer(*value) : std::nullopt;
    if (number && *number < 0) value->error(fmt::format("found {}, expected no less than 0", *number));
    if (number && *number >= 0) out = static_cast<std::decay_t<decltype(out)>>(*number);
  };
  count("samples", study.design.samples);
  count("seed", study.design.seed);
  if (const auto correlation = map.find("correlation")) read_correlation(*correlation, study.design.correlation);
  if (const auto quantities = map.find("quantities")) read_quantities(*quantities, study);
  if (const auto simulation = map.find("simulation")) read_simulation(*simulation, study.simulation);
  if (const auto solver = map.find("solver")) study.solver = read_text(*solver, "the name of a solver");
  if (const auto device = map.find("device"))
    study.device = read_text(*device, "the name of a device, auto or none").value_or("");
  if (const auto columns = map.find("trajectories")) study.trajectories = values_of(*columns).value_or("");
  map.finish();
}

}  // namespace

std::optional<StudyFile> read_study(const std::string& file, Diagnostics& diagnostics) {
  Document document;
  const Node* root = nullptr;
  {
    Diagnostics unheard;
    Report report(unheard, file);
    const std::optional<std::string> text = read_source(file, report);
    if (text) root = document.parse(*text, report);
  }
  const auto is_mark = [](const Node::Entry& entry) { return entry.key == "study"; };
  if (root == nullptr || root->kind != Node::Kind::map || std::ranges::none_of(root->entries, is_mark))
    return std::nullopt;
  StudyFile study;
  Report report(diagnostics, file);
  read_root(Value(*root, {}, report), file, study);
  report.finish();
  return study;
}

}  // namespace polyform::host::inline studies
