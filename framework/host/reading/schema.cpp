// The JSON Schema of the model file: the fixed part, with the element types put in.
#include <fmt/format.h>

#include <exception>

#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/schema_parts.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/rheonomic_joint.hpp"

namespace polyform::host::inline reading {

namespace {

Json body_schema(const FlexibleBodyType* flexible, bool in_chain) {
  Json p = Json::object();
  if (!in_chain) p["name"] = name_schema("Name of the body.");
  p["type"] = described({{"const", flexible ? text_of(flexible->name()) : "rigid"}},
                        flexible ? text_of(flexible->meaning()) : "A rigid body; the default.");
  if (!in_chain)
    p["position"] = described(ref("vector3"), "Body frame origin in ground as drawn, m; default [0, 0, 0].");
  p["orientation"] = described(ref("orientation"), "Body frame in ground as drawn; default none.");
  p["mass"] = described({{"type", "number"}, {"minimum", 0}},
                        flexible ? "Mass of the rigid part, kg; default 0." : "Mass, kg.");
  p["center_of_mass"] = described(ref("vector3"), "Centre of mass in the body frame, m; default [0, 0, 0].");
  p["inertia"] = described(ref("inertia"), "Inertia about the centre of mass in body axes, kg m².");
  p["velocity"] = described(ref("vector3"), flexible ? "Velocity of the frame origin, ground axes, m/s."
                                                     : "Velocity of the centre of mass, ground axes, m/s.");
  p["angular_velocity"] = described(ref("vector3"), "Angular velocity, ground axes, rad/s.");
  p["geometry"] = ref("geometry");
  std::vector<std::string> required;
  if (!in_chain) required.push_back("name");
  if (flexible)
    required.push_back("type");
  else
    required.insert(required.end(), {"mass", "inertia"});
  if (flexible) add_fields(flexible->fields(), p, required);
  return closed_object(std::move(p), required);
}

Json bodies_schema(const Catalog& catalog, bool in_chain) {
  Json kinds = Json::array({body_schema(nullptr, in_chain)});
  for (const auto& [name, type] : catalog.flexible_bodies) kinds.push_back(body_schema(type, in_chain));
  return one_of(std::move(kinds));
}

/// The coordinates of a joint that is code, in the order in which `initial` lists them.
std::string coordinates_text(const JointType& type) {
  const TypeDescriptor& told = type.descriptor();
  const JointKernel* const kernel = type.kernel();
  const bool has_clock = kernel != nullptr && ask<RheonomicKernel>(*kernel) != nullptr;
  std::string text;
  for (const auto& [what, list] : {std::pair("Positions: ", told.positions.first(told.positions.size() - has_clock)),
                                   std::pair("Velocities: ", told.velocities)})
    for (std::size_t k = 0; k < list.size(); ++k)
      text +=
          fmt::format("{}{}, {}{}", k == 0 ? what : "; ", list[k].name, list[k].unit, k + 1 == list.size() ? ". " : "");
  return text;
}

Json joint_schema(const JointType& type, bool in_chain) {
  Json p = Json::object();
  std::vector<std::string> required{"type"};
  if (!in_chain) p["name"] = name_schema("Name of the joint.");
  p["type"] = described({{"const", text_of(type.name())}}, text_of(type.meaning()));
  if (!in_chain) {
    p["base"] = described(ref("body"), "The body that the joint starts from.");
    p["moving"] = described(ref("body"), "The body that the joint moves.");
    required.insert(required.end(), {"name", "base", "moving"});
  }
  const std::string coordinates = coordinates_text(type);
  p["initial"] = coordinates.empty() ? ref("initial") : described(ref("initial"), coordinates);
  p["cut"] = described({{"type", "boolean"}}, "Ask for this joint to be the cut joint of its loop; default false.");
  if (in_chain)
    add_fields(type.fields(), p, required, {"position"});
  else
    add_fields(type.fields(), p, required);
  return closed_object(std::move(p), required);
}

Json joints_schema(const Catalog& catalog, bool in_chain) {
  Json kinds = Json::array();
  for (const auto& [name, type] : catalog.joints) kinds.push_back(joint_schema(*type, in_chain));
  return one_of(std::move(kinds));
}

template <class Type>
Json elements_schema(const Named<Type>& types, std::string_view what) {
  Json kinds = Json::array();
  for (const auto& [name, type] : types) {
    Json p = Json::object();
    p["name"] = name_schema("Name of the " + text_of(what) + ".");
    p["type"] = described({{"const", text_of(type->name())}}, text_of(type->meaning()));
    std::vector<std::string> required{"name", "type"};
    add_fields(type->fields(), p, required);
    kinds.push_back(closed_object(std::move(p), required));
  }
  return kinds;
}

Json coupled_schema() {
  Json row = Json::object();
  row["name"] = name_schema("Name of the constraint, and of its multiplier in results.");
  row["terms"] = described({{"type", "object"}, {"minProperties", 1}, {"additionalProperties", {{"type", "number"}}}},
                           "Factors of variables by name, <module>.<variable>, or of states that are their integrals.");
  row["value"] = described({{"anyOf", Json::array({Json{{"type", "number"}}, ref("time_function")})}},
                           "What the terms add up to; default 0.");
  Json p = Json::object();
  p["name"] = name_schema("Name of the module; its numbers in results are <name>.<module>.<variable>.");
  p["type"] = described({{"const", "coupled"}}, "Modules and the constraints between them, as one module.");
  p["modules"] = list_of(ref("module_item"), "What is coupled; the names are those within the coupled module.");
  p["constraints"] = list_of(closed_object(std::move(row), {"name", "terms"}), "What couples them.");
  return closed_object(std::move(p), {"name", "type", "modules", "constraints"});
}

Json modules_schema(const Catalog& catalog) {
  Json kinds = elements_schema(catalog.modules, "module");
  kinds.push_back(coupled_schema());
  Json old = described(ref("subsystem"), "A subsystem; write it under 'subsystems'.");
  old["deprecated"] = true;
  kinds.push_back(std::move(old));
  return one_of(std::move(kinds));
}

Json chain_schema() {
  Json p = Json::object();
  p["name"] = name_schema("Body k is <name>[k], its joint <name>[k].joint.");
  p["count"] = described({{"type", "integer"}, {"minimum", 1}}, "Number of bodies.");
  p["body"] = described(ref("chain_body"), "What every body has; no name and position.");
  p["joint"] = described(ref("chain_joint"), "What every joint has; no name, base, moving and position.");
  p["base"] = described(ref("body"), "What joint 0 connects to; default ground.");
  p["start"] = described(ref("vector3"), "Frame origin and joint of body 0 in ground, m; default [0, 0, 0].");
  p["step"] = described(ref("vector3"), "From each body to the next, m.");
  return closed_object(std::move(p), {"name", "count", "body", "joint", "step"});
}

/// The schema of contacts, by every type that acts between two bodies; one of these need not be named.
Json contacts_schema(const Catalog& catalog) {
  Json kinds = Json::array();
  std::size_t count = 0;
  for (const auto& [name, type] : catalog.forces) count += ask<BodyPairs>(*type) != nullptr ? 1 : 0;
  for (const auto& [name, type] : catalog.forces) {
    const BodyPairs* const pairs = ask<BodyPairs>(*type);
    if (pairs == nullptr) continue;
    Json p = Json::object();
    std::vector<std::string> required;
    if (count > 1) required.push_back("type");
    p["name"] = name_schema("Each is called <name>.<first body>.<second body>; default the type.");
    p["type"] = described({{"const", text_of(type->name())}}, text_of(type->meaning()));
    p["all"] = described({{"type", "boolean"}}, "Between all bodies with geometry, and with ground where it has some.");
    p["bodies"] = list_of(ref("body"), "Between these: names of bodies and of groups, patterns with * and ?.");
    const Json names{{"anyOf", Json::array({ref("body"), Json{{"type", "array"}, {"items", ref("body")}}})}};
    p["between"] = described({{"type", "array"}, {"items", names}, {"minItems", 2}, {"maxItems", 2}},
                             "Between each of the first and each of the second: names as under 'bodies', or lists.");
    p["except"] = list_of(Json{{"type", "array"}, {"items", ref("body")}, {"minItems", 2}, {"maxItems", 2}},
                          "Pairs that are left out, of bodies or groups.");
    p["results"] = described({{"enum", Json::array({"each", "total"})}},
                             "Columns of each pair, or of all contacts together; default: each up to 300 pairs.");
    add_fields(type->fields(), p, required, {pairs->first_field(), pairs->second_field()});
    kinds.push_back(closed_object(std::move(p), required));
  }
  Json entry = one_of(std::move(kinds));
  Json entries{{"type", "array"}, {"items", entry}};
  return described({{"anyOf", Json::array({std::move(entry), std::move(entries)})}},
                   "Forces between the surfaces of many bodies, each two of which no joint connects.");
}

/// A name, or a name with options.
Json integrator_schema(const Catalog& catalog) {
  Json names = Json::array(), kinds = Json::array();
  for (const auto& [name, type] : catalog.integrators) {
    names.push_back(name);
    Json options = Json::object(), p = Json::object();
    std::vector<std::string> required;
    add_fields(type->fields(), options, required);
    p["name"] = Json{{"const", name}};
    p["options"] = closed_object(std::move(options), required);
    kinds.push_back(described(closed_object(std::move(p), {"name"}), type->meaning()));
  }
  kinds.push_back(Json{{"enum", std::move(names)}});
  return described(one_of(std::move(kinds)), "The integrator: its name, or {name: NAME, options: {option: value}}.");
}

Json definitions(const Catalog& catalog) {
  Json d = basic_definitions();
  d["rigid_or_flexible_body"] = bodies_schema(catalog, false);
  d["joint_item"] = joints_schema(catalog, false);
  d["force_item"] = one_of(elements_schema(catalog.forces, "force"));
  d["constraint_item"] = one_of(elements_schema(catalog.constraints, "constraint"));
  d["module_item"] = modules_schema(catalog);
  d["chain_body"] = bodies_schema(catalog, true);
  d["chain_joint"] = joints_schema(catalog, true);
  d["chain"] = chain_schema();
  return d;
}

/// Wherever a number stands, a text is an expression of parameters.
void allow_expressions(Json& schema) {
  if (schema.is_object()) {
    const auto type = schema.find("type");
    if (type != schema.end() && (*type == "number" || *type == "integer")) *type = Json::array({*type, "string"});
  }
  if (schema.is_structured())
    for (Json& part : schema) allow_expressions(part);
}

Json root_schema(const Catalog& catalog) {
  Json p = Json::object();
  p["polyform"] = described({{"const", 1}}, "Version of the format.");
  p["name"] = described({{"type", "string"}}, "Name of the model; default the name of the file.");
  p["lenient"] = described({{"type", "boolean"}},
                           "Use inertias that no body has as they are given, with a warning; default false: an error.");
  p["parameters"] = ref("parameters");
  p["signals"] = list_of(ref("signal"), "Signals, columns signal.NAME of results.");
  p["gravity"] = described(ref("vector3"), "Gravity in ground axes, m/s²; default [0, 0, -9.81].");
  p["include"] = described({{"anyOf", Json::array({ref("text"), list_of(ref("text"), "Files.")})}},
                           "Files, from the folder of the file that names them or else of the model, whose lists, "
                           "signals, parts and parameters are taken in.");
  p["ground"] = ground_schema();
  p["bodies"] = list_of(ref("rigid_or_flexible_body"), "Bodies as drawn.");
  p["joints"] = list_of(ref("joint_item"), "Joints, placed in ground as drawn.");
  p["forces"] = list_of(ref("force_item"), "Forces.");
  p["groups"] = described({{"type", "object"}, {"additionalProperties", list_of(ref("body"), "Names and patterns.")}},
                          "Groups of bodies for contacts: names of bodies and of groups above, patterns with * and ?.");
  p["contacts"] = contacts_schema(catalog);
  p["constraints"] = list_of(ref("constraint_item"), "Constraints beyond joints.");
  p["modules"] = list_of(ref("module_item"), "Modules: elements with variables and equations of their own.");
  p["subsystems"] = list_of(ref("subsystem"), "Named parts of the system, which may nest.");
  p["parts"] = list_of(ref("part"), "Parts that are written once and placed many times.");
  p["place"] = list_of(ref("placement"), "Placements of parts.");
  p["chains"] = list_of(ref("chain"), "Generators of many like bodies in a row.");
  p["simulation"] = simulation_schema(integrator_schema(catalog));
  p["solver"] = solver_schema();
  Json root = Json::object();
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = "Polyform model, format 1";
  root["description"] = "A multibody system in its drawn configuration. SI units and radians only.";
  root.update(closed_object(std::move(p), {"polyform"}));
  root["$defs"] = definitions(catalog);
  return root;
}

}  // namespace

std::string model_schema(const Catalog& catalog) {
  Json root = root_schema(catalog);
  allow_expressions(root);
  return root.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace polyform::host::reading
