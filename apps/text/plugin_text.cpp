#include "apps/text/plugin_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/text/wrapping.hpp"
#include "framework/host/reading/field_reader.hpp"
#include "polyform/contract/ability_reasons.hpp"

namespace polyform::apps {

namespace {

constexpr std::pair<Ability, const char*> all_abilities[] = {
    {Ability::closed_loops, "closed loops"},
    {Ability::redundant_constraints, "redundant constraints"},
    {Ability::flexible_bodies, "flexible bodies"},
    {Ability::constraint_elements, "constraint elements"},
    {Ability::modules, "modules"},
    {Ability::first_order_states, "first-order states"},
    {Ability::discrete_states, "discrete states"},
    {Ability::code_joints, "code-defined joints"},
    {Ability::rheonomic_joints, "joints that depend on time"},
    {Ability::reactions, "reactions"},
    {Ability::singular_mass, "bodies without mass or inertia"}};

std::vector<std::string> supported(const Formulation& formulation) {
  std::vector<std::string> names;
  for (const auto& [ability, name] : all_abilities)
    if (has(formulation.abilities(), ability)) names.emplace_back(name);
  return names;
}

/// Whether the fields of a type are called options.
bool has_options(const host::Offer& offer) {
  return offer.kind == "formulation" || offer.kind == "integrator" || offer.kind == "importer";
}

/// The fields of an element type, or nullptr.
const TypeDescriptor* descriptor_of(const host::Catalog& catalog, const host::Offer& offer) {
  const TypeDescriptor* descriptor = nullptr;
  const auto look_in = [&](const auto& names) {
    if (const auto* type = host::find(names, offer.name)) descriptor = &type->descriptor();
  };
  if (offer.kind == "joint") look_in(catalog.joints);
  if (offer.kind == "force") look_in(catalog.forces);
  if (offer.kind == "flexible body") look_in(catalog.flexible_bodies);
  if (offer.kind == "module") look_in(catalog.modules);
  if (offer.kind == "constraint") look_in(catalog.constraints);
  return descriptor;
}

/// Fields of a type of any kind; options of a formulation or integrator.
Strided<const FieldSpec> fields_of(const host::Catalog& catalog, const host::Offer& offer) {
  if (const TypeDescriptor* descriptor = descriptor_of(catalog, offer)) return descriptor->fields;
  if (const IntegratorType* integrator = host::find(catalog.integrators, offer.name);
      integrator && offer.kind == "integrator")
    return integrator->fields();
  if (const ImporterType* importer = host::find(catalog.importers, offer.name); importer && offer.kind == "importer")
    return importer->fields();
  const Formulation* formulation = offer.kind == "formulation" ? host::find(catalog.formulations, offer.name) : nullptr;
  return formulation == nullptr ? Strided<const FieldSpec>() : formulation->options();
}

/// Calls visit(what, variables) for each list of variables of a type that is not empty.
template <class Visit>
void for_each_list(const TypeDescriptor& descriptor, Visit&& visit) {
  for (const auto& [what, list] :
       {std::pair("positions", descriptor.positions), std::pair("velocities", descriptor.velocities),
        std::pair("variables", descriptor.variables), std::pair("states", descriptor.states),
        std::pair("rows", descriptor.rows), std::pair("outputs", descriptor.outputs)})
    if (!list.empty()) visit(what, list);
}

Json variables_json(Strided<const Variable> variables) {
  Json out = Json::array();
  for (const Variable& variable : variables) out.push_back({{"name", variable.name}, {"unit", variable.unit}});
  return out;
}

std::string variable_lines(const TypeDescriptor& descriptor) {
  std::string text;
  for_each_list(descriptor, [&](std::string_view what, Strided<const Variable> list) {
    std::string names;
    for (const Variable& variable : list)
      names += fmt::format("{}{}, {}", names.empty() ? "" : "; ", variable.name,
                           variable.unit.empty() ? "of the joint" : variable.unit);
    text += wrapped_entry(fmt::format("  {}:", what), names, 15);
  });
  for (const DiscreteVariable& variable : descriptor.discrete)
    text += fmt::format(
        "  discrete state: {}\n",
        wrapped(fmt::format("{}, {} ({})", variable.name, variable.meaning, fmt::join(variable.values, ", ")), 18, 15));
  return text;
}

Json discrete_json(Strided<const DiscreteVariable> variables) {
  Json out = Json::array();
  for (const DiscreteVariable& variable : variables)
    out.push_back({{"name", variable.name}, {"meaning", variable.meaning}, {"values", variable.values}});
  return out;
}

Json fields_json(Strided<const FieldSpec> fields) {
  Json out = Json::array();
  for (const FieldSpec& field : fields) {
    Json one = {{"name", field.name},
                {"takes", host::expectation(field)},
                {"unit", field.unit},
                {"meaning", field.meaning},
                {"required", field.required}};
    if (!field.default_text.empty()) one["default"] = field.default_text;
    out.push_back(std::move(one));
  }
  return out;
}

std::string field_lines(Strided<const FieldSpec> fields) {
  std::string text;
  for (const FieldSpec& field : fields) {
    std::string meaning = fmt::format("{}; {}", field.meaning, host::expectation(field));
    if (field.required) meaning += "; required";
    if (!field.default_text.empty()) meaning += fmt::format("; default {}", field.default_text);
    text += wrapped_entry(fmt::format("    {}", field.name), meaning, 25);
  }
  return text;
}

/// Abilities that a solver lacks for one reason stand together.
std::string reasons_of_missing_abilities(const host::Catalog& catalog) {
  std::string text;
  for (const auto& [name, formulation] : catalog.formulations) {
    const auto* told = ask<AbilityReasons>(*formulation);
    if (told == nullptr) continue;
    std::vector<std::pair<std::string_view, std::string>> reasons;
    for (const auto& [ability, what] : all_abilities) {
      const std::string_view why = has(formulation->abilities(), ability) ? "" : told->why_not(ability);
      if (why.empty()) continue;
      const auto known = std::ranges::find(reasons, why, &std::pair<std::string_view, std::string>::first);
      if (known == reasons.end())
        reasons.emplace_back(why, what);
      else
        known->second += fmt::format(", {}", what);
    }
    for (const auto& [why, what] : reasons) text += wrapped(fmt::format("  {}, {}: {}", name, what, why), 0, 4) + '\n';
  }
  return text;
}

}  // namespace

std::string ability_table(const host::Catalog& catalog) {
  if (catalog.formulations.empty()) return {};
  constexpr std::size_t first = 32;
  std::string text = "What solvers carry beside trees of rigid bodies:\n";
  // As many solvers beside each other as a line holds.
  for (auto begin = catalog.formulations.begin(); begin != catalog.formulations.end();) {
    auto end = begin;
    std::string head(first, ' ');
    for (; end != catalog.formulations.end(); ++end) {
      const std::string next = fmt::format("  {}", end->first);
      if (end != begin && head.size() + next.size() > line_width) break;
      head += next;
    }
    text += head + '\n';
    for (const auto& [ability, what] : all_abilities) {
      std::string line = fmt::format("  {:{}}", what, first - 2);
      for (auto i = begin; i != end; ++i)
        line += fmt::format("  {:{}}", has(i->second->abilities(), ability) ? "yes" : "no", i->first.size());
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    begin = end;
  }
  return text + reasons_of_missing_abilities(catalog);
}

Json plugin_json(const host::PluginRecord& plugin, const host::Catalog& catalog) {
  Json offers = Json::array();
  for (const host::Offer& offer : plugin.offers) {
    Json one = {{"kind", offer.kind}, {"name", offer.name}, {"meaning", offer.meaning}};
    const Formulation* formulation =
        offer.kind == "formulation" ? host::find(catalog.formulations, offer.name) : nullptr;
    if (formulation != nullptr) {
      one["source"] = formulation->source();
      one["supports"] = supported(*formulation);
      one["preference"] = formulation->preference();
    }
    if (const TypeDescriptor* descriptor = descriptor_of(catalog, offer)) {
      for_each_list(*descriptor, [&](const char* what, auto list) { one[what] = variables_json(list); });
      if (!descriptor->discrete.empty()) one["discrete_states"] = discrete_json(descriptor->discrete);
    }
    const IntegratorType* integrator =
        offer.kind == "integrator" ? host::find(catalog.integrators, offer.name) : nullptr;
    if (integrator != nullptr) {
      one["source"] = integrator->source();
      one["order"] = integrator->order();
      one["fixed_step"] = integrator->fixed_step();
      one["preference"] = integrator->preference();
    }
    if (const ImporterType* i = offer.kind == "importer" ? host::find(catalog.importers, offer.name) : nullptr) {
      one["source"] = i->source();
      one["extensions"] = i->extensions();
      one["exports"] = ask<Exporter>(*i) != nullptr;
    }
    if (const DeviceType* d = offer.kind == "device" ? host::find(catalog.devices, offer.name) : nullptr) {
      one["source"] = d->source();
      one["code"] = d->code();
    }
    one[has_options(offer) ? "options" : "fields"] = fields_json(fields_of(catalog, offer));
    offers.push_back(std::move(one));
  }
  Json out = {{"name", plugin.name},
              {"kind", plugin.kind},
              {"version", plugin.version},
              {"file", plugin.file},
              {"status", host::name_of(plugin.status)},
              {"sdk_version", plugin.sdk_version},
              {"abi", plugin.abi},
              {"compiler", plugin.compiler},
              {"instruction_set", plugin.instruction_set}};
  if (plugin.refusal) out["refusal"] = host::name_of(*plugin.refusal);
  if (!plugin.explanation.empty()) out["explanation"] = plugin.explanation;
  out["offers"] = std::move(offers);
  return out;
}

std::string plugin_text(const host::PluginRecord& plugin) {
  const std::string title = plugin.name.empty() ? plugin.file : fmt::format("{} {}", plugin.name, plugin.version);
  std::string text = fmt::format("{}: {}", title, host::name_of(plugin.status));
  if (!plugin.kind.empty()) text += fmt::format(", {}, {}", plugin.kind, plugin.instruction_set);
  text += '\n';
  if (!plugin.name.empty()) text += fmt::format("  {}\n", plugin.file);
  if (!plugin.explanation.empty()) text += wrapped("  " + plugin.explanation, 0, 4) + '\n';
  for (const host::Offer& offer : plugin.offers)
    text += wrapped_entry(fmt::format("  {:<14} {}", offer.kind, offer.name), offer.meaning, 38);
  return text;
}

std::string offer_details(const host::PluginRecord& plugin, const host::Catalog& catalog) {
  std::string text;
  for (const host::Offer& offer : plugin.offers) {
    const Strided<const FieldSpec> fields = fields_of(catalog, offer);
    text += '\n' + wrapped(fmt::format("{} {}: {}", offer.kind, offer.name, offer.meaning), 0, 2) + '\n';
    if (const Formulation* f = offer.kind == "formulation" ? host::find(catalog.formulations, offer.name) : nullptr)
      text += wrapped_entry("  source:", f->source(), 12) +
              wrapped_entry("  supports:", fmt::format("{}", fmt::join(supported(*f), ", ")), 12);
    if (const TypeDescriptor* descriptor = descriptor_of(catalog, offer)) text += variable_lines(*descriptor);
    if (const IntegratorType* i = offer.kind == "integrator" ? host::find(catalog.integrators, offer.name) : nullptr)
      text +=
          wrapped_entry("  source:", i->source(), 12) +
          fmt::format("  order {}, {}\n", i->order(), i->fixed_step() ? "a fixed step" : "steps chosen by tolerances");
    if (const ImporterType* i = offer.kind == "importer" ? host::find(catalog.importers, offer.name) : nullptr)
      text += wrapped_entry("  source:", i->source(), 12) +
              fmt::format("  files: {}{}\n", i->extensions(),
                          ask<Exporter>(*i) != nullptr ? "; read and written" : "; read");
    if (const DeviceType* d = offer.kind == "device" ? host::find(catalog.devices, offer.name) : nullptr) {
      text += wrapped_entry("  source:", d->source(), 12) + fmt::format("  code: {}\n", d->code());
      continue;
    }
    text += fields.empty() ? std::string(has_options(offer) ? "  no options\n" : "  no fields of its own\n")
                           : fmt::format("  {}:\n{}", has_options(offer) ? "options" : "fields", field_lines(fields));
  }
  return text;
}

}  // namespace polyform::apps
