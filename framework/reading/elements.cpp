// Forces, constraints, modules and groups of bodies.
#include <fmt/format.h>

#include <algorithm>

#include "framework/reading/model_reader.hpp"

namespace polyform::host {

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
      value->error(fmt::format("the name {} is taken by another {}, in line {}", show(*name), what_,
                               index_.place_of(*name).line),
                   "Give each its own name.");
    }
    return std::move(*name);
  }

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
  item.place = value.place();
  item.name = taken.read(map);
  if (const auto type = map.require("type", fmt::format("the type of the {}", kind)))
    item.type = find_type(*type, loaded, kind);
  if (!item.type) return;
  item.fields = r.fields.read(map, item.type->fields());
  map.finish();
}

bool has_type(const Value& module) {
  const auto& entries = module.node().entries;
  return std::any_of(entries.begin(), entries.end(), [](const Node::Entry& e) { return e.key == "type"; });
}

/// Groups of bodies: a body belongs to one group at most.
class GroupReader {
 public:
  GroupReader(Reading& r, Taken& taken) : r_(r), taken_(taken) {}

  void read(const Value& value, std::size_t parent) {
    MapReader map(value);
    if (!map.is_map()) return;
    const std::size_t self = r_.model.groups.size();
    GroupItem& group = r_.model.groups.emplace_back();
    group.path = value.path().text();
    group.place = value.place();
    group.parent = parent;
    group.name = taken_.read(map);
    map.forbid("type", "a module of a type stands in the outermost list");
    const auto bodies = map.find("bodies"), nested = map.find("modules");
    if (bodies && is_list(*bodies, "names of bodies")) {
      std::vector<BodyIndex> members = read_members(*bodies);
      r_.model.groups[self].bodies = std::move(members);
    }
    if (nested && is_list(*nested, "groups of bodies")) {
      for (std::size_t i = 0; i < nested->node().items.size(); ++i) read(nested->item(i), self);
    }
    const auto lists_none = [](const std::optional<Value>& list) {
      return !list || (list->node().kind == Node::Kind::list && list->node().items.empty());
    };
    if (lists_none(bodies) && lists_none(nested) && !has_type(value))
      (bodies ? *bodies : map.value())
          .error("the module has no bodies", "Name them under 'bodies', or in modules under 'modules'; or remove it.");
    map.finish();
  }

 private:
  std::vector<BodyIndex> read_members(const Value& list) {
    std::vector<BodyIndex> members;
    for (std::size_t i = 0; i < list.node().items.size(); ++i) {
      const Value value = list.item(i);
      const std::optional<BodyIndex> body = read_body(value, r_.names);
      if (!body) continue;
      if (is_ground(*body)) {
        value.error("'ground' is in no module", "List bodies only.");
        continue;
      }
      if (group_of_.empty()) group_of_.resize(r_.model.bodies.size(), 0);
      int& line = group_of_[at(*body)];
      if (line != 0) {
        value.error(fmt::format("body {} is already in a module, in line {}", show(value.node().text), line),
                    "A body belongs to one module; nest modules to build levels.");
        continue;
      }
      line = value.place().line;
      members.push_back(*body);
    }
    return members;
  }

  Reading& r_;
  Taken& taken_;
  std::vector<int> group_of_;  ///< line of the membership of each body, 0 for none
};

}  // namespace

void read_forces(Reading& r, const Value& list) {
  Taken taken("force");
  for (std::size_t i = 0; i < list.node().items.size(); ++i)
    read_element(r, list.item(i), r.catalog.forces, "force", taken, r.model.forces);
}

void read_constraints(Reading& r, const Value& list) {
  Taken taken("constraint");
  for (std::size_t i = 0; i < list.node().items.size(); ++i)
    read_element(r, list.item(i), r.catalog.constraints, "constraint", taken, r.model.constraints);
}

void read_modules(Reading& r, const Value& list) {
  Taken taken("module");
  GroupReader groups(r, taken);
  for (std::size_t i = 0; i < list.node().items.size(); ++i) {
    const Value value = list.item(i);
    if (has_type(value)) {
      read_element(r, value, r.catalog.modules, "module", taken, r.model.modules);
    } else {
      groups.read(value, static_cast<std::size_t>(-1));
    }
  }
}

}  // namespace polyform::host
