#include "framework/host/reading/number_renewal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "framework/host/reading/inertia.hpp"
#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/parameters.hpp"
#include "polyform/contract/type_variants.hpp"

namespace polyform::host::inline reading {

namespace {

constexpr std::array<std::string_view, 3> mass_properties{"mass", "center_of_mass", "inertia"};
constexpr std::array<std::string_view, 2> velocities{"velocity", "angular_velocity"};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a text has the name of a parameter in it, as expressions have.
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_in_word(text[at - 1])) && (end == text.size() || !is_in_word(text[end]))) return true;
  }
  return false;
}

const Node* entry_of(const Node& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &Node::Entry::key);
  return found == map.entries.end() ? nullptr : found->value;
}

/// Fields whose values need no storage, so that they can be read as often as one likes.
bool is_plain(FieldType type) {
  return type == FieldType::number || type == FieldType::vector3 || type == FieldType::direction ||
         type == FieldType::orientation;
}

}  // namespace

NumberRenewal::NumberRenewal(const Node& root, std::span<const Node* const> varied, const Description& model,
                             const Catalog& catalog)
    : root_(root), varied_(varied.begin(), varied.end()) {
  if (entry_of(root, "include") != nullptr) return;  // other files have numbers of the same names
  find_parameters();
  for (const Node::Entry& section : root.entries) find(section.key, *section.value, model, catalog);
  is_whole_ = taken_ == varied_in(root) && model.start_row.empty() && !judges_others(model);
}

bool NumberRenewal::is_varied(const Node& node) const {
  if (std::ranges::find(varied_, &node) != varied_.end()) return true;
  return node.kind == Node::Kind::scalar &&
         std::ranges::any_of(parameters_, [&](std::string_view name) { return names(node.text, name); });
}

/// How many places of a tree change.
std::size_t NumberRenewal::varied_in(const Node& node) const {
  std::size_t count = is_varied(node) ? 1 : 0;
  for (const Node* const item : node.items) count += varied_in(*item);
  for (const Node::Entry& entry : node.entries) count += varied_in(*entry.value);
  return count;
}

/// A parameter changes with those before it that it is made of.
void NumberRenewal::find_parameters() {
  const Node* const map = entry_of(root_, "parameters");
  if (map == nullptr) return;
  for (const Node::Entry& entry : map->entries)
    if (is_varied(*entry.value)) parameters_.push_back(entry.key);
  if (parameters_.empty()) return;
  parameter_map_ = map;
  taken_ += varied_in(*map);
}

void NumberRenewal::find(std::string_view section, const Node& value, const Description& model,
                         const Catalog& catalog) {
  if (section == "gravity" && varied_in(value) > 0) {
    gravity_ = &value;
    taken_ += varied_in(value);
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Node& item = *value.items[i];
    const std::string path = fmt::format("{}[{}]", section, i);
    if (varied_in(item) == 0) continue;
    // The bodies and joints of these lists are the first ones.
    if (section == "bodies" && i < model.bodies.size()) find_bodies(item, i, 1, model);
    if (section == "joints" && i < model.joints.size()) find_joints(item, i, 1);
    if (section == "chains") find_chain(item, path, model);
    if (section == "forces") find_force(item, path, model, catalog);
  }
}

void NumberRenewal::find_bodies(const Node& entries, std::size_t first, std::size_t count, const Description& model) {
  if (count == 0 || model.bodies[first].flexible != nullptr) return;
  const auto varied_among = [&](std::span<const std::string_view> keys) {
    std::size_t number = 0;
    for (const std::string_view key : keys)
      if (const Node* const value = entry_of(entries, key)) number += varied_in(*value);
    return number;
  };
  const std::size_t moving = varied_among(velocities), found = moving + varied_among(mass_properties);
  if (found == 0) return;
  bodies_.push_back({&entries, first, count, moving > 0});
  taken_ += found;
}

void NumberRenewal::find_joints(const Node& entries, std::size_t first, std::size_t count) {
  const Node* const initial = entry_of(entries, "initial");
  const std::size_t found = initial == nullptr || count == 0 ? 0 : varied_in(*initial);
  if (found == 0) return;
  joints_.push_back({initial, first, count});
  taken_ += found;
}

void NumberRenewal::find_chain(const Node& entries, const std::string& path, const Description& model) {
  const auto range = [&](const auto& items) {
    const auto is_own = [&](const Item& item) { return item.path == path; };
    const auto first = std::ranges::find_if(items, is_own);
    return std::pair(static_cast<std::size_t>(first - items.begin()),
                     static_cast<std::size_t>(std::ranges::count_if(items, is_own)));
  };
  if (const Node* const body = entry_of(entries, "body")) {
    const auto [first, count] = range(model.bodies);
    find_bodies(*body, first, count, model);
  }
  if (const Node* const joint = entry_of(entries, "joint")) {
    const auto [first, count] = range(model.joints);
    find_joints(*joint, first, count);
  }
}

/// A force that stands for itself: not one that a formula follows, and not one whose type is chosen by its numbers.
void NumberRenewal::find_force(const Node& entries, const std::string& path, const Description& model,
                               const Catalog& catalog) {
  const Node* const named = entry_of(entries, "type");
  const ForceType* const type = named == nullptr ? nullptr : registry::find(catalog.forces, named->text);
  const auto force = std::ranges::find(model.forces, path, &ForceItem::path);
  if (force == model.forces.end() || type == nullptr || force->type != type || ask<TypeVariants>(*type) != nullptr)
    return;
  const Strided<const FieldSpec> specs = type->fields();
  for (std::size_t f = 0; f < specs.size(); ++f) {
    const std::size_t dot = specs[f].name.find('.');
    const Node* value = entry_of(entries, specs[f].name.substr(0, dot));
    if (value != nullptr && dot != std::string_view::npos) value = entry_of(*value, specs[f].name.substr(dot + 1));
    const std::size_t found = value == nullptr || !is_plain(specs[f].type) ? 0 : varied_in(*value);
    if (found == 0) continue;
    force_fields_.push_back({value, static_cast<std::size_t>(force - model.forces.begin()), f});
    taken_ += found;
  }
}

/// Whether the inertia of a body that is not read again is judged by the masses of those that are: that of a body
/// without mass, see judge_inertias().
bool NumberRenewal::judges_others(const Description& model) const {
  if (bodies_.empty()) return false;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyItem& body = model.bodies[b];
    const bool is_read = std::ranges::any_of(
        bodies_, [&](const Bodies& some) { return b >= some.first && b < some.first + some.count; });
    const Sym3& J = body.inertia;
    if (!is_read && body.mass == 0 && (J.xx != 0 || J.yy != 0 || J.zz != 0)) return true;
  }
  return false;
}

bool NumberRenewal::read(Description& model, Diagnostics& diagnostics) const {
  Report report(diagnostics, model.file);
  Scope scope;
  scope.is_model = true;
  if (parameter_map_ != nullptr) {
    read_parameter_map(Value(*parameter_map_, {}, report, &scope), scope);
    model.parameters = scope.parameters;
  } else {
    scope.parameters = model.parameters;
  }
  if (gravity_ != nullptr) {
    const std::optional<Vec3> read = read_vector3(Value(*gravity_, {}, report, &scope), "m/s²");
    if (!read) return false;
    model.gravity = *read;
  }
  if (!read_bodies(model, report, scope)) return false;
  for (const Joints& some : joints_) {
    JointItem& joint = model.joints[some.first];
    read_initial(Value(*some.initial, {}, report, &scope), joint);
    for (std::size_t j = some.first + 1; j < some.first + some.count; ++j) {
      model.joints[j].initial_position = joint.initial_position;
      model.joints[j].initial_velocity = joint.initial_velocity;
    }
  }
  if (!read_forces(model, report, scope) || report.errors() > 0) return false;
  report.finish();
  return true;
}

bool NumberRenewal::read_bodies(Description& model, Report& report, const Scope& scope) const {
  std::vector<DoubtfulInertia> doubtful;
  for (const Bodies& some : bodies_) {
    BodyItem& body = model.bodies[some.first];
    MapReader entries(Value(*some.entries, {}, report, &scope));
    const std::size_t known = doubtful.size();
    body.mass = 0;
    body.center_of_mass = {};
    body.inertia = {};
    if (some.moves) read_velocities(entries, body);
    read_mass_properties(entries, body, doubtful);
    if (doubtful.size() > known) {
      doubtful.back().first_body = some.first;
      doubtful.back().bodies = some.count;
    }
    for (std::size_t b = some.first + 1; b < some.first + some.count; ++b) {
      BodyItem& other = model.bodies[b];
      other.mass = body.mass;
      other.center_of_mass = body.center_of_mass;
      other.inertia = body.inertia;
      other.velocity = body.velocity;
      other.angular_velocity = body.angular_velocity;
    }
  }
  judge_inertias(model, doubtful, report);
  return report.errors() == 0;
}

bool NumberRenewal::read_forces(Description& model, Report& report, const Scope& scope) const {
  const Names none;
  FieldReader reader(none, model);
  for (const ForceField& one : force_fields_) {
    ForceItem& force = model.forces[one.force];
    const std::optional<FieldValue> value =
        reader.value(Value(*one.value, {}, report, &scope), force.type->fields()[one.field]);
    if (!value) return false;
    force.fields.values[one.field] = *value;
  }
  return true;
}

}  // namespace polyform::host::inline reading
