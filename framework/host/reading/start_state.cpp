#include "framework/host/reading/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <optional>
#include <span>

#include "framework/host/reading/model_start.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/host/reading/state_row.hpp"
#include "framework/host/reading/unit_quaternion.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

namespace {

/// Counts what the model takes from the file, to report a file that names nothing of the model.
struct Taken {
  std::size_t joints = 0, velocities = 0, bodies = 0;
};

void take_joints(const StateRow& row, Description& model, Report& report, Taken& taken) {
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

/// Whether the last four of x, y, z, qw, qx, qy, qz are a unit quaternion, to the digits that a file may have.
bool is_unit(std::span<const double> p) { return std::abs(norm(Quat{p[3], p[4], p[5], p[6]}) - 1) <= unit_quaternion; }
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
void take_bodies(const StateRow& row, Description& model, Report& report, Taken& taken) {
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
    if (!is_unit(p)) {
      report.error(row.place(), {}, fmt::format("{}.qw to {}.qz are no unit quaternion", body.name, body.name),
                   "Rows that polyform has written have a length of 1.");
      continue;
    }
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
  if (!is_unit(*p)) return position->unexpected("x, y, z and a unit quaternion");
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

/// Takes the modal coordinates of a flexible body, or their rates, for the field of this name.
void take_modes(const Value& modes, std::string_view field, Description& model, BodyItem& body, Taken& taken) {
  const Strided<const FieldSpec> specs = body.flexible->fields();
  for (std::size_t f = 0; f < specs.size(); ++f) {
    if (specs[f].name != field || specs[f].type != FieldType::numbers) continue;
    const auto numbers = read_numbers(modes);
    if (!numbers) continue;
    body.fields.values[f].numbers = model.numbers.emplace_back(*numbers);
    body.fields.values[f].given = true;
    ++taken.bodies;
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
      const auto initial = item.find("initial"), modes = item.find("modal_position"),
                 rates = item.find("modal_velocity");
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
      const auto body = find(model.bodies, *name);
      if (body == model.bodies.end() || body->flexible == nullptr) continue;
      if (modes) take_modes(*modes, "modal_position", model, *body, taken);
      if (rates) take_modes(*rates, "modal_velocity", model, *body, taken);
    }
  }
  if (const auto states = map.find("states")) take_states(*states, model);
  map.finish();
}

/// Whether the text is a table: its first line that is no comment is a header with commas, or the name of a single
/// column. YAML has a colon behind a key, or a brace or hyphen before one.
bool is_table(std::string_view text) {
  while (is_comment(text.substr(0, text.find('\n'))) && text.find('\n') != std::string_view::npos)
    text.remove_prefix(text.find('\n') + 1);
  std::string_view line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty() || line.back() == ':' || line.find(": ") != std::string_view::npos) return false;
  if (line.find(',') != std::string_view::npos) return true;
  return std::string_view("#-{[%&!").find(line.front()) == std::string_view::npos;
}

/// Takes all that a row has; what it lacks stays.
void take_row(const StateRow& row, Description& model, Report& report, Taken& taken) {
  take_joints(row, model, report, taken);
  take_bodies(row, model, report, taken);
  std::unordered_map<std::string, double> values = row.values();
  values.merge(model.start_row);
  model.start_row = std::move(values);
}

/// The velocities of bodies in the model belong to the model's own start. They go where all joints have been given
/// theirs.
void drop_velocities_of_bodies(Description& model, const Taken& taken) {
  if (taken.velocities == 0 || taken.velocities != model.joints.size() || taken.bodies > 0) return;
  for (BodyItem& body : model.bodies) body.velocity = body.angular_velocity = std::nullopt;
}

}  // namespace

void start_from_text(std::string_view text, const std::string& file, std::optional<double> at_time, Description& model,
                     Diagnostics& diagnostics) {
  keep_own_start(model);
  Report report(diagnostics, file);
  Document document;
  Taken taken;
  if (is_table(text)) {
    StateRow row;
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
  keep_own_start(model);
  std::string names, numbers;
  for (const auto& [name, value] : values) {
    names += (names.empty() ? "" : ",") + name;
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", value);
  }
  Report report(diagnostics, model.file);
  StateRow row;
  Taken taken;
  const std::string text = names + '\n' + numbers + '\n';
  if (row.read(text, std::nullopt, report)) take_row(row, model, report, taken);
  drop_velocities_of_bodies(model, taken);
  report.finish();
}

void start_from(const std::string& file, std::optional<double> at_time, Description& model, Diagnostics& diagnostics) {
  Report report(diagnostics, file);
  const std::optional<std::string> text = read_source(file, report);
  report.finish();
  if (text) start_from_text(*text, file, at_time, model, diagnostics);
}

}  // namespace polyform::host::inline reading
