#include "framework/host/reading/field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "framework/files_read.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/host/reading/time_functions.hpp"

namespace polyform::host::inline reading {

namespace {

/// " of at least 0 and at most 1", or nothing without bounds.
std::string range(const FieldSpec& spec) {
  const bool low = std::isfinite(spec.minimum), high = std::isfinite(spec.maximum);
  std::string out;
  if (low) out += fmt::format(" {} {:g}", spec.exclusive_minimum ? "greater than" : "of at least", spec.minimum);
  if (high) out += fmt::format("{} {:g}", low ? " and at most" : " of at most", spec.maximum);
  return out;
}

/// Warns only: the value is used all the same.
void warn_of_validity(const Value& value, const FieldSpec& spec, double x) {
  const bool low = x < spec.valid_minimum;
  value.warning(fmt::format("{} is {} {:g}{}{}, as far as the model of this type holds", x, low ? "below" : "above",
                            low ? spec.valid_minimum : spec.valid_maximum, spec.unit.empty() ? "" : " ", spec.unit),
                fmt::format("{}: {}. It is used as it is given.", spec.name, spec.meaning));
}

bool check_range(const Value& value, const FieldSpec& spec, double x) {
  const bool below = spec.exclusive_minimum ? x <= spec.minimum : x < spec.minimum;
  if (!below && x <= spec.maximum) {
    if (x < spec.valid_minimum || x > spec.valid_maximum) warn_of_validity(value, spec, x);
    return true;
  }
  const std::string kind = spec.type == FieldType::integer ? "an integer" : number_in(spec.unit);
  value.unexpected(kind + range(spec), fmt::format("{}: {}.", spec.name, spec.meaning));
  return false;
}

/// A text field with this unit names a file (named_path). The element gets the content of the
/// file. A text of several lines is itself the content.
constexpr std::string_view file_unit = "file";
/// A text field with this unit names a file in the same way, and the element gets its path: it reads the file itself.
constexpr std::string_view path_unit = "path";

/// The path of a file; nothing after a report.
std::optional<std::string> path_of(const Value& value, const std::string& name, const std::string& model) {
  const std::string path = named_path(name, value.report(), model);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    note_read_file(path);
    return path;
  }
  value.error(fmt::format("there is no file {}", show(path)), std::string(place_of_named(value.report(), model)));
  return std::nullopt;
}

/// Looks up fields in a map and in the maps of its groups: `group.name` is the entry `name` under the key `group`.
class FieldGroups {
 public:
  explicit FieldGroups(MapReader& map) : map_(map) {}

  std::optional<Value> find(std::string_view field) {
    const std::size_t dot = field.find('.');
    if (dot == std::string_view::npos) return map_.find(field);
    MapReader* const group = entries_of(field.substr(0, dot));
    return group != nullptr ? group->find(field.substr(dot + 1)) : std::nullopt;
  }
  /// Reports entries of the groups that are no fields.
  void finish() {
    for (const auto& [name, group] : groups_)
      if (group && group->is_map()) group->finish();
  }

 private:
  MapReader* entries_of(std::string_view name) {
    for (const auto& [known, group] : groups_)
      if (known == name) return group.get();
    const std::optional<Value> given = map_.find(name);
    return groups_.emplace_back(name, given ? std::make_unique<MapReader>(*given) : nullptr).second.get();
  }

  MapReader& map_;
  std::vector<std::pair<std::string_view, std::unique_ptr<MapReader>>> groups_;
};

template <class T>
bool store(const std::optional<T>& from, T& to) {
  if (from) to = *from;
  return from.has_value();
}

}  // namespace

std::optional<std::string> content_of(const Value& value, const std::string& name, const std::string& model) {
  const std::string path = named_path(name, value.report(), model);
  Diagnostics found;
  Report report(found, path);
  std::optional<std::string> text = read_source(path, report);
  report.finish();
  if (text) return text;
  value.error(fmt::format("the file {} cannot be read: {}", show(path),
                          found.all().empty() ? std::string("it is not there") : found.all().front().message),
              std::string(place_of_named(value.report(), model)));
  return std::nullopt;
}

std::string expectation(const FieldSpec& spec) {
  const std::string number = number_in(spec.unit) + range(spec);
  const std::string unit = spec.unit.empty() ? std::string{} : fmt::format(" in {}", spec.unit);
  switch (spec.type) {
    case FieldType::number: return number;
    case FieldType::integer: return "an integer" + range(spec);
    case FieldType::boolean: return "true or false";
    case FieldType::text: return spec.unit == file_unit || spec.unit == path_unit ? "the name of a file" : "a text";
    case FieldType::choice: return "one of " + listing({spec.choices.begin(), spec.choices.end()});
    case FieldType::vector3: return fmt::format("a vector [x, y, z]{}", unit);
    case FieldType::direction: return "a direction [x, y, z]";
    case FieldType::orientation: return "an orientation";
    case FieldType::numbers: return number + " or a list of them";
    case FieldType::matrix: return fmt::format("a matrix as a list of rows{}", unit);
    case FieldType::time_function: return number + " or a function of time";
    case FieldType::time_functions: return number + ", a function of time, or a list of these";
    case FieldType::body: return "the name of a body";
    case FieldType::marker: return "a point of a body, {body: name, point: [x, y, z]}";
    case FieldType::joint: return "the name of a joint";
    case FieldType::bodies: return "the name of a body or a list of them";
    case FieldType::markers: return "a point of a body, {body: name, point: [x, y, z]}, or a list of them";
    case FieldType::joints: return "the name of a joint or a list of them";
  }
  return "a value";
}

Fields FieldReader::read(MapReader& map, Strided<const FieldSpec> specs, std::span<const std::string_view> provided) {
  Fields out;
  out.values.resize(specs.size());
  out.places.resize(specs.size(), map.value().model_place());
  FieldGroups groups(map);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const FieldSpec& spec = specs[i];
    if (std::ranges::find(provided, spec.name) != provided.end()) continue;
    if (const std::optional<Value> given = groups.find(spec.name)) {
      out.places[i] = given->model_place();
      out.values[i] = value(*given, spec).value_or(FieldValue{});
    } else if (spec.required) {
      map.report_missing(spec.name, spec.meaning, fmt::format("Add '{}', {}.", spec.name, expectation(spec)));
    } else {
      out.values[i] = default_value(spec, map.value());
    }
  }
  groups.finish();
  return out;
}

FieldValue FieldReader::default_value(const FieldSpec& spec, const Value& where) {
  if (spec.default_text.empty()) return {};
  const auto [known, inserted] = defaults_.try_emplace(&spec);
  if (!inserted) return known->second;
  Diagnostics problems;
  Report report(problems, {});
  Document document;
  const Node* root = document.parse(spec.default_text, report);
  std::optional<FieldValue> read = root ? value(Value(*root, {}, report), spec) : std::nullopt;
  report.finish();
  if (problems.failed()) {
    where.error(fmt::format("the plugin declares the default {} for '{}', which is wrong: {}", show(spec.default_text),
                            spec.name, problems.all().front().message),
                "This is a mistake in the plugin; give the field in the model until its author corrects it.");
  }
  if (read) known->second = *read;
  known->second.given = false;
  return known->second;
}

std::optional<FieldValue> FieldReader::value(const Value& value, const FieldSpec& spec) {
  FieldValue out;
  out.given = true;
  bool good = false;
  switch (spec.type) {
    case FieldType::number:
    case FieldType::integer:
    case FieldType::boolean:
    case FieldType::text: good = scalar(value, spec, out); break;
    case FieldType::choice: good = choice(value, spec, out); break;
    case FieldType::vector3: good = store(read_vector3(value, spec.unit), out.vector); break;
    case FieldType::direction: good = store(read_direction(value), out.vector); break;
    case FieldType::orientation: good = store(read_orientation(value), out.orientation); break;
    case FieldType::numbers: good = list(value, spec, out); break;
    case FieldType::matrix: good = matrix(value, spec, out); break;
    case FieldType::time_function:
    case FieldType::time_functions: good = functions(value, spec, out); break;
    case FieldType::body:
    case FieldType::marker:
    case FieldType::joint: good = attachment(value, spec, out); break;
    case FieldType::bodies:
    case FieldType::markers:
    case FieldType::joints: good = attachments(value, spec, out); break;
  }
  return good ? std::optional(out) : std::nullopt;
}

bool FieldReader::scalar(const Value& value, const FieldSpec& spec, FieldValue& out) {
  if (spec.type == FieldType::number)
    return store(read_number(value, spec.unit), out.number) && check_range(value, spec, out.number);
  if (spec.type == FieldType::integer)
    return store(read_integer(value), out.integer) && check_range(value, spec, static_cast<double>(out.integer));
  if (spec.type == FieldType::boolean) {
    const std::optional<bool> b = read_boolean(value);
    out.integer = b.value_or(false) ? 1 : 0;
    return b.has_value();
  }
  const bool is_file = spec.unit == file_unit;
  std::optional<std::string> text = read_text(value, is_file ? "the name of a file" : "a text");
  if (text && spec.unit == path_unit) text = path_of(value, *text, storage_.file);
  if (text && is_file && text->find('\n') == std::string::npos) text = content_of(value, *text, storage_.file);
  if (text) out.text = storage_.texts.emplace_back(*text);
  return text.has_value();
}

bool FieldReader::choice(const Value& value, const FieldSpec& spec, FieldValue& out) {
  const std::optional<std::string> text = read_text(value, expectation(spec));
  if (!text) return false;
  const auto found = std::find(spec.choices.begin(), spec.choices.end(), *text);
  if (found == spec.choices.end()) {
    value.unexpected(expectation(spec), did_you_mean(*text, {spec.choices.begin(), spec.choices.end()}));
    return false;
  }
  out.text = *found;
  out.integer = found - spec.choices.begin();
  return true;
}

bool FieldReader::list(const Value& value, const FieldSpec& spec, FieldValue& out) {
  std::optional<std::vector<double>> numbers = read_numbers(value, spec.unit);
  if (!numbers) return false;
  const bool is_list = value.node().kind == Node::Kind::list;
  for (std::size_t i = 0; i < numbers->size(); ++i)
    if (!check_range(is_list ? value.item(i) : value, spec, (*numbers)[i])) return false;
  out.numbers = storage_.numbers.emplace_back(std::move(*numbers));
  return true;
}

std::optional<std::vector<double>> read_rows(const Value& value, std::string_view unit, std::string_view expected,
                                             std::size_t& rows) {
  const Node& node = value.node();
  if (node.kind != Node::Kind::list || node.items.empty()) {
    value.unexpected(expected, "Write it as [[a, b], [c, d]].");
    return std::nullopt;
  }
  const std::size_t columns = node.items.front()->items.size();
  std::vector<double> all;
  bool good = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Value row = value.item(i);
    if (row.node().kind != Node::Kind::list || row.node().items.size() != columns || columns == 0) {
      row.unexpected(columns == 0 ? std::string("a row of numbers")
                                  : fmt::format("a row of {} numbers, as the first one", columns));
      return std::nullopt;
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const std::optional<double> x = read_number(row.item(j), unit);
      good = x.has_value() && good;
      all.push_back(x.value_or(0));
    }
  }
  rows = node.items.size();
  return good ? std::optional(std::move(all)) : std::nullopt;
}

bool FieldReader::matrix(const Value& value, const FieldSpec& spec, FieldValue& out) {
  std::size_t rows = 0;
  std::optional<std::vector<double>> all = read_rows(value, spec.unit, expectation(spec), rows);
  if (!all) return false;
  const std::size_t columns = all->size() / rows;
  bool good = true;
  for (std::size_t k = 0; k < all->size(); ++k) {
    const Value row = value.item(k / columns);
    good = check_range(row.item(k % columns), spec, (*all)[k]) && good;
  }
  if (!good) return false;
  out.rows = static_cast<std::uint32_t>(rows);
  out.numbers = storage_.numbers.emplace_back(std::move(*all));
  return true;
}

bool FieldReader::functions(const Value& value, const FieldSpec& spec, FieldValue& out) {
  std::optional<std::vector<TimeFunction>> read;
  if (spec.type == FieldType::time_functions) {
    read = read_time_functions(value, spec.unit, storage_, formulas_);
  } else if (const std::optional<TimeFunction> one = read_time_function(value, spec.unit, storage_, formulas_)) {
    read.emplace({*one});
  }
  if (!read) return false;
  const bool is_list = value.node().kind == Node::Kind::list;
  for (std::size_t i = 0; i < read->size(); ++i) {
    const TimeFunction& f = (*read)[i];
    if (f.is_constant() && !check_range(is_list ? value.item(i) : value, spec, f.constant)) return false;
  }
  out.functions = storage_.functions.emplace_back(std::move(*read));
  return true;
}

bool FieldReader::attachment(const Value& value, const FieldSpec& spec, FieldValue& out) {
  if (names_joints(spec.type)) return store(read_joint(value, names_), out.joint);
  if (spec.type == FieldType::body || spec.type == FieldType::bodies) return store(read_body(value, names_), out.body);
  if (value.node().kind != Node::Kind::map) {
    value.unexpected(expectation(spec));
    return false;
  }
  MapReader map(value);
  const std::optional<Value> body = map.require("body", "the body that the point is fixed in");
  const std::optional<Value> point = map.find("point");
  const bool known = body && store(read_body(*body, names_), out.body);
  const bool placed = !point || store(read_vector3(*point, "m"), out.vector);
  map.finish();
  return known && placed;
}

/// Reads attachments; a single one stands for a list of one.
bool FieldReader::attachments(const Value& value, const FieldSpec& spec, FieldValue& out) {
  const bool is_list = value.node().kind == Node::Kind::list;
  const std::size_t count = is_list ? value.node().items.size() : 1;
  std::vector<BodyIndex> bodies;
  std::vector<Vec3> points;
  std::vector<JointIndex> joints;
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) {
    FieldValue one;
    good = attachment(is_list ? value.item(i) : value, spec, one) && good;
    if (names_joints(spec.type)) {
      joints.push_back(one.joint);
    } else {
      bodies.push_back(one.body);
      points.push_back(one.vector);
    }
  }
  if (!good) return false;
  out.bodies = storage_.body_lists.emplace_back(std::move(bodies));
  out.points = storage_.point_lists.emplace_back(std::move(points));
  out.joints = storage_.joint_lists.emplace_back(std::move(joints));
  return true;
}

}  // namespace polyform::host::reading
