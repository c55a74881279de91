#include "framework/workbench/conformance/example_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/host/reading/report.hpp"

namespace polyform::host::inline conformance {

namespace {

/// Rows [t, x] of a table; stride: 2, or 3 where the second derivative follows.
std::string table_of(std::span<const double> data, std::size_t stride, std::string_view interpolation) {
  std::string rows;
  for (std::size_t i = 0; i + 1 < data.size(); i += stride)
    rows += fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", data[i], data[i + 1]);
  return fmt::format("{{table: [{}], interpolation: {}}}", rows, interpolation);
}

std::string text_of(const TimeFunction& f) {
  using Kind = TimeFunction::Kind;
  switch (f.kind) {
    case Kind::constant: return fmt::format("{{constant: {}}}", f.constant);
    case Kind::polynomial: return fmt::format("{{polynomial: [{}]}}", fmt::join(f.data, ", "));
    case Kind::ramp: return fmt::format("{{ramp: {{rate: {}, start: {}, end: {}}}}}", f.rate, f.start, f.end);
    case Kind::sine:
      return fmt::format("{{sine: {{amplitude: {}, frequency: {}, phase: {}, offset: {}}}}}", f.amplitude, f.frequency,
                         f.phase, f.offset);
    case Kind::linear_table: return table_of(f.data, 2, "linear");
    case Kind::cubic_table: return table_of(f.data, 3, "cubic");
    case Kind::other: break;
  }
  return {};
}

std::string matrix_of(const FieldValue& value) {
  const std::size_t columns = value.rows == 0 ? 0 : value.numbers.size() / value.rows;
  std::string rows;
  for (std::size_t r = 0; r < value.rows; ++r)
    rows += fmt::format("{}[{}]", r == 0 ? "" : ", ", fmt::join(value.numbers.subspan(r * columns, columns), ", "));
  return fmt::format("[{}]", rows);
}

std::string text_of(const FieldSpec& spec, const FieldValue& value) {
  switch (spec.type) {
    case FieldType::number: return fmt::format("{}", value.number);
    case FieldType::integer: return fmt::format("{}", value.integer);
    case FieldType::boolean: return value.integer != 0 ? "true" : "false";
    case FieldType::text:
    case FieldType::choice: return show(value.text);
    case FieldType::vector3:
    case FieldType::direction: return fmt::format("[{}, {}, {}]", value.vector.x, value.vector.y, value.vector.z);
    case FieldType::orientation: {
      const Quat& r = value.orientation;
      return fmt::format("[{}, {}, {}, {}]", r.w, r.x, r.y, r.z);
    }
    case FieldType::numbers: return fmt::format("[{}]", fmt::join(value.numbers, ", "));
    case FieldType::matrix: return matrix_of(value);
    case FieldType::time_function:
    case FieldType::time_functions: {
      std::string list;
      for (const TimeFunction& f : value.functions) list += (list.empty() ? "" : ", ") + text_of(f);
      return spec.type == FieldType::time_function ? list : "[" + list + "]";
    }
    case FieldType::body:
    case FieldType::marker:
    case FieldType::joint:
    case FieldType::bodies:
    case FieldType::markers:
    case FieldType::joints: break;
  }
  return {};
}

}  // namespace

template <class Type>
void ExampleFields::keep(const Type& type, const Fields& fields) {
  Instance& instance = instances_[std::string(type.name())].emplace_back();
  const Strided<const FieldSpec> specs = type.fields();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (fields.values[i].given) instance.emplace(specs[i].name, text_of(specs[i], fields.values[i]));
}

ExampleFields::ExampleFields(const System& system, std::string tested) : tested_(std::move(tested)) {
  const Description& model = system.description();
  for (const JointItem& item : model.joints) keep(*item.type, item.fields);
  for (const ForceItem& item : model.forces) keep(*item.type, item.fields);
  for (const ConstraintItem& item : model.constraints) keep(*item.type, item.fields);
  for (const ModuleItem& item : model.modules) keep(*item.type, item.fields);
  for (const BodyItem& item : model.bodies)
    if (item.flexible != nullptr) keep(*item.flexible, item.fields);
  for (const FlexibleNode& node : system.view().nodes) attachments_.push_back(node.point);
}

const ExampleFields::Instance* ExampleFields::pick(std::string_view type, Random& random) const {
  const auto found = instances_.find(type);
  if (found == instances_.end() || (type != tested_ && random.coin())) return nullptr;
  return &found->second[static_cast<std::size_t>(random.integer(0, static_cast<int>(found->second.size()) - 1))];
}

}  // namespace polyform::host::conformance
