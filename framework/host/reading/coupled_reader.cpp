// Modules of the type `coupled`: the members, each as an item of `modules`, and the constraints between them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/host/reading/coupled_modules.hpp"
#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {
namespace {

constexpr std::string_view type_name = "coupled";

constexpr FieldSpec value_spec{.name = "value",
                               .type = FieldType::time_function,
                               .unit = "",
                               .meaning = "what the terms of the constraint add up to",
                               .default_text = "0"};

class CoupledReader {
 public:
  CoupledReader(Reading& r, MapReader& map) : r_(r), map_(map) {}

  /// The type that was made, or nullptr after a report.
  const ModuleType* read(Fields& fields) {
    map_.find("type");
    const auto members = map_.require("modules", "what is coupled");
    const auto constraints = map_.require("constraints", "what couples the modules");
    map_.finish();
    if (!members || !constraints || !is_list(*members, "modules") || !is_list(*constraints, "constraints"))
      return nullptr;
    const std::size_t before = r_.report.errors();
    for (std::size_t i = 0; i < members->node().items.size(); ++i) read_member(members->item(i));
    if (members->node().items.empty())
      members->error("there are no modules to couple", "Write them as in the list 'modules' of the model.");
    if (constraints->node().items.empty())
      constraints->error("no constraint couples the modules",
                         "Add one, such as {name: node, terms: {a.current: 1, b.current: -1}}; or write the modules "
                         "one by one.");
    if (r_.report.errors() != before) return nullptr;
    auto made = std::make_shared<CoupledModules>(members_);
    for (std::size_t i = 0; i < constraints->node().items.size(); ++i) read_constraint(constraints->item(i), *made);
    if (r_.report.errors() != before) return nullptr;
    fields = std::move(fields_);
    r_.model.coupled.push_back(made);
    return made.get();
  }

 private:
  /// A name within the coupled module, without the name of a placement before it.
  std::string read_own_name(MapReader& map, std::string_view what) {
    const auto value = map.require("name", fmt::format("every {} has one", what));
    const std::optional<std::string> name =
        value ? read_text(*value, fmt::format("the name of a {}", what)) : std::nullopt;
    if (!name || !is_printable(*value, *name)) return {};
    if (std::ranges::find(names_, *name) != names_.end())
      value->error(fmt::format("the name {} is taken within this coupled module", show(*name)),
                   "Give each member and each constraint its own name.");
    names_.push_back(*name);
    return *name;
  }

  void read_member(const Value& value) {
    MapReader map(value);
    if (!map.is_map()) return;
    CoupledModules::Member member{read_own_name(map, "module")};
    Fields fields;
    if (is_coupled(value)) {
      member.type = CoupledReader(r_, map).read(fields);
    } else {
      const auto type = map.require("type", "the type of the module");
      if (type) member.type = find_type(*type, r_.catalog.modules, "module", type_name);
      if (member.type == nullptr) return;
      fields = r_.fields.read(map, member.type->fields());
      place_in_ground(value, member.type->fields(), fields, r_.model);
      refuse_unturned(value, member.type->fields(), fields, r_.model, r_.unturned);
      map.finish();
      if (!member.type->descriptor().discrete.empty())
        value.error(fmt::format("{} has discrete states, which a coupled module cannot carry", member.type->name()),
                    "Place it among the modules of the model.");
    }
    if (member.type == nullptr) return;
    append(fields_, fields);
    members_.push_back(std::move(member));
  }

  void read_constraint(const Value& value, CoupledModules& of) {
    MapReader map(value);
    if (!map.is_map()) return;
    CoupledModules::Constraint made;
    made.name = read_own_name(map, "constraint");
    const auto terms = map.require("terms", "factors of the variables, by their names");
    const auto wanted = map.find("value");
    map.finish();
    fields_.values.push_back(wanted ? r_.fields.value(*wanted, value_spec).value_or(FieldValue{})
                                    : r_.fields.default_value(value_spec, value));
    fields_.places.push_back(wanted ? wanted->model_place() : value.model_place());
    if (!terms) return;
    if (terms->node().kind != Node::Kind::map || terms->node().entries.empty())
      return terms->unexpected("a map of names and factors, such as {a.current: 1, b.current: -1}");
    std::size_t states = 0;
    for (const Node::Entry& entry : terms->node().entries) {
      const Value factor = terms->entry(entry);
      CoupledModules::Term term{read_number(factor).value_or(1)};
      if (!set_number(factor, entry.key, of, term, states)) return;
      if (term.factor == 0)
        factor.error("the factor is zero, so the constraint does not see this variable", "Leave the term out.");
      made.terms.push_back(term);
    }
    if (states != 0 && states != made.terms.size())
      return terms->error("some of the terms are rates and some are states",
                          "Name variables only, or the states that are their integrals only.");
    made.holonomic = states != 0;
    of.add(std::move(made));
  }

  /// Sets the variable of a term by its name; or the state, and the variable whose integral it is.
  static bool set_number(const Value& at, std::string_view name, const CoupledModules& of, CoupledModules::Term& term,
                         std::size_t& states) {
    const auto found = of.numbers().find(name);
    if (found == of.numbers().end()) {
      std::vector<std::string_view> known;
      for (const auto& [one, number] : of.numbers()) known.push_back(one);
      at.error(fmt::format("the coupled modules have no variable {}", show(name)),
               fmt::format("{}They have {}.", did_you_mean(name, known), known.empty() ? "none" : listing(known)));
      return false;
    }
    const CoupledModules::Number& number = found->second;
    term.variable = number.index;
    if (!number.is_state) return true;
    const std::int32_t variable = of.integral_of(number.index);
    if (variable < 0) {
      at.error(fmt::format("{} is a state that is the integral of no variable, so no force can keep it", show(name)),
               "Name a variable of the module, or a state that is the integral of one.");
      return false;
    }
    ++states;
    term.state = number.index;
    term.variable = static_cast<std::size_t>(variable);
    return true;
  }

  Reading& r_;
  MapReader& map_;
  std::vector<CoupledModules::Member> members_;
  std::vector<std::string> names_;
  Fields fields_;
};

}  // namespace

bool is_coupled(const Value& value) {
  for (const Node::Entry& e : value.node().entries)
    if (e.key == "type") return e.value->kind == Node::Kind::scalar && e.value->text == type_name;
  return false;
}

void read_coupled(Reading& r, MapReader& map, ModuleItem& item) { item.type = CoupledReader(r, map).read(item.fields); }

}  // namespace polyform::host::reading
