#include "framework/host/reading/schema_parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace polyform::host::inline reading {

namespace {

Json number() { return {{"type", "number"}}; }
Json positive(std::string_view description) {
  return described({{"type", "number"}, {"exclusiveMinimum", 0}}, description);
}
Json numbers_of(std::size_t n) { return {{"type", "array"}, {"items", number()}, {"minItems", n}, {"maxItems", n}}; }

/// Fields of type number and integer, and items of numbers and constants, keep to the declared range.
void add_range(const FieldSpec& spec, Json& schema) {
  if (std::isfinite(spec.minimum)) schema[spec.exclusive_minimum ? "exclusiveMinimum" : "minimum"] = spec.minimum;
  if (std::isfinite(spec.maximum)) schema["maximum"] = spec.maximum;
}

Json ranged_number(const FieldSpec& spec) {
  Json out = number();
  add_range(spec, out);
  return out;
}

Json function_of(const FieldSpec& spec) {
  return {{"anyOf", Json::array({ranged_number(spec), ref("time_function")})}};
}

Json one_or_list(Json item) {
  Json list{{"type", "array"}, {"items", item}};
  return {{"anyOf", Json::array({std::move(item), std::move(list)})}};
}

Json value_schema(const FieldSpec& spec) {
  switch (spec.type) {
    case FieldType::number: return ranged_number(spec);
    case FieldType::integer: {
      Json out{{"type", "integer"}};
      add_range(spec, out);
      return out;
    }
    case FieldType::boolean: return {{"type", "boolean"}};
    case FieldType::text: return ref("text");
    case FieldType::choice: {
      Json choices = Json::array();
      for (const std::string_view choice : spec.choices) choices.push_back(text_of(choice));
      return {{"enum", std::move(choices)}};
    }
    case FieldType::vector3: return ref("vector3");
    case FieldType::direction: return ref("direction");
    case FieldType::orientation: return ref("orientation");
    case FieldType::numbers: return one_or_list(ranged_number(spec));
    case FieldType::matrix: {
      Json row{{"type", "array"}, {"items", ranged_number(spec)}, {"minItems", 1}};
      return {{"type", "array"}, {"items", std::move(row)}, {"minItems", 1}};
    }
    case FieldType::time_function: return function_of(spec);
    case FieldType::time_functions: return one_or_list(function_of(spec));
    case FieldType::body: return ref("body");
    case FieldType::marker: return ref("marker");
    case FieldType::joint: return ref("joint");
    case FieldType::bodies: return one_or_list(ref("body"));
    case FieldType::markers: return one_or_list(ref("marker"));
    case FieldType::joints: return one_or_list(ref("joint"));
  }
  return Json::object();
}

/// Meaning, unit and default of a field in one line.
std::string field_description(const FieldSpec& spec) {
  std::string out = text_of(spec.meaning);
  if (!spec.unit.empty()) out += fmt::format(", {}", spec.unit);
  if (!spec.default_text.empty()) out += fmt::format("; default {}", spec.default_text);
  return out;
}

Json orientation_schema() {
  Json turn = Json::object();
  turn["axis"] = ref("direction");
  turn["angle"] = described(number(), "rad");
  Json rpy = Json::object();
  rpy["rpy"] = described(numbers_of(3), "Roll, pitch, yaw, rad: Rz(y) Ry(p) Rx(r).");
  return one_of(
      Json::array({described(numbers_of(4), "Unit quaternion w, x, y, z."),
                   closed_object(std::move(turn), {"axis", "angle"}), closed_object(std::move(rpy), {"rpy"})}));
}

Json inertia_schema() {
  Json p = Json::object();
  for (const char* key : {"xx", "yy", "zz"}) p[key] = described({{"type", "number"}, {"minimum", 0}}, "kg m²");
  for (const char* key : {"xy", "xz", "yz"}) p[key] = described(number(), "Element of the tensor, kg m²; default 0.");
  return closed_object(std::move(p), {"xx", "yy", "zz"});
}

/// The schema of a map with the entry {key: form} and no other.
Json form(const char* key, Json schema) {
  Json p = Json::object();
  p[key] = std::move(schema);
  return closed_object(std::move(p), {key});
}

Json time_function_schema() {
  Json ramp = Json::object();
  ramp["rate"] = described(number(), "Slope between start and end, per s.");
  ramp["start"] = described(number(), "s; default 0.");
  ramp["end"] = described(number(), "s; held from here on; default never.");
  Json sine = Json::object();
  sine["amplitude"] = described(number(), "Of offset + amplitude sin(2π frequency t + phase).");
  sine["frequency"] = described(number(), "Hz");
  sine["phase"] = described(number(), "rad; default 0.");
  sine["offset"] = described(number(), "Default 0.");
  Json table = Json::object();
  table["table"] = described({{"type", "array"}, {"items", numbers_of(2)}, {"minItems", 1}},
                             "Rows [t, x] of increasing time in s; held outside.");
  table["interpolation"] =
      described({{"enum", Json::array({"linear", "cubic"})}}, "Default linear; cubic is the natural spline.");
  table["periodic"] = described({{"type", "boolean"}},
                                "Repeat; the last row is the first one, a period later. Default false: held outside.");
  table["of"] = described(ref("operand"), "What the first column is; default the time.");
  return described(
      one_of(Json::array(
          {form("constant", number()), form("polynomial", {{"type", "array"}, {"items", number()}, {"minItems", 1}}),
           form("ramp", closed_object(std::move(ramp), {"rate"})),
           form("sine", closed_object(std::move(sine), {"amplitude", "frequency"})),
           form("expression", {{"type", "string"}}), form("sum", list_of(ref("operand"), "Of these.")),
           form("product", list_of(ref("operand"), "Of these.")), closed_object(std::move(table), {"table"})})),
      "A function of time, or a formula of time, state and signals.");
}

Json parameters_schema() { return {{"type", "object"}, {"additionalProperties", number()}}; }

/// The schema of a signal that another program gives.
Json external_signal_schema() {
  Json p = Json::object();
  p["name"] = name_schema("Name of the signal.");
  p["type"] = Json{{"const", "external"}};
  p["initial"] = described(number(), "The value until another program gives one; default 0.");
  return described(closed_object(std::move(p), {"name", "type"}), "A number that another program gives, as to an FMU.");
}

Json signal_schema() {
  const auto block = [](const char* type, Json properties, std::vector<std::string> required) {
    properties["name"] = name_schema("Name of the signal: the column signal.NAME, signal(NAME) in formulas.");
    properties["type"] = Json{{"const", type}};
    properties["input"] = ref("operand");
    required.insert(required.end(), {"name", "type", "input"});
    return closed_object(std::move(properties), required);
  };
  const Json numbers{{"type", "array"}, {"items", number()}, {"minItems", 1}};
  const Json limits{{"lower", described(number(), "Lower limit.")}, {"upper", described(number(), "Upper limit.")}};
  Json value = Json::object();
  value["name"] = name_schema("Name of the signal.");
  value["value"] = ref("operand");
  Json pid = limits;
  for (const char* key : {"kp", "ki", "kd"}) pid[key] = described(number(), "Gain; default 0.");
  pid["filter"] = described(number(), "Time constant of the filter of the derivative, s.");
  pid["rate"] = described(ref("operand"), "Rate of the input, in the place of a filter.");
  pid["initial"] = described(number(), "Of the integral of the input at the start, before it is multiplied by ki.");
  pid["filter_initial"] = described(number(), "Of the filter.");
  Json transfer{{"numerator", numbers}, {"denominator", numbers}};
  transfer["initial"] = described(number(), "Output at the start. All states but the first are zero there.");
  Json table{{"table", Json{{"type", "array"}}}, {"x", numbers}, {"y", numbers}};
  table["interpolation"] = Json{{"enum", Json::array({"linear", "cubic"})}};
  table["periodic"] = Json{{"type", "boolean"}};
  Json tables = block("table", std::move(table), {"table"});
  tables["properties"]["input"] =
      Json{{"anyOf", Json::array({ref("operand"), list_of(ref("operand"), "Two inputs.")})}};
  return described(
      one_of(Json::array({closed_object(std::move(value), {"name", "value"}), block("pid", std::move(pid), {}),
                          block("transfer-function", std::move(transfer), {"numerator", "denominator"}),
                          block("integrator", {{"initial", number()}}, {}), block("limiter", limits, {}),
                          block("delay", {{"time", number()}, {"order", number()}, {"initial", number()}}, {"time"}),
                          block("sampler", {{"interval", number()}, {"initial", number()}}, {"interval"}),
                          std::move(tables), external_signal_schema()})),
      "A signal: a number that follows from time, state and other signals.");
}

Json marker_schema() {
  Json p = Json::object();
  p["body"] = ref("body");
  p["point"] = described(ref("vector3"), "In the body's own frame, m; default [0, 0, 0].");
  return described(closed_object(std::move(p), {"body"}), "A point fixed in a body.");
}

Json initial_schema() {
  Json coordinates = one_or_list(number());
  Json p = Json::object();
  p["position"] = described(coordinates, "Joint coordinates relative to the drawn configuration, m or rad.");
  p["velocity"] = described(std::move(coordinates), "Velocity coordinates, m/s or rad/s.");
  return described(closed_object(std::move(p), {}), "Initial coordinates of the joint.");
}

Json subsystem_schema() {
  Json p = Json::object();
  p["name"] = name_schema("Name of the subsystem.");
  p["bodies"] = list_of(ref("body"), "Its bodies; a body is in one subsystem at most.");
  p["subsystems"] = list_of(ref("subsystem"), "Subsystems within it.");
  p["modules"] = list_of(ref("subsystem"), "Subsystems within it; write them under 'subsystems'.");
  p["modules"]["deprecated"] = true;
  Json out = closed_object(std::move(p), {"name"});
  out["anyOf"] = Json::array();
  for (const char* key : {"bodies", "subsystems", "modules"})
    out["anyOf"].push_back(Json{{"required", Json::array({key})}});
  return described(std::move(out), "A named part of the system.");
}

/// Within a part, the name of a parameter may stand for a number: the items of a part differ from the model's in this.
Json part_schema() {
  Json p = Json::object();
  p["name"] = name_schema("Name of the part.");
  p["file"] = described({{"type", "string"}},
                        "File that holds the part, from the folder of the file that names it or else of the model, "
                        "in the place of the rest.");
  p["parameters"] = described(parameters_schema(),
                              "Names of numbers with their defaults, for use wherever a number "
                              "stands in the part; -NAME is the negative.");
  p["subsystem"] = described({{"type", "boolean"}}, "The bodies of each placement are a subsystem of its name.");
  const Json item{{"type", "object"}};
  for (const char* key : {"bodies", "joints", "forces", "constraints", "modules", "subsystems"})
    p[key] = list_of(item, "As those of the model, in axes of the part, with names of the part.");
  p["parts"] = list_of(ref("part"), "Parts that are placed within this part only.");
  p["place"] = list_of(ref("placement"), "Parts within the part.");
  return described(closed_object(std::move(p), {"name"}), "A part.");
}

Json placement_schema() {
  Json p = Json::object();
  p["part"] = described({{"type", Json::array({"string", "number"})}}, "Name of the part.");
  p["name"] = name_schema("Its items are NAME.ITEM; without a name PART[0].ITEM, PART[1].ITEM, ...");
  p["position"] = described(ref("vector3"), "Of the part's origin, m; default [0, 0, 0].");
  p["orientation"] = described(ref("orientation"), "Of the part's axes; default none.");
  p["parameters"] = described(parameters_schema(), "Values in the place of defaults.");
  return described(closed_object(std::move(p), {"part"}), "A part, placed in ground or in another part.");
}

Json shape_schema(const char* type, Json properties, std::vector<std::string> required) {
  properties["type"] = Json{{"const", type}};
  properties["position"] = described(ref("vector3"), "Centre in the body frame, m; default [0, 0, 0].");
  properties["orientation"] = described(ref("orientation"), "Relative to the body frame; default none.");
  properties["visual"] = Json{{"type", "boolean"},
                              {"description", "Whether it is drawn alone, and no contact touches it; default false."}};
  required.insert(required.begin(), "type");
  return closed_object(std::move(properties), required);
}

Json height_field_entries() {
  const Json row{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}};
  Json p = Json::object();
  p["heights"] = Json{{"type", "array"},
                      {"items", row},
                      {"minItems", 2},
                      {"description", "Rows of heights, m: rows along x, each along y."}};
  p["file"] = Json{{"type", "string"}, {"description", "In the place of heights: a file with a row on each line."}};
  const Json both{{"type", "array"}, {"items", positive("m")}, {"minItems", 2}, {"maxItems", 2}};
  p["spacing"] = one_of(Json::array({positive("m"), both}));
  return p;
}

Json mesh_entries() {
  Json p = Json::object();
  p["file"] =
      Json{{"type", "string"},
           {"description",
            "An STL, OBJ or glTF file (.glb, .gltf), from the folder of the file that names it or else of the model."}};
  p["vertices"] = list_of(ref("vector3"), "In the place of a file: corners, m.");
  const Json corner{{"type", "integer"}, {"minimum", 0}};
  const Json face{{"type", "array"}, {"items", corner}, {"minItems", 3}};
  p["faces"] = list_of(face, "Numbers of vertices from 0, against the clock when seen from outside.");
  p["scale"] = one_of(Json::array({Json{{"type", "number"}}, ref("vector3")}));
  p["convex"] = Json{{"type", "boolean"}, {"description", "Whether the shape is the hull of the vertices."}};
  return p;
}

Json geometry_schema() {
  const Json radius = positive("m");
  const Json edges{
      {"type", "array"}, {"items", {{"type", "number"}, {"exclusiveMinimum", 0}}}, {"minItems", 3}, {"maxItems", 3}};
  return list_of(
      one_of(Json::array(
          {shape_schema("box", {{"size", described(edges, "Lengths of its edges along x, y, z, m.")}}, {"size"}),
           shape_schema("capsule",
                        {{"radius", radius}, {"length", positive("Between the centres of its half balls, m.")}},
                        {"radius", "length"}),
           shape_schema("cylinder", {{"radius", radius}, {"length", positive("Along its z axis, m.")}},
                        {"radius", "length"}),
           shape_schema("ellipsoid", {{"semi_axes", described(edges, "Its half lengths along x, y, z, m.")}},
                        {"semi_axes"}),
           shape_schema("height-field", height_field_entries(), {"spacing"}), shape_schema("mesh", mesh_entries(), {}),
           shape_schema("plane", {{"normal", described(ref("direction"), "Out of the half space; default [0, 0, 1].")}},
                        {}),
           shape_schema("sphere", {{"radius", radius}}, {"radius"})})),
      "Shapes, for pictures and contacts.");
}

}  // namespace

Json ref(std::string_view name) { return {{"$ref", fmt::format("#/$defs/{}", name)}}; }

Json described(Json schema, std::string_view description) {
  schema["description"] = text_of(description);
  return schema;
}

Json closed_object(Json properties, const std::vector<std::string>& required) {
  Json out{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = required;
  out["additionalProperties"] = false;
  return out;
}

Json list_of(Json items, std::string_view description) {
  return described({{"type", "array"}, {"items", std::move(items)}}, description);
}

Json one_of(Json kinds) {
  if (kinds.empty()) return {{"not", Json::object()}};
  Json out = Json::object();
  out["oneOf"] = std::move(kinds);
  return out;
}

Json name_schema(std::string_view description) {
  return described(
      {{"type", Json::array({"string", "number"})}, {"pattern", "^[^,\"'\\[\\]]+$"}, {"not", {{"const", "ground"}}}},
      description);
}

void add_fields(Strided<const FieldSpec> specs, Json& properties, std::vector<std::string>& required,
                std::initializer_list<std::string_view> provided) {
  for (const FieldSpec& spec : specs) {
    if (std::ranges::find(provided, spec.name) != provided.end()) continue;
    Json schema = described(value_schema(spec), field_description(spec));
    if (const std::size_t dot = spec.name.find('.'); dot != std::string_view::npos) {
      Json& group = properties[text_of(spec.name.substr(0, dot))];
      if (group.is_null()) group = closed_object(Json::object(), {});
      group["properties"][text_of(spec.name.substr(dot + 1))] = std::move(schema);
      continue;
    }
    properties[text_of(spec.name)] = std::move(schema);
    if (spec.required) required.push_back(text_of(spec.name));
  }
}

Json ground_schema() {
  return described(closed_object({{"geometry", ref("geometry")}}, {}), "What is fixed in ground and no body.");
}

Json basic_definitions() {
  Json d = Json::object();
  d["text"] = Json{{"type", Json::array({"string", "number", "boolean"})}};
  d["vector3"] = numbers_of(3);
  d["direction"] = described(numbers_of(3), "A direction; its length does not matter but is not 0.");
  d["orientation"] = orientation_schema();
  d["inertia"] = inertia_schema();
  d["time_function"] = time_function_schema();
  d["operand"] = described(Json{{"anyOf", Json::array({number(), ref("time_function")})}},
                           "An expression of time, state, signals and parameters, or a function of time.");
  d["parameters"] = described(parameters_schema(),
                              "Names of numbers, each a number or an expression of those before "
                              "it, for use in expressions wherever a number stands.");
  d["signal"] = signal_schema();
  d["body"] = described({{"type", Json::array({"string", "number"})}}, "Name of a body, or ground.");
  d["joint"] = described({{"type", Json::array({"string", "number"})}}, "Name of a joint.");
  d["marker"] = marker_schema();
  d["initial"] = initial_schema();
  d["geometry"] = geometry_schema();
  d["subsystem"] = subsystem_schema();
  d["part"] = part_schema();
  d["placement"] = placement_schema();
  return d;
}

Json simulation_schema(Json integrator) {
  Json tolerance = Json::object();
  tolerance["relative"] = positive("Relative tolerance of an adaptive integrator.");
  tolerance["absolute"] = positive("Absolute tolerance of an adaptive integrator.");
  Json p = Json::object();
  p["duration"] = positive("s");
  p["integrator"] = std::move(integrator);
  p["step"] = positive("Fixed step, or the first step of an adaptive integrator, s.");
  p["max_step"] = positive("No step of any integrator is longer, s.");
  p["tolerance"] = closed_object(std::move(tolerance), {});
  p["output_interval"] = positive("Rows at k × output_interval and at the end, s.");
  return described(closed_object(std::move(p), {}), "Defaults for the command line.");
}

Json solver_schema() {
  Json p = Json::object();
  p["name"] = described({{"type", "string"}}, "The formulation.");
  p["options"] = described({{"type", "object"}}, "Its options, see 'polyform plugins show'.");
  return described(closed_object(std::move(p), {}), "The formulation to use unless the command line names one.");
}

}  // namespace polyform::host::reading
