// Options of a formulation: the same declaration and the same reading as the fields of elements.
#include <fmt/format.h>

#include <exception>

#include "framework/reading/field_reader.hpp"
#include "framework/reading/reader.hpp"

namespace polyform::host {

namespace {

Names names_of(const Description& model) {
  Names names;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    names.bodies.add(model.bodies[i].name, static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    names.joints.add(model.joints[i].name, static_cast<std::int32_t>(i));
  return names;
}

bool refers_to_names(const FieldSpec& spec) {
  return spec.type == FieldType::body || spec.type == FieldType::marker || spec.type == FieldType::joint;
}

void report_unknown(std::span<const FieldSpec> specs, const std::string& key, std::string_view formulation,
                    const Path& path, Report& report) {
  std::vector<std::string_view> known;
  for (const FieldSpec& spec : specs) known.push_back(spec.name);
  const std::string remedy = known.empty()
                                 ? fmt::format("'{}' has no options.", formulation)
                                 : fmt::format("{}Its options: {}.", did_you_mean(key, known), listing(known));
  report.error({}, path, fmt::format("formulation '{}' has no option {}", formulation, show(key)), remedy);
}

void read_all(std::span<const FieldSpec> specs, const std::vector<std::pair<std::string, std::string>>& given,
              std::string_view formulation, Description& storage, Report& report, std::vector<FieldValue>& out) {
  const bool needs_names = std::any_of(specs.begin(), specs.end(), refers_to_names);
  const Names names = needs_names ? names_of(storage) : Names{};
  FieldReader reader(names, storage);
  Document document;
  const Path options{nullptr, "options", Path::no_index};
  const Node nothing;
  for (std::size_t i = 0; i < specs.size(); ++i)
    out[i] = reader.default_value(specs[i], Value(nothing, options, report));
  for (const auto& [key, text] : given) {
    const Path path{&options, key, Path::no_index};
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const FieldSpec& s) { return s.name == key; });
    if (spec == specs.end()) {
      report_unknown(specs, key, formulation, path, report);
      continue;
    }
    Diagnostics syntax;
    Report syntax_report(syntax, {});
    const Node* parsed = text.empty() ? &nothing : document.parse(text, syntax_report);
    if (!parsed) {
      syntax_report.finish();
      report.error({}, path, fmt::format("{} is no value: {}", show(text), syntax.all().front().message),
                   fmt::format("Give {}.", expectation(*spec)));
      continue;
    }
    Node root = *parsed;
    root.place = {};  // a place in the option's text means nothing to the user
    if (const auto value = reader.value(Value(root, path, report), *spec))
      out[static_cast<std::size_t>(spec - specs.begin())] = *value;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool absent =
        std::none_of(given.begin(), given.end(), [&](const auto& g) { return g.first == specs[i].name; });
    if (specs[i].required && absent)
      report.error({}, options,
                   fmt::format("formulation '{}' needs option '{}': {}", formulation, specs[i].name, specs[i].meaning),
                   fmt::format("Give --option {}=…, {}.", specs[i].name, expectation(specs[i])));
  }
}

}  // namespace

std::vector<FieldValue> read_options(std::span<const FieldSpec> specs,
                                     const std::vector<std::pair<std::string, std::string>>& given,
                                     std::string_view formulation, Description& storage, Diagnostics& diagnostics) {
  Report report(diagnostics, {});
  std::vector<FieldValue> out(specs.size());
  try {
    read_all(specs, given, formulation, storage, report, out);
  } catch (const std::exception& e) {
    report.error({}, {}, fmt::format("the options cannot be read: {}", e.what()));
  }
  report.finish();
  return out;
}

}  // namespace polyform::host
