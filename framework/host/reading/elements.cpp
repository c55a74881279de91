// Forces, constraints, modules and subsystems.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/host/reading/model_reader.hpp"
#include "polyform/contract/type_variants.hpp"

namespace polyform::host::inline reading {

const ForceType* type_of(const ForceType& type, const Fields& fields) {
  const auto* const variants = ask<TypeVariants>(type);
  return variants == nullptr ? &type : variants->variant(fields.values);
}

namespace {

/// Names within one section.
class Taken {
 public:
  explicit Taken(std::string_view what) : what_(what) {}

  /// The name of an item, checked against those before it.
  std::string read(MapReader& map) {
    const auto value = map.require("name", fmt::format("every {} has one", what_));
    std::optional<std::string> name = value ? read_name(*value) : std::nullopt;
    if (!name) return {};
    if (!index_.add(*name, 0, value->place())) {
      value->error(
          fmt::format("the name {} is taken by another {}{}", show(*name), what_, in_line(index_.place_of(*name))),
          "Give each its own name.");
    }
    return std::move(*name);
  }
  /// A name that is not written in this section.
  void add(std::string_view name, Place place) { index_.add(name, 0, place); }

 private:
  std::string_view what_;
  NameIndex index_;
};

template <class Type>
void read_element(Reading& r, const Value& value, const Named<Type>& loaded, std::string_view kind, Taken& taken,
                  std::vector<ElementItem<Type>>& out) {
  MapReader map(value);
  if (!map.is_map()) return;
  ElementItem<Type>& item = out.emplace_back();
  item.path = value.path().text();
  item.place = value.model_place();
  item.name = taken.read(map);
  if (const auto type = map.require("type", fmt::format("the type of the {}", kind)))
    item.type = find_type(*type, loaded, kind, kind == "module" ? "coupled" : "");
  if (!item.type) return;
  item.fields = r.fields.read(map, item.type->fields());
  if constexpr (std::is_same_v<Type, ForceType>) item.type = type_of(*item.type, item.fields);
  place_in_ground(value, item.type->fields(), item.fields, r.model);
  refuse_unturned(value, item.type->fields(), item.fields, r.model, r.unturned);
  map.finish();
}

bool has_key(const Value& map, std::string_view key) {
  const auto& entries = map.node().entries;
  return std::any_of(entries.begin(), entries.end(), [&](const Node::Entry& e) { return e.key == key; });
}

/// Whether an item of `modules` has a type that is also a force. Such a force brings equations of its own, but needs no
/// more than forces have. The item becomes that force.
bool is_force(const Value& item, const Catalog& catalog) {
  const auto& entries = item.node().entries;
  const auto type = std::ranges::find(entries, "type", &Node::Entry::key);
  return type != entries.end() && catalog.forces.contains(type->value->text) &&
         catalog.modules.contains(type->value->text);
}

/// Whether an item of `modules` is a subsystem, which models written before the key `subsystems` have there.
bool is_subsystem(const Value& item) {
  return !has_key(item, "type") && (has_key(item, "bodies") || has_key(item, "subsystems") || has_key(item, "modules"));
}

/// Named parts of the system, which may nest. A body belongs to one of them at most.
class SubsystemReader {
 public:
  explicit SubsystemReader(Reading& r) : r_(r) {}

  /// Adds parts that are subsystems, each with its own bodies; those within others come under these.
  void add(std::span<const PartSubsystem> parts) {
    const std::size_t first = r_.model.subsystems.size();
    for (const PartSubsystem& part : parts) {
      SubsystemItem& subsystem = r_.model.subsystems.emplace_back();
      subsystem.name = part.name;
      subsystem.path = part.path;
      subsystem.place = part.place;
      if (part.outer != no_parent) subsystem.parent = first + part.outer;
      if (line_of_.empty()) line_of_.resize(r_.model.bodies.size(), 0);
      for (const std::size_t b : part.bodies) {
        subsystem.bodies.push_back(body_index(b));
        line_of_[b] = part.place.line;
      }
      taken_.add(part.name, part.place);
    }
  }
  void read(const Value& value) { read(value, no_parent); }
  /// An item of `modules` that is a subsystem.
  void read_old(const Value& value) {
    note_old_key(value);
    read(value);
  }

 private:
  static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

  void read(const Value& value, std::size_t parent) {
    MapReader map(value);
    if (!map.is_map()) return;
    const std::size_t self = r_.model.subsystems.size();
    SubsystemItem& subsystem = r_.model.subsystems.emplace_back();
    subsystem.path = value.path().text();
    subsystem.place = value.model_place();
    subsystem.parent = parent;
    subsystem.name = taken_.read(map);
    map.forbid("type", "a module stands in the list 'modules' of the model");
    const auto bodies = map.find("bodies"), nested = map.find("subsystems");
    const auto old = has_key(value, "modules") ? map.find("modules") : std::nullopt;
    if (old) note_old_key(*old);
    if (bodies && is_list(*bodies, "names of bodies")) {
      std::vector<BodyIndex> members = read_members(*bodies);
      r_.model.subsystems[self].bodies = std::move(members);
    }
    for (const auto& list : {nested, old}) {
      if (!list || !is_list(*list, "subsystems")) continue;
      for (std::size_t i = 0; i < list->node().items.size(); ++i) read(list->item(i), self);
    }
    const auto lists_none = [](const std::optional<Value>& list) {
      return !list || (list->node().kind == Node::Kind::list && list->node().items.empty());
    };
    if (lists_none(bodies) && lists_none(nested) && lists_none(old) && !has_key(value, "type"))
      (bodies ? *bodies : map.value())
          .error("the subsystem has no bodies",
                 "Name them under 'bodies', or in subsystems under 'subsystems'; or remove it.");
    map.finish();
  }

  /// Once per file.
  void note_old_key(const Value& value) {
    if (std::exchange(noted_, true)) return;
    value.note("a named part of the system is a subsystem",
               "Write it under 'subsystems'. The key 'modules' is read for it as before.");
  }

  std::vector<BodyIndex> read_members(const Value& list) {
    std::vector<BodyIndex> members;
    for (std::size_t i = 0; i < list.node().items.size(); ++i) {
      const Value value = list.item(i);
      const std::optional<BodyIndex> body = read_body(value, r_.names);
      if (!body) continue;
      if (is_ground(*body)) {
        value.error("'ground' is in no subsystem", "List bodies only.");
        continue;
      }
      if (line_of_.empty()) line_of_.resize(r_.model.bodies.size(), 0);
      int& line = line_of_[at(*body)];
      if (line != 0) {
        value.error(fmt::format("body {} is already in a subsystem, in line {}", show(value.node().text), line),
                    "A body belongs to one subsystem; nest subsystems to build levels.");
        continue;
      }
      line = value.place().line;
      members.push_back(*body);
    }
    return members;
  }

  Reading& r_;
  Taken taken_{"subsystem"};
  std::vector<int> line_of_;  ///< line of the membership of each body, 0 for none
  bool noted_ = false;
};

}  // namespace

void read_forces(Reading& r, std::span<const Value> list) {
  Taken taken("force");
  for (const Value& item : list) read_element(r, item, r.catalog.forces, "force", taken, r.model.forces);
}

void read_constraints(Reading& r, std::span<const Value> list) {
  Taken taken("constraint");
  for (const Value& item : list) read_element(r, item, r.catalog.constraints, "constraint", taken, r.model.constraints);
}

void read_modules_and_subsystems(Reading& r, std::span<const Value> modules, std::span<const Value> subsystems,
                                 std::span<const PartSubsystem> of_parts) {
  Taken taken("module");
  SubsystemReader subsystem_reader(r);
  subsystem_reader.add(of_parts);
  for (const Value& value : modules) {
    if (is_subsystem(value)) {
      subsystem_reader.read_old(value);
    } else if (is_coupled(value)) {
      MapReader map(value);
      ModuleItem& item = r.model.modules.emplace_back();
      item.path = value.path().text();
      item.place = value.model_place();
      item.name = taken.read(map);
      read_coupled(r, map, item);
    } else if (is_force(value, r.catalog)) {
      read_element(r, value, r.catalog.forces, "module", taken, r.model.forces);
    } else {
      read_element(r, value, r.catalog.modules, "module", taken, r.model.modules);
    }
  }
  for (const Value& value : subsystems) subsystem_reader.read(value);
}

}  // namespace polyform::host::reading
