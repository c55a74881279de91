// The entry `contacts`: forces between the surfaces of many bodies, one for each two of them or one for all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "framework/host/reading/body_group_names.hpp"
#include "polyform/contract/body_groups.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/near_rows.hpp"
#include "polyform/helpers/triangle_mesh.hpp"

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

/// What touches what.
struct Choice {
  std::vector<BodyIndex> bodies;
  std::vector<double> sides;  ///< per body; empty: each touches each
  bool may_touch(std::size_t i, std::size_t j) const {
    if (sides.empty()) return true;
    const auto has = [this](std::size_t k, unsigned side) { return (static_cast<unsigned>(sides[k]) & side) != 0; };
    return (has(i, 1) && has(j, 2)) || (has(i, 2) && has(j, 1));
  }
};

/// True after a report.
bool lacks_geometry(const Reading& r, const Value& place, BodyIndex body) {
  if (has_geometry(r.model, body)) return false;
  const bool drawn = !(is_ground(body) ? r.model.ground_pictures : r.model.bodies[at(body)].pictures).empty();
  place.error(fmt::format("{} has no geometry that could touch", show(name_of(r.model, body))),
              drawn             ? "Its shapes are all 'visual', drawn alone: add one without that key."
              : is_ground(body) ? "Add 'ground: {geometry: [...]}' to the model."
                                : "Add 'geometry' to the body, or leave it out here.");
  return true;
}

/// Two groups, or bodies.
Choice between(const Reading& r, const BodyGroupNames& groups, const Value& value) {
  Choice choice;
  if (value.node().kind != Node::Kind::list || value.node().items.size() != 2) {
    value.unexpected("two groups or bodies, [name, name]");
    return choice;
  }
  std::map<BodyIndex, unsigned> sides;
  for (std::size_t k = 0; k < 2; ++k)
    for (const BodyIndex body : groups.bodies_of_list(value.item(k)))
      if (!lacks_geometry(r, value.item(k), body)) sides[body] |= 1U << k;
  for (const auto& [body, side] : sides) {
    choice.bodies.push_back(body);
    choice.sides.push_back(side);
  }
  if (choice.bodies.size() == 1)
    value.warning("there is one body on both sides, and it does not touch itself", "Name another one on one side.");
  return choice;
}

/// What `all`, `bodies` or `between` names; nothing after a report.
Choice chosen_bodies(Reading& r, const BodyGroupNames& groups, MapReader& map) {
  Choice choice;
  const auto all = map.find("all"), named = map.find("bodies"), two = map.find("between");
  if ((all && named) || (all && two) || (named && two)) {
    (named ? *named : *two)
        .error(all && named ? "'contacts' gives 'all' and 'bodies'"
                            : fmt::format("'contacts' gives '{}' and 'between'", all ? "all" : "bodies"),
               "Keep one of them.");
    return choice;
  }
  if (two) return between(r, groups, *two);
  if (named) {
    std::set<BodyIndex> known;
    for (std::size_t i = 0; is_list(*named, "names of bodies") && i < named->node().items.size(); ++i)
      for (const BodyIndex body : groups.bodies_of(named->item(i))) {
        lacks_geometry(r, named->item(i), body);
        if (known.insert(body).second) choice.bodies.push_back(body);
      }
    if (choice.bodies.size() == 1)
      named->warning(
          "there is one body here, and no other that it touches: 'bodies' are those between which contacts are",
          "Name another one too, such as ground; or give 'between: [[...], [...]]'.");
    return choice;
  }
  if (!all || !read_boolean(*all).value_or(true)) {
    if (!all) map.report_missing("all", "or 'bodies' or 'between', between which contacts are", "Write 'all: true'.");
    return choice;
  }
  if (has_geometry(r.model, BodyIndex::ground)) choice.bodies.push_back(BodyIndex::ground);
  for (std::size_t b = 0; b < r.model.bodies.size(); ++b)
    if (has_geometry(r.model, body_index(b))) choice.bodies.push_back(body_index(b));
  if (choice.bodies.size() < 2)
    all->warning("there are no two bodies with geometry: nothing touches", "Add 'geometry' to the bodies.");
  return choice;
}

/// Pairs of bodies that a joint connects, and those under `except`. What a joint connects to ground can touch it: a
/// ball in flight, a robot on its base.
std::set<Pair> omitted_pairs(Reading& r, const BodyGroupNames& groups, MapReader& map) {
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
    for (const BodyIndex a : groups.bodies_of(pair.item(0)))
      for (const BodyIndex b : groups.bodies_of(pair.item(1))) omitted.insert(ordered(a, b));
  }
  return omitted;
}

FieldValue* value_of(Fields& fields, Strided<const FieldSpec> specs, std::string_view field) {
  for (std::size_t f = 0; f < specs.size(); ++f)
    if (specs[f].name == field) return &fields.values[f];
  return nullptr;
}

void set_body(Fields& fields, Strided<const FieldSpec> specs, std::string_view field, BodyIndex body) {
  if (FieldValue* const value = value_of(fields, specs, field)) {
    value->given = true;
    value->body = body;
  }
}

/// The type that stands for many instances of this one; nullptr if there is none.
const ForceType* group_type(const Reading& r, const ForceType& pair_type) {
  for (const auto& [name, type] : r.catalog.forces)
    if (const BodyGroups* const groups = ask<BodyGroups>(*type); groups && groups->pair_type() == pair_type.name())
      return type;
  return nullptr;
}

/// How results tell of contacts.
enum class Results { by_number, each, total };

Results results_of(MapReader& map) {
  const auto given = map.find("results");
  if (!given) return Results::by_number;
  const std::string text = read_text(*given, "'each' or 'total'").value_or("each");
  if (text != "each" && text != "total")
    given->error(fmt::format("contacts have no results {}", show(text)), "Write 'each' or 'total'.");
  return text == "total" ? Results::total : Results::each;
}

/// One entry of `contacts`, of a type between two bodies.
class ContactEntry {
 public:
  ContactEntry(Reading& r, const Value& value, const ForceType& type, std::string prefix)
      : r_(r), value_(value), type_(type), prefix_(std::move(prefix)) {}

  void add(const Choice& choice, const std::set<Pair>& omitted, const Fields& fields, Results results) {
    const ForceType* const group = group_type(r_, type_);
    const bool covered = group != nullptr && ask<BodyGroups>(*group)->covers(fields.values);
    if (results == Results::total && !covered) {
      value_.error(
          "contacts with this law have results for each pair only",
          "Give 'results: each'; or leave out what only pairs have: a stiffness of friction, 'impact: poisson'.");
      return;
    }
    const std::vector<Pair> pairs = covered ? first_pairs(choice, omitted) : all_pairs(choice, omitted);
    if (covered && (results == Results::total || (results == Results::by_number && pairs.size() > most_each))) {
      const Fields of_group = fields_of_group(*group, choice, omitted, fields);
      // What only some integrators can run is asked for by name.
      if (results == Results::total || !NearRows::are_of(*type_of(*group, of_group)))
        return add_group(*group, of_group);
    }
    add_pairs(covered ? all_pairs(choice, omitted) : pairs, fields);
  }

 private:
  /// With more pairs, results have the totals of contacts alone unless a model says otherwise.
  static constexpr std::size_t most_each = 300;

  std::vector<Pair> list_pairs(const Choice& choice, const std::set<Pair>& omitted, std::size_t most) const {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < choice.bodies.size(); ++i)
      for (std::size_t j = i + 1; j < choice.bodies.size(); ++j) {
        const BodyIndex a = choice.bodies[i], b = choice.bodies[j];
        if (!choice.may_touch(i, j) || omitted.contains(ordered(a, b))) continue;
        // Ground is the second of a pair: columns are called <name>.<body>.ground.
        pairs.push_back(is_ground(a) ? Pair{b, a} : Pair{a, b});
        if (pairs.size() > most) return pairs;
      }
    return pairs;
  }
  std::vector<Pair> first_pairs(const Choice& choice, const std::set<Pair>& omitted) const {
    return list_pairs(choice, omitted, most_each);
  }
  std::vector<Pair> all_pairs(const Choice& choice, const std::set<Pair>& omitted) const {
    const std::size_t n = choice.bodies.size();
    const std::size_t most = items_in_memory(sizeof(ForceItem) + type_.fields().size() * sizeof(FieldValue));
    if (n > 1 && (n - 1) / 2 > most / n) {
      value_.error(fmt::format("{} bodies make more pairs than this computer can hold", n),
                   "Name fewer of them under 'bodies', or give 'results: total'.");
      return {};
    }
    return list_pairs(choice, omitted, most);
  }

  ForceItem& add_item(const ForceType& type, std::string name, const Fields& fields) {
    ForceItem& item = r_.model.forces.emplace_back();
    item.name = std::move(name);
    item.path = value_.path().text();
    item.place = value_.model_place();
    item.type = type_of(type, fields);
    item.fields = fields;
    return item;
  }
  void report_taken(std::string_view name) const {
    value_.error(fmt::format("a force has the name of a contact, {}", show(name)),
                 "Rename the force, or give 'contacts' another 'name'.");
  }
  void add_pairs(const std::vector<Pair>& pairs, const Fields& fields) {
    std::set<std::string, std::less<>> taken;
    for (const ForceItem& force : r_.model.forces) taken.insert(force.name);
    const BodyPairs& names = *ask<BodyPairs>(type_);
    for (const auto& [a, b] : pairs) {
      std::string name = fmt::format("{}.{}.{}", prefix_, name_of(r_.model, a), name_of(r_.model, b));
      if (taken.contains(name)) report_taken(name);
      ForceItem& item = add_item(type_, std::move(name), fields);
      set_body(item.fields, type_.fields(), names.first_field(), a);
      set_body(item.fields, type_.fields(), names.second_field(), b);
    }
  }
  void add_group(const ForceType& group, const Fields& of_group) {
    for (const ForceItem& force : r_.model.forces)
      if (force.name == prefix_) report_taken(prefix_);
    add_item(group, prefix_, of_group);
  }
  Fields fields_of_group(const ForceType& group, const Choice& choice, const std::set<Pair>& omitted,
                         const Fields& fields) {
    Fields of_group;
    of_group.values.resize(group.fields().size());
    of_group.places.resize(group.fields().size());
    const Strided<const FieldSpec> own = type_.fields();
    for (std::size_t f = 0; f < own.size(); ++f)
      if (FieldValue* const value = value_of(of_group, group.fields(), own[f].name)) {
        *value = fields.values[f];
        of_group.places[static_cast<std::size_t>(value - of_group.values.data())] = fields.places[f];
      }
    const BodyGroups& names = *ask<BodyGroups>(group);
    FieldValue& bodies = *value_of(of_group, group.fields(), names.bodies_field());
    bodies.given = true;
    bodies.bodies = r_.model.body_lists.emplace_back(choice.bodies);
    bodies.points = r_.model.point_lists.emplace_back(choice.bodies.size());
    give(of_group, group, names.sides_field(), choice.sides);
    give(of_group, group, names.apart_field(), places_of(omitted, choice.bodies));
    return of_group;
  }
  void give(Fields& fields, const ForceType& group, std::string_view field, const std::vector<double>& numbers) {
    if (numbers.empty()) return;
    FieldValue& value = *value_of(fields, group.fields(), field);
    value.given = true;
    value.numbers = r_.model.numbers.emplace_back(numbers);
  }
  static std::vector<double> places_of(const std::set<Pair>& pairs, const std::vector<BodyIndex>& bodies) {
    std::map<BodyIndex, std::size_t> places;
    for (std::size_t k = 0; k < bodies.size(); ++k) places.emplace(bodies[k], k);
    std::vector<double> all;
    for (const auto& [a, b] : pairs)
      if (const auto first = places.find(a), second = places.find(b); first != places.end() && second != places.end()) {
        all.push_back(static_cast<double>(first->second));
        all.push_back(static_cast<double>(second->second));
      }
    return all;
  }

  Reading& r_;
  const Value& value_;
  const ForceType& type_;
  std::string prefix_;
};

bool is_open(const GeometricShape& shape) {
  if (shape.kind != GeometricShape::Kind::mesh || shape.convex) return false;
  return !is_closed(TriangleMesh{.vertices = {}, .faces = {shape.faces.begin(), shape.faces.end()}});
}

/// Pictures have meshes that enclose nothing, such as imported robots have; as terrain in ground they are good.
void warn_of_open_meshes(const Description& model, const Value& value, const std::vector<BodyIndex>& bodies) {
  for (const BodyIndex body : bodies)
    if (!is_ground(body) && std::ranges::any_of(model.bodies[at(body)].geometry, is_open))
      value.warning(
          fmt::format("a mesh of the body {} is not closed: all that lies behind its surface counts as inside",
                      show(model.bodies[at(body)].name)),
          "Give it 'convex: true' for its hull, or give the body simpler shapes in its place.");
}

void read_entry(Reading& r, const BodyGroupNames& groups, const Value& value) {
  MapReader map(value);
  if (!map.is_map()) return;
  const std::size_t errors = r.report.errors();
  const ForceType* const type = pair_type(r, map);
  std::string prefix{type != nullptr ? type->name() : std::string_view{}};
  if (const auto name = map.find("name")) prefix = read_name(*name).value_or(prefix);
  const Choice choice = chosen_bodies(r, groups, map);
  const std::set<Pair> omitted = omitted_pairs(r, groups, map);
  const Results results = results_of(map);
  if (type == nullptr) return;
  const BodyPairs& pairs = *ask<BodyPairs>(*type);
  const std::array provided{pairs.first_field(), pairs.second_field()};
  const Fields fields = r.fields.read(map, type->fields(), provided);
  map.finish();
  if (r.report.errors() > errors || choice.bodies.size() < 2) return;
  warn_of_open_meshes(r.model, value, choice.bodies);
  ContactEntry(r, value, *type, std::move(prefix)).add(choice, omitted, fields, results);
}

}  // namespace

void read_contacts(Reading& r, const BodyGroupNames& groups, const Value& value) {
  if (value.node().kind != Node::Kind::list) return read_entry(r, groups, value);
  for (std::size_t i = 0; i < value.node().items.size(); ++i) read_entry(r, groups, value.item(i));
}

}  // namespace polyform::host::reading
