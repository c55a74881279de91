#include "framework/host/reading/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "framework/host/reading/source.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

namespace {

/// The fields of a line of a CSV; names and numbers of results have no commas and no quotes.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ') || field.ends_with('\r')) field.remove_suffix(1);
    fields.push_back(field);
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// The last row of a CSV by the names of its columns.
class LastRow {
 public:
  /// False after a report.
  bool read(std::string_view text, Report& report) {
    std::string_view header, last;
    int line = 0, last_line = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view one = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line;
      if (one.find_first_not_of(" \r\t") == std::string_view::npos) continue;
      if (header.empty()) {
        header = one;
      } else {
        last = one;
        last_line = line;
      }
    }
    if (last.empty()) {
      report.error({1, 1}, {}, "the file has a header and no row of a state", "The last row of a CSV is the state.");
      return false;
    }
    const std::vector<std::string_view> names = fields_of(header), values = fields_of(last);
    if (names.size() != values.size()) {
      report.error({last_line, 1}, {},
                   fmt::format("the last row has {} values, the header {} columns", values.size(), names.size()),
                   "Is the file whole? The last row of a CSV is the state.");
      return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) columns_.emplace(names[i], Cell{values[i], last_line});
    return true;
  }
  bool has(const std::string& name) const { return columns_.contains(name); }
  /// The number in a column; nothing after a report, or if there is no such column.
  std::optional<double> number(const std::string& name, Report& report) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) return std::nullopt;
    const std::string_view text = found->second.text;
    double x = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (problem == std::errc() && end == text.data() + text.size() && std::isfinite(x)) return x;
    report.error({found->second.line, 1}, {},
                 fmt::format("column {}: found {}, expected a finite number", show(name), show(text)),
                 "A run that failed may end with such a row: leave it out.");
    return std::nullopt;
  }
  /// The numbers in the column `<name>.q`, or in `<name>.q[0]`, `<name>.q[1]`, …; empty if there are none.
  std::vector<double> numbers(const std::string& name, Report& report) const {
    if (has(name)) {
      const auto one = number(name, report);
      return one ? std::vector<double>{*one} : std::vector<double>{};
    }
    std::vector<double> all;
    for (std::size_t k = 0; has(fmt::format("{}[{}]", name, k)); ++k)
      all.push_back(number(fmt::format("{}[{}]", name, k), report).value_or(0));
    return all;
  }

 private:
  struct Cell {
    std::string_view text;
    int line;
  };
  std::unordered_map<std::string, Cell> columns_;
};

/// Counts what the model takes from the file, to report a file that names nothing of the model.
struct Taken {
  std::size_t joints = 0, velocities = 0, bodies = 0;
};

void take_joints(const LastRow& row, Description& model, Report& report, Taken& taken) {
  for (JointItem& joint : model.joints) {
    std::vector<double> q = row.numbers(joint.name + ".q", report), v = row.numbers(joint.name + ".v", report);
    if (!q.empty() || !v.empty()) ++taken.joints;
    if (!q.empty()) joint.initial_position = std::move(q);
    if (!v.empty()) {
      joint.initial_velocity = std::move(v);
      ++taken.velocities;
    }
  }
}

/// Takes the motion of bodies that no joint holds.
void take_bodies(const LastRow& row, Description& model, Report& report, Taken& taken) {
  std::vector<bool> is_held(model.bodies.size());
  for (const JointItem& joint : model.joints)
    for (const BodyIndex b : {joint.base, joint.moving})
      if (!is_ground(b)) is_held[at(b)] = true;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    BodyItem& body = model.bodies[i];
    if (is_held[i]) continue;
    const auto all = [&](std::initializer_list<const char*> letters, double* out) {
      for (const char* letter : letters)
        if (!row.has(fmt::format("{}.{}", body.name, letter))) return false;
      for (const char* letter : letters)
        *out++ = row.number(fmt::format("{}.{}", body.name, letter), report).value_or(0);
      return true;
    };
    double p[7], v[6];
    if (!all({"x", "y", "z", "qw", "qx", "qy", "qz"}, p)) continue;
    ++taken.bodies;
    body.pose = {normalized(Quat{p[3], p[4], p[5], p[6]}), {p[0], p[1], p[2]}};
    if (!all({"vx", "vy", "vz", "wx", "wy", "wz"}, v)) continue;
    const Vec3 w{v[3], v[4], v[5]};
    const Vec3 to_center =
        body.flexible == nullptr ? rotation_matrix(body.pose.orientation) * body.center_of_mass : Vec3{};
    body.velocity = Vec3{v[0], v[1], v[2]} + cross(w, to_center);
    body.angular_velocity = w;
  }
}

/// Takes the values that `polyform equilibrium --output` writes.
void take_values(const Value& root, Description& model, Taken& taken) {
  const auto find = [](auto& items, const std::string& name) {
    return std::ranges::find_if(items, [&](const auto& item) { return item.name == name; });
  };
  MapReader map(root);
  for (const char* section : {"joints", "bodies"}) {
    const auto list = map.find(section);
    if (!list || list->node().kind != Node::Kind::list) continue;
    for (std::size_t i = 0; i < list->node().items.size(); ++i) {
      MapReader item(list->item(i));
      const auto name_value = item.require("name", "whose state it is");
      const std::optional<std::string> name = name_value ? read_text(*name_value, "a name") : std::nullopt;
      const auto initial = item.find("initial"), modes = item.find("modal_position");
      item.finish();
      if (!name) continue;
      if (initial) {
        const auto joint = find(model.joints, *name);
        MapReader values(*initial);
        const auto position = values.find("position"), velocity = values.find("velocity");
        values.finish();
        if (joint == model.joints.end()) continue;
        ++taken.joints;
        if (position) joint->initial_position = read_numbers(*position).value_or(std::vector<double>{});
        if (!velocity) continue;
        joint->initial_velocity = read_numbers(*velocity).value_or(std::vector<double>{});
        ++taken.velocities;
      }
      const auto body = modes ? find(model.bodies, *name) : model.bodies.end();
      if (body == model.bodies.end() || body->flexible == nullptr) continue;
      const Strided<const FieldSpec> specs = body->flexible->fields();
      for (std::size_t f = 0; f < specs.size(); ++f) {
        if (specs[f].name != "modal_position" || specs[f].type != FieldType::numbers) continue;
        const auto numbers = read_numbers(*modes);
        if (!numbers) continue;
        body->fields.values[f].numbers = model.numbers.emplace_back(*numbers);
        body->fields.values[f].given = true;
        ++taken.bodies;
      }
    }
  }
  map.finish();
}

/// Whether the text is a table: its first line has commas and is no YAML.
bool is_table(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  return line.find(',') != std::string_view::npos && line.find(": ") == std::string_view::npos;
}

}  // namespace

void start_from(const std::string& file, Description& model, Diagnostics& diagnostics) {
  Report report(diagnostics, file);
  Document document;
  const std::optional<std::string> text = read_source(file, report);
  Taken taken;
  if (text && text->starts_with("\x89HDF")) {
    report.error({}, {}, "the state is an HDF5 file, expected a CSV or what polyform equilibrium --output wrote",
                 "Write the results with --output FILE.csv.");
  } else if (text && is_table(*text)) {
    LastRow row;
    if (row.read(*text, report)) {
      take_joints(row, model, report, taken);
      take_bodies(row, model, report, taken);
    }
  } else if (text) {
    const DocumentKind kind{"state",
                            "A state is a CSV with columns such as pin.q and pin.v, or what polyform "
                            "equilibrium --output wrote."};
    if (const Node* const root = document.parse(*text, report, kind))
      take_values(Value(*root, {}, report), model, taken);
  }
  if (text && report.errors() == 0 && taken.joints + taken.bodies == 0) {
    std::vector<std::string_view> names;
    for (const JointItem& joint : model.joints) names.push_back(joint.name);
    report.error({}, {}, fmt::format("the file names no joint of {}", show(model.file)),
                 names.empty() ? "The model has no joints."
                               : fmt::format("It needs columns such as {0}.q and {0}.v; joints: {1}.", names.front(),
                                             listing(names)));
  }
  // The velocities of bodies in the model belong to the model's own start, which the file replaces.
  if (taken.velocities > 0 && taken.velocities == model.joints.size() && taken.bodies == 0)
    for (BodyItem& body : model.bodies) body.velocity = body.angular_velocity = std::nullopt;
  report.finish();
}

}  // namespace polyform::host::inline reading
