#include "framework/host/reading/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <optional>
#include <span>
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

std::optional<double> number_of(std::string_view text) {
  double x = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(x) : std::nullopt;
}

/// The field of a line behind so many commas.
std::string_view field_of(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    line.remove_prefix(comma + 1);
  }
  return fields_of(line.substr(0, line.find(','))).front();
}

/// One row of a CSV by the names of its columns: the last one, or the one at a time.
class Row {
 public:
  /// False after a report.
  bool read(std::string_view text, std::optional<double> at_time, Report& report) {
    std::string_view header;
    std::optional<std::size_t> clock;  // the column with the time
    Candidate taken, before, after;
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      const std::string_view one = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (one.find_first_not_of(" \r\t") == std::string_view::npos) continue;
      if (header.empty()) {
        header = one;
        const std::vector<std::string_view> names = fields_of(header);
        const auto found = std::ranges::find(names, "time");
        if (found != names.end()) clock = static_cast<std::size_t>(found - names.begin());
        continue;
      }
      const Candidate row{one, line, clock ? number_of(field_of(one, *clock)) : std::nullopt};
      if (!at_time || !clock) {
        taken = row;
      } else if (row.time) {
        constexpr double rounding = 1e-9;  // of a time that people type
        if (std::abs(*row.time - *at_time) <= rounding * std::max(1.0, std::abs(*at_time)))
          taken = row;
        else if (*row.time < *at_time && (!before.time || *row.time >= *before.time))
          before = row;
        else if (*row.time > *at_time && (!after.time || *row.time < *after.time))
          after = row;
      }
    }
    if (taken.text.empty() && (before.time || after.time)) return report_no_row(*at_time, before, after, report);
    return take(header, taken, report);
  }
  bool has(const std::string& name) const { return columns_.contains(name); }
  /// The time of the row, s, where it has one.
  std::optional<double> time() const { return time_; }
  /// All columns with finite numbers.
  std::unordered_map<std::string, double> values() const {
    std::unordered_map<std::string, double> all;
    for (const auto& [name, cell] : columns_)
      if (const auto x = number_of(cell.text); x && std::isfinite(*x)) all.emplace(name, *x);
    return all;
  }
  /// The number in a column; nothing after a report, or if there is no such column.
  std::optional<double> number(const std::string& name, Report& report) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) return std::nullopt;
    const std::string_view text = found->second.text;
    if (const auto x = number_of(text); x && std::isfinite(*x)) return x;
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
  struct Candidate {
    std::string_view text;
    int line = 0;
    std::optional<double> time;
  };
  struct Cell {
    std::string_view text;
    int line;
  };

  static bool report_no_row(double at_time, const Candidate& before, const Candidate& after, Report& report) {
    std::string nearest;
    if (before.time && after.time)
      nearest = fmt::format("the nearest are at {:.12g} s and {:.12g} s", *before.time, *after.time);
    else if (before.time)
      nearest = fmt::format("the last is at {:.12g} s", *before.time);
    else
      nearest = fmt::format("the first is at {:.12g} s", *after.time);
    report.error({(before.time ? before : after).line, 1}, {},
                 fmt::format("there is no row at t = {:.12g} s: {}", at_time, nearest),
                 "Give --at-time the time of a row, or write rows there with --output-interval.");
    return false;
  }
  bool take(std::string_view header, const Candidate& row, Report& report) {
    if (row.text.empty()) {
      report.error({1, 1}, {}, "the file has a header and no row of a state", "A row of a CSV is the state.");
      return false;
    }
    const std::vector<std::string_view> names = fields_of(header), values = fields_of(row.text);
    if (names.size() != values.size()) {
      report.error({row.line, 1}, {},
                   fmt::format("the row has {} values, the header {} columns", values.size(), names.size()),
                   "Is the file whole? A row of the CSV is the state.");
      return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) columns_.emplace(names[i], Cell{values[i], row.line});
    time_ = row.time;
    return true;
  }

  std::unordered_map<std::string, Cell> columns_;
  std::optional<double> time_;
};

/// Counts what the model takes from the file, to report a file that names nothing of the model.
struct Taken {
  std::size_t joints = 0, velocities = 0, bodies = 0;
};

void take_joints(const Row& row, Description& model, Report& report, Taken& taken) {
  for (JointItem& joint : model.joints) {
    std::vector<double> q = row.numbers(joint.name + ".q", report), v = row.numbers(joint.name + ".v", report);
    if (!q.empty() || !v.empty()) ++taken.joints;
    if (!q.empty()) joint.initial_position = std::move(q);
    if (!v.empty()) {
      joint.initial_velocity = std::move(v);
      joint.starts_from_state = true;
      ++taken.velocities;
    }
  }
}

/// Bodies that hang on ground, by one joint or by several in a row.
std::vector<bool> bodies_on_ground(const Description& model) {
  const std::size_t ground = model.bodies.size();
  boost::disjoint_sets_with_storage<> tied(ground + 1);
  const auto number = [&](BodyIndex b) { return is_ground(b) ? ground : at(b); };
  for (const JointItem& joint : model.joints) tied.union_set(number(joint.base), number(joint.moving));
  std::vector<bool> held(model.bodies.size());
  for (std::size_t b = 0; b < held.size(); ++b) held[b] = tied.find_set(b) == tied.find_set(ground);
  return held;
}

/// Lets a body start with its frame at x, y, z, qw, qx, qy, qz. What is drawn stays as the model says.
void place(BodyItem& body, std::span<const double> p, Taken& taken) {
  ++taken.bodies;
  body.start = BodyStart{{normalized(Quat{p[3], p[4], p[5], p[6]}), {p[0], p[1], p[2]}}, std::nullopt};
}
/// Lets it move with vx, vy, vz, wx, wy, wz, in place of what the model says.
void move(BodyItem& body, std::span<const double> v) {
  body.start->velocity = Spatial{{v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
  body.velocity = body.angular_velocity = std::nullopt;
}

/// Takes the motion of bodies that no joint ties to ground.
void take_bodies(const Row& row, Description& model, Report& report, Taken& taken) {
  const std::vector<bool> is_held = bodies_on_ground(model);
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
    place(body, p, taken);
    if (all({"vx", "vy", "vz", "wx", "wy", "wz"}, v)) move(body, v);
  }
}

/// Takes the same for one body, where no joint ties it to ground.
void take_body(const Value& initial, Description& model, const std::string& name, Taken& taken) {
  MapReader values(initial);
  const auto position = values.require("position", "x, y, z, qw, qx, qy, qz");
  const auto velocity = values.find("velocity");
  values.finish();
  const auto read = [](const std::optional<Value>& given, std::size_t count) {
    auto numbers = given ? read_numbers(*given) : std::nullopt;
    if (numbers && numbers->size() != count) {
      given->unexpected(fmt::format("{} numbers", count));
      numbers.reset();
    }
    return numbers;
  };
  const auto p = read(position, 7), v = read(velocity, 6);
  const auto body = std::ranges::find(model.bodies, name, &BodyItem::name);
  if (!p || body == model.bodies.end()) return;
  if (bodies_on_ground(model)[static_cast<std::size_t>(body - model.bodies.begin())]) return;
  place(*body, *p, taken);
  if (v) move(*body, *v);
}

/// Takes the states of elements and signals, as a row would have them by the names of their columns.
void take_states(const Value& list, Description& model) {
  if (list.node().kind != Node::Kind::list) return list.unexpected("a list of names and values");
  for (std::size_t i = 0; i < list.node().items.size(); ++i) {
    const Value one = list.item(i);
    MapReader item(one);
    const auto name_value = item.require("name", "whose state it is"), number = item.require("value", "a number");
    item.finish();
    if (!name_value || !number) continue;
    const std::optional<std::string> name = read_text(*name_value, "a name");
    const std::optional<double> value = read_number(*number);
    if (name && value) model.start_row.insert_or_assign(*name, *value);
  }
}

/// Takes the values that `polyform equilibrium --output` writes.
void take_values(const Value& root, Description& model, Taken& taken) {
  const auto find = [](auto& items, const std::string& name) {
    return std::ranges::find_if(items, [&](const auto& item) { return item.name == name; });
  };
  MapReader map(root);
  constexpr std::string_view bodies = "bodies";
  for (const std::string_view section : {std::string_view("joints"), bodies}) {
    const auto list = map.find(section);
    if (!list || list->node().kind != Node::Kind::list) continue;
    for (std::size_t i = 0; i < list->node().items.size(); ++i) {
      MapReader item(list->item(i));
      const auto name_value = item.require("name", "whose state it is");
      const std::optional<std::string> name = name_value ? read_text(*name_value, "a name") : std::nullopt;
      const auto initial = item.find("initial"), modes = item.find("modal_position");
      item.finish();
      if (!name) continue;
      if (initial && section == bodies) {
        take_body(*initial, model, *name, taken);
      } else if (initial) {
        const auto joint = find(model.joints, *name);
        MapReader values(*initial);
        const auto position = values.find("position"), velocity = values.find("velocity");
        values.finish();
        if (joint == model.joints.end()) continue;
        ++taken.joints;
        if (position) joint->initial_position = read_numbers(*position).value_or(std::vector<double>{});
        if (!velocity) continue;
        joint->initial_velocity = read_numbers(*velocity).value_or(std::vector<double>{});
        joint->starts_from_state = true;
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
  if (const auto states = map.find("states")) take_states(*states, model);
  map.finish();
}

/// Whether the text is a table: its first line is a header with commas, or the name of a single column. YAML has a colon
/// behind a key, or a brace or hyphen before one.
bool is_table(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty() || line.back() == ':' || line.find(": ") != std::string_view::npos) return false;
  if (line.find(',') != std::string_view::npos) return true;
  return std::string_view("#-{[%&!").find(line.front()) == std::string_view::npos;
}

/// Takes all that a row has; what it lacks stays.
void take_row(const Row& row, Description& model, Report& report, Taken& taken) {
  take_joints(row, model, report, taken);
  take_bodies(row, model, report, taken);
  std::unordered_map<std::string, double> values = row.values();
  values.merge(model.start_row);
  model.start_row = std::move(values);
}

/// The velocities of bodies in the model belong to the model's own start. They go where all joints have been given theirs.
void drop_velocities_of_bodies(Description& model, const Taken& taken) {
  if (taken.velocities == 0 || taken.velocities != model.joints.size() || taken.bodies > 0) return;
  for (BodyItem& body : model.bodies) body.velocity = body.angular_velocity = std::nullopt;
}

}  // namespace

void start_from_text(std::string_view text, const std::string& file, std::optional<double> at_time, Description& model,
                     Diagnostics& diagnostics) {
  Report report(diagnostics, file);
  Document document;
  Taken taken;
  if (is_table(text)) {
    Row row;
    if (row.read(text, at_time, report)) {
      take_row(row, model, report, taken);
      // The row's own time has the digits that its states belong to.
      if (at_time && row.time()) at_time = row.time();
    }
  } else {
    const DocumentKind kind{"state",
                            "A state is a row of results with columns such as pin.q and pin.v, or what polyform "
                            "equilibrium --output wrote."};
    if (const Node* const root = document.parse(text, report, kind))
      take_values(Value(*root, {}, report), model, taken);
  }
  const bool has_states_alone = model.joints.empty() && !model.start_row.empty();
  if (report.errors() == 0 && taken.joints + taken.bodies == 0 && !has_states_alone) {
    std::vector<std::string_view> names;
    for (const JointItem& joint : model.joints) names.push_back(joint.name);
    report.error({}, {}, fmt::format("the file names no joint of {}", show(model.file)),
                 names.empty() ? "The model has no joints."
                               : fmt::format("It needs columns such as {0}.q and {0}.v; joints: {1}.", names.front(),
                                             listing(names)));
  }
  drop_velocities_of_bodies(model, taken);
  model.start_time = at_time.value_or(0);
  report.finish();
}

void start_from_values(const std::map<std::string, double>& values, Description& model, Diagnostics& diagnostics) {
  if (values.empty()) return;
  std::string names, numbers;
  for (const auto& [name, value] : values) {
    names += (names.empty() ? "" : ",") + name;
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", value);
  }
  Report report(diagnostics, model.file);
  Row row;
  Taken taken;
  const std::string text = names + '\n' + numbers + '\n';
  if (row.read(text, std::nullopt, report)) take_row(row, model, report, taken);
  drop_velocities_of_bodies(model, taken);
  report.finish();
}

void start_from(const std::string& file, std::optional<double> at_time, Description& model,
                Diagnostics& diagnostics) {
  Report report(diagnostics, file);
  const std::optional<std::string> text = read_source(file, report);
  report.finish();
  if (text) start_from_text(*text, file, at_time, model, diagnostics);
}

}  // namespace polyform::host::inline reading
