// The entry `contacts`: one force between each two of many bodies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "framework/host/reading/model_reader.hpp"
#include "polyform/contract/body_pairs.hpp"

namespace polyform::host::inline reading {

namespace {

using Pair = std::pair<BodyIndex, BodyIndex>;

/// The same for both orders.
Pair ordered(BodyIndex a, BodyIndex b) { return std::minmax(a, b); }

/// The type that is named, or the only one between pairs of bodies; nullptr after a report.
const ForceType* pair_type(Reading& r, MapReader& map) {
  std::vector<std::string_view> known;
  const ForceType* only = nullptr;
  for (const auto& [name, type] : r.catalog.forces)
    if (ask<BodyPairs>(*type) != nullptr) {
      known.push_back(name);
      only = type;
    }
  if (const auto given = map.find("type")) {
    const ForceType* const type = find_type(*given, r.catalog.forces, "force");
    if (type == nullptr || ask<BodyPairs>(*type) != nullptr) return type;
    given->error(fmt::format("force type {} does not act between the surfaces of bodies", show(type->name())),
                 known.empty() ? "" : fmt::format("These do: {}.", listing(known)));
    return nullptr;
  }
  if (known.size() == 1) return only;
  if (known.empty())
    map.value().report().missing_plugin(
        map.value().place(), map.value().path(), "no loaded plugin offers a force between the surfaces of bodies",
        "See 'polyform plugins' for what is loaded, and check --plugin-path and POLYFORM_PLUGIN_PATH.");
  else
    map.report_missing("type", "which force acts", fmt::format("Name one of {}.", listing(known)));
  return nullptr;
}

bool has_geometry(const Description& model, BodyIndex body) {
  return !(is_ground(body) ? model.ground_geometry : model.bodies[at(body)].geometry).empty();
}

std::string_view name_of(const Description& model, BodyIndex body) {
  return is_ground(body) ? std::string_view("ground") : std::string_view(model.bodies[at(body)].name);
}

/// What `all` or `bodies` names; nothing after a report.
std::vector<BodyIndex> chosen_bodies(Reading& r, MapReader& map) {
  std::vector<BodyIndex> bodies;
  const auto all = map.find("all"), named = map.find("bodies");
  if (all && named) {
    named->error("'contacts' gives 'all' and 'bodies'", "Keep one of them.");
    return bodies;
  }
  if (named) {
    for (std::size_t i = 0; is_list(*named, "names of bodies") && i < named->node().items.size(); ++i) {
      const Value item = named->item(i);
      const std::optional<BodyIndex> body = read_body(item, r.names);
      if (!body) continue;
      if (!has_geometry(r.model, *body))
        item.error(fmt::format("{} has no geometry that could touch", show(name_of(r.model, *body))),
                   is_ground(*body) ? "Add 'ground: {geometry: [...]}' to the model."
                                    : "Add 'geometry' to the body, or leave it out here.");
      bodies.push_back(*body);
    }
    return bodies;
  }
  if (!all || !read_boolean(*all).value_or(true)) {
    if (!all) map.report_missing("all", "or 'bodies', between which contacts are", "Write 'all: true'.");
    return bodies;
  }
  if (has_geometry(r.model, BodyIndex::ground)) bodies.push_back(BodyIndex::ground);
  for (std::size_t b = 0; b < r.model.bodies.size(); ++b)
    if (has_geometry(r.model, body_index(b))) bodies.push_back(body_index(b));
  if (bodies.size() < 2)
    all->warning("there are no two bodies with geometry: nothing touches", "Add 'geometry' to the bodies.");
  return bodies;
}

/// Pairs of bodies that a joint connects, and those under `except`. What a joint connects to ground can touch it: a ball
/// in flight, a robot on its base.
std::set<Pair> omitted_pairs(Reading& r, MapReader& map) {
  std::set<Pair> omitted;
  for (const JointItem& joint : r.model.joints)
    if (!is_ground(joint.base) && !is_ground(joint.moving)) omitted.insert(ordered(joint.base, joint.moving));
  const auto except = map.find("except");
  for (std::size_t i = 0; except && is_list(*except, "pairs of bodies") && i < except->node().items.size(); ++i) {
    const Value pair = except->item(i);
    if (pair.node().kind != Node::Kind::list || pair.node().items.size() != 2) {
      pair.unexpected("a pair of bodies, [name, name]");
      continue;
    }
    const auto a = read_body(pair.item(0), r.names), b = read_body(pair.item(1), r.names);
    if (a && b) omitted.insert(ordered(*a, *b));
  }
  return omitted;
}

void set_body(Fields& fields, Strided<const FieldSpec> specs, std::string_view field, BodyIndex body) {
  for (std::size_t f = 0; f < specs.size(); ++f)
    if (specs[f].name == field) {
      fields.values[f].given = true;
      fields.values[f].body = body;
    }
}

}  // namespace

void read_contacts(Reading& r, const Value& value) {
  MapReader map(value);
  if (!map.is_map()) return;
  const std::size_t errors = r.report.errors();
  const ForceType* const type = pair_type(r, map);
  std::string prefix{type != nullptr ? type->name() : std::string_view{}};
  if (const auto name = map.find("name")) prefix = read_name(*name).value_or(prefix);
  const std::vector<BodyIndex> bodies = chosen_bodies(r, map);
  const std::set<Pair> omitted = omitted_pairs(r, map);
  if (type == nullptr) return;
  const BodyPairs& pairs = *ask<BodyPairs>(*type);
  const std::array provided{pairs.first_field(), pairs.second_field()};
  Fields fields = r.fields.read(map, type->fields(), provided);
  map.finish();
  if (r.report.errors() > errors) return;
  const std::size_t most = items_in_memory(sizeof(ForceItem) + fields.values.size() * sizeof(FieldValue));
  if (bodies.size() > 1 && (bodies.size() - 1) / 2 > most / bodies.size()) {
    value.error(fmt::format("{} bodies make more pairs than this computer can hold", bodies.size()),
                "Name fewer of them under 'bodies'.");
    return;
  }
  std::set<std::string_view> taken;
  for (const ForceItem& force : r.model.forces) taken.insert(force.name);
  std::set<Pair> done;
  std::vector<ForceItem> made;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const Pair pair = ordered(bodies[i], bodies[j]);
      if (pair.first == pair.second || omitted.contains(pair) || !done.insert(pair).second) continue;
      // Ground is the second of a pair: columns are called <name>.<body>.ground.
      const auto [a, b] = is_ground(bodies[i]) ? Pair{bodies[j], bodies[i]} : Pair{bodies[i], bodies[j]};
      ForceItem& item = made.emplace_back();
      item.name = fmt::format("{}.{}.{}", prefix, name_of(r.model, a), name_of(r.model, b));
      item.path = value.path().text();
      item.place = value.model_place();
      item.type = type_of(*type, fields);
      item.fields = fields;
      set_body(item.fields, type->fields(), pairs.first_field(), a);
      set_body(item.fields, type->fields(), pairs.second_field(), b);
      if (taken.contains(item.name))
        value.error(fmt::format("a force has the name of a contact, {}", show(item.name)),
                    "Rename the force, or give 'contacts' another 'name'.");
    }
  std::ranges::move(made, std::back_inserter(r.model.forces));
}

}  // namespace polyform::host::reading
