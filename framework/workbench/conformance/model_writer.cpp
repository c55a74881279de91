#include "framework/workbench/conformance/model_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace polyform::host::inline conformance {

namespace {

/// The size of a usual value.
double size_of(const FieldSpec& field) { return field.typical > 0 ? field.typical : 1; }

std::string text_of(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

}  // namespace

std::string ModelWriter::body() {
  // The third principal moment lies between |a − b| and a + b, as a real body's does.
  const double a = random_.uniform(0.05, 0.2), b = random_.uniform(0.05, 0.2),
               c = std::abs(a - b) + random_.uniform(0.1, 1.9) * std::min(a, b);
  return fmt::format("mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}", random_.uniform(0.5, 3),
                     text_of(random_.vector(0.2)), a, b, c);
}

std::string ModelWriter::add_body() { return add_rigid_body(body()); }

std::string ModelWriter::add_massless_body() {
  return add_rigid_body("mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}");
}

std::string ModelWriter::add_rigid_body(const std::string& inertia) {
  const std::string name = fmt::format("b{}", bodies_.size());
  body_lines_ += fmt::format(
      "  - {{name: {}, position: {}, orientation: {{rpy: {}}}, {}, geometry: [{{type: sphere, radius: 0.6}}]}}\n", name,
      text_of(random_.vector(1)), text_of(random_.vector(3)), inertia);
  bodies_.push_back(name);
  return name;
}

std::string ModelWriter::add_flexible_body(std::string_view type, Strided<const FieldSpec> fields) {
  const std::string name = fmt::format("b{}", bodies_.size());
  bodies_.push_back(name);
  body_lines_ += fmt::format("  - {{name: {}, type: {}, {}{}}}\n", name, type, body(), entries(type, fields));
  return name;
}

Vec3 ModelWriter::attachment() {
  const std::vector<Vec3>& known = examples_.attachments();
  const int pick = random_.integer(0, static_cast<int>(known.size()));
  return pick == 0 ? Vec3{} : known[static_cast<std::size_t>(pick - 1)];
}

void ModelWriter::add_joint(std::string_view name, std::string_view type, Strided<const FieldSpec> fields,
                            std::string_view base, std::string_view moving, std::string_view extra,
                            const std::optional<Vec3>& position) {
  joint_lines_ += fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}{}{}}}\n", name, type, base, moving,
                              entries(type, fields, position), extra);
  joints_.emplace_back(name);
}

void ModelWriter::repeat_joint(std::string_view name) {
  const std::size_t line = joint_lines_.rfind("  - {name: ");
  const std::string rest = joint_lines_.substr(joint_lines_.find(',', line));
  joint_lines_ += fmt::format("  - {{name: {}{}", name, rest);
  joints_.emplace_back(name);
}

void ModelWriter::add_element(std::string_view section, std::string_view name, std::string_view type,
                              Strided<const FieldSpec> fields) {
  const std::string all = entries(type, fields);
  lines_of(section) += fmt::format("  - {{name: {}, type: {}{}}}\n", name, type, all);
}

void ModelWriter::add_rows_by_formulas(std::string_view name, std::string_view type, Strided<const FieldSpec> fields,
                                       const RowsByFormulas& rows) {
  using Level = RowsByFormulas::Level;
  std::vector<std::size_t> of_rows;
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (rows.level(f) != Level::none) of_rows.push_back(f);
  const int always = of_rows.empty() ? 0 : random_.integer(0, static_cast<int>(of_rows.size()) - 1);
  std::string all;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const bool of_row = rows.level(f) != Level::none;
    const bool written =
        of_row ? f == of_rows[static_cast<std::size_t>(always)] || random_.integer(0, 3) == 0 : is_given(fields[f]);
    if (!written) continue;
    const std::string text = of_row ? formula(rows.level(f)) : value(fields[f]);
    if (!text.empty()) all += fmt::format(", {}: {}", fields[f].name, text);
  }
  constraint_lines_ += fmt::format("  - {{name: {}, type: {}{}}}\n", name, type, all);
}

/// A row: nonlinear in velocities, or linear in accelerations with factors that velocities and positions change.
std::string ModelWriter::formula(RowsByFormulas::Level level) {
  const auto of_body = [&](const std::vector<std::string_view>& inputs) {
    return fmt::format("{}({})", inputs[static_cast<std::size_t>(random_.integer(0, 2))],
                       bodies_[static_cast<std::size_t>(random_.integer(0, static_cast<int>(bodies_.size()) - 1))]);
  };
  const std::vector<std::string_view> x{"x", "y", "z"}, v{"vx", "vy", "vz"}, w{"wx", "wy", "wz"}, a{"ax", "ay", "az"},
      dw{"dwx", "dwy", "dwz"};
  const auto c = [&](double size) { return fmt::format("({})", random_.uniform(-size, size)); };
  constexpr auto row = "{{expression: \"{}*(1 + 0.2*sin({})) + {}*{} + {}*{}*{} + {}*cos(t)\"}}";
  if (level == RowsByFormulas::Level::acceleration)
    return fmt::format(row, of_body(a), of_body(x), c(0.2), of_body(dw), c(1), of_body(v), of_body(w), c(1));
  return fmt::format(row, of_body(v), of_body(x), c(0.3), of_body(w), c(0.2), of_body(v), of_body(v), c(1));
}

void ModelWriter::remove_last_element(std::string_view section) {
  std::string& lines = lines_of(section);
  lines.resize(lines.rfind("  - {name: "));
}

std::string& ModelWriter::lines_of(std::string_view section) {
  return section == "forces" ? force_lines_ : section == "modules" ? module_lines_ : constraint_lines_;
}

std::string ModelWriter::text() const {
  std::string all =
      fmt::format("polyform: 1\nname: random model\ngravity: {}\nbodies:\n{}", text_of(gravity_), body_lines_);
  const auto section = [&](std::string_view key, const std::string& lines) {
    if (!lines.empty()) all += fmt::format("{}:\n{}", key, lines);
  };
  section("joints", joint_lines_);
  section("forces", force_lines_);
  section("constraints", constraint_lines_);
  section("modules", module_lines_);
  return all;
}

/// ", name: value" of the fields that the example gives, or of all required ones and of some of the others.
std::string ModelWriter::entries(std::string_view type, Strided<const FieldSpec> fields,
                                 const std::optional<Vec3>& position) {
  const ExampleFields::Instance* const example = examples_.pick(type, random_);
  // Lists of one instance belong together: one entry per coordinate of a joint, or per component of a vector.
  list_size_ = random_.coin() ? 0 : random_.coin() ? 3 : random_.integer(1, 6);
  std::string all;
  std::map<std::string_view, std::string> groups;  // of fields `group.name`
  for (const FieldSpec& field : fields) {
    std::string text;
    if (position && field.name == "position") {
      text = text_of(*position);
    } else if (example != nullptr) {
      const auto given = example->find(field.name);
      if (given == example->end()) continue;
      text = given->second.empty() ? value(field) : given->second;
    } else if (is_given(field)) {
      text = value(field);
    }
    if (text.empty()) {
      lacks_a_field_ |= field.required;
      continue;
    }
    const std::size_t dot = field.name.find('.');
    std::string& entries = dot == std::string_view::npos ? all : groups[field.name.substr(0, dot)];
    entries += fmt::format(", {}: {}", field.name.substr(dot == std::string_view::npos ? 0 : dot + 1), text);
  }
  for (const auto& [group, entries] : groups) all += fmt::format(", {}: {{{}}}", group, entries.substr(2));
  return all;
}

/// Numbers stay near the usual value that the type tells, or near 1, where nothing is extreme (an SI value of a small
/// laboratory model), and within the range in which the type's model holds.
std::string ModelWriter::number(const FieldSpec& field) {
  const double minimum = std::max(field.minimum, field.valid_minimum),
               maximum = std::min(field.maximum, field.valid_maximum), size = size_of(field);
  const bool below = std::isfinite(minimum), above = std::isfinite(maximum);
  double x = random_.uniform(0.2, 2) * size;
  if (below && above)
    x = maximum - minimum <= 4 * size ? random_.uniform(minimum, maximum) : std::clamp(minimum + x, minimum, maximum);
  else if (below)
    x = minimum < 0 ? random_.uniform(minimum, minimum + 2 * size) : minimum + x;
  else if (above)
    x = maximum > 0 ? std::min(x, maximum) * (random_.coin() ? 1 : -1) : maximum - x;
  else if (random_.coin())
    x = -x;
  return fmt::format("{}", x);
}

std::string ModelWriter::integer(const FieldSpec& field) {
  const double least = std::isfinite(field.minimum) ? std::ceil(field.minimum) : 0;
  const double most = std::min(least + 3, field.maximum);
  return fmt::format("{:.0f}", std::floor(random_.uniform(least, most + 0.999)));
}

std::string ModelWriter::function(const FieldSpec& field) {
  if (random_.coin()) return number(field);
  return fmt::format("{{sine: {{amplitude: {}, frequency: {}, phase: {}}}}}", number(field), random_.uniform(0.1, 0.5),
                     random_.uniform(-1, 1));
}

template <class Entry>
std::string ModelWriter::list(Entry entry) {
  if (list_size_ == 0) return entry();
  std::string all;
  for (int i = 0; i < list_size_; ++i) all += (i == 0 ? "" : ", ") + entry();
  return "[" + all + "]";
}

/// Empty if nothing is known to write: then the model is read without the field.
std::string ModelWriter::value(const FieldSpec& field) {
  const auto any_of = [&](const std::vector<std::string>& names) {
    return names.empty() ? std::string()
                         : names[static_cast<std::size_t>(random_.integer(0, static_cast<int>(names.size()) - 1))];
  };
  const auto marker = [&] {
    return fmt::format("{{body: {}, point: {}}}", random_.integer(0, 3) == 0 ? "ground" : any_of(bodies_),
                       text_of(random_.vector(0.3 * size_of(field))));
  };
  const auto several = [&](const auto& one) {
    std::string all = one();
    if (all.empty()) return all;
    for (int more = random_.integer(0, 3); more > 0; --more) all += ", " + one();
    return "[" + all + "]";
  };
  switch (field.type) {
    case FieldType::number: return number(field);
    case FieldType::integer: return integer(field);
    case FieldType::boolean: return random_.coin() ? "true" : "false";
    case FieldType::text: return std::string(field.default_text);
    case FieldType::choice:
      return std::string(
          field.choices[static_cast<std::size_t>(random_.integer(0, static_cast<int>(field.choices.size()) - 1))]);
    case FieldType::vector3: return text_of(random_.vector(size_of(field)));
    case FieldType::direction: return text_of(random_.direction());
    case FieldType::orientation: return fmt::format("{{rpy: {}}}", text_of(random_.vector(3)));
    case FieldType::numbers: return list([&] { return number(field); });
    case FieldType::matrix: return field.required ? "[[1]]" : std::string();
    case FieldType::time_function: return function(field);
    case FieldType::time_functions: return list([&] { return function(field); });
    case FieldType::body: return any_of(bodies_);
    case FieldType::marker: return marker();
    case FieldType::joint: return any_of(joints_);
    case FieldType::bodies: return several([&] { return any_of(bodies_); });
    case FieldType::markers: return several(marker);
    case FieldType::joints: return several([&] { return any_of(joints_); });
  }
  return {};
}

}  // namespace polyform::host::conformance
