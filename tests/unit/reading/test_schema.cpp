// The JSON Schema accepts what the reader accepts. A small validator of the keywords that the schema uses stands in
// for a full one.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/unit/reading/reading.hpp"

using namespace polyform::host;
using namespace polyform::host::testing;
using nlohmann::json;

namespace {

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  bool accepts(const json& schema, const json& x) const {
    for (const auto& [key, value] : schema.items())
      if (!keyword(key, value, schema, x)) return false;
    return true;
  }

 private:
  bool keyword(const std::string& key, const json& value, const json& schema, const json& x) const {
    if (key == "$ref")
      return accepts(root_.at("$defs").at(value.get<std::string>().substr(std::string("#/$defs/").size())), x);
    if (key == "type") return has_type(value, x);
    if (key == "const") return x == value;
    if (key == "enum") return std::find(value.begin(), value.end(), x) != value.end();
    if (key == "not") return !accepts(value, x);
    if (key == "oneOf") return matches(value, x) == 1;
    if (key == "anyOf") return matches(value, x) >= 1;
    if (key == "minimum") return !x.is_number() || x >= value;
    if (key == "maximum") return !x.is_number() || x <= value;
    if (key == "exclusiveMinimum") return !x.is_number() || x > value;
    if (key == "minItems") return !x.is_array() || x.size() >= value;
    if (key == "maxItems") return !x.is_array() || x.size() <= value;
    if (key == "items")
      return !x.is_array() || std::all_of(x.begin(), x.end(), [&](const json& i) { return accepts(value, i); });
    if (key == "required")
      return !x.is_object() ||
             std::all_of(value.begin(), value.end(), [&](const json& k) { return x.contains(k.get<std::string>()); });
    if (key == "properties") return properties(value, schema, x);
    if (key == "additionalProperties") return true;  // judged with the properties
    constexpr std::string_view others[] = {"description", "deprecated", "title", "$schema", "$defs", "pattern"};
    const bool known = std::find(std::begin(others), std::end(others), key) != std::end(others);
    INFO(key);
    CHECK(known);
    return known;
  }

  bool properties(const json& known, const json& schema, const json& x) const {
    if (!x.is_object()) return true;
    const bool closed = schema.value("additionalProperties", true) == false;
    for (const auto& [key, value] : x.items()) {
      if (known.contains(key) ? !accepts(known.at(key), value) : closed) return false;
    }
    return true;
  }

  static bool has_type(const json& type, const json& x) {
    if (type.is_array()) return std::any_of(type.begin(), type.end(), [&](const json& t) { return has_type(t, x); });
    const std::string name = type;
    if (name == "object") return x.is_object();
    if (name == "array") return x.is_array();
    if (name == "string") return x.is_string();
    if (name == "boolean") return x.is_boolean();
    if (name == "integer") return x.is_number_integer();
    REQUIRE(name == "number");
    return x.is_number();
  }

  int matches(const json& kinds, const json& x) const {
    int n = 0;
    for (const json& kind : kinds) n += accepts(kind, x) ? 1 : 0;
    return n;
  }

  const json& root_;
};

const char* const model_text = R"({"polyform": 1, "name": "m", "gravity": [0, 0, -9.81],
  "bodies": [{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1},
              "orientation": {"axis": [0, 0, 1], "angle": 1},
              "geometry": [{"type": "box", "size": [1, 2, 3]},
                           {"type": "cylinder", "radius": 1, "length": 2, "position": [0, 0, 1]}]},
             {"name": "b", "type": "flexible-beam", "length": 1, "linear_density": 1,
              "bending_stiffness": 1, "modes": 2, "boundary": "free-free", "modal_position": [0, 0]}],
  "joints": [{"name": "j", "type": "revolute", "base": "ground", "moving": "a", "position": [0, 0, 0],
              "axis": [0, 0, 1], "initial": {"position": 0.3, "velocity": [1]}, "cut": false},
             {"name": "k", "type": "free", "base": "a", "moving": "b"}],
  "forces": [{"name": "s", "type": "spring-damper", "a": {"body": "a", "point": [0, 0, 0]},
              "b": {"body": "ground"}, "stiffness": 2},
             {"name": "m", "type": "joint-force", "joint": "j",
              "effort": [1, {"table": [[0, 1], [1, 2]], "interpolation": "cubic"}]}],
  "constraints": [{"name": "d", "type": "prescribed-motion", "joint": "j", "motion": {"ramp": {"rate": 1}}}],
  "modules": [{"name": "motor", "type": "dc-motor", "joint": "j", "resistance": 1},
              {"name": "old", "modules": [{"name": "oldest", "bodies": ["b"]}]}],
  "subsystems": [{"name": "g", "bodies": ["a"], "subsystems": []}],
  "chains": [{"name": "arm", "count": 3, "body": {"mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
              "joint": {"type": "spherical"}, "base": "a", "step": [1, 0, 0]}],
  "simulation": {"duration": 1, "tolerance": {"relative": 1e-8}}, "solver": {"name": "riccati", "options": {"x": 1}}})";

}  // namespace

TEST_CASE("the schema accepts a model that the reader accepts") {
  read_good(model_text);
  const json schema = json::parse(model_schema(fake_catalog()));
  REQUIRE(Validator(schema).accepts(schema, json::parse(model_text)));
}

TEST_CASE("the schema and the reader refuse the same mistakes") {
  const json schema = json::parse(model_schema(fake_catalog()));
  const std::vector<std::pair<const char*, json>> mistakes{
      {"/polyform", 2},
      {"/gravity", {0, 0}},
      {"/gravitty", {0, 0, 1}},
      {"/bodies/0/mass", -1},
      {"/bodies/0/inertia/zx", 1},
      {"/bodies/0/geometry/0/type", "mesh"},
      {"/bodies/0/geometry/0/radius", 1},
      {"/bodies/0/geometry/0/size", {1, 2, 0}},
      {"/bodies/0/geometry/1/length", -1},
      {"/bodies/0/type", "flexible"},
      {"/bodies/1/modes", 1.5},
      {"/bodies/1/boundary", "free"},
      {"/bodies/1/length", 0},
      {"/joints/0/axis", 1},
      {"/joints/0/type", "spherical"},
      {"/forces/0/stiffness", -1},
      {"/forces/0/a/piont", 1},
      {"/forces/1/effort", {{"sine", {{"amplitude", 1}}}}},
      {"/chains/0/joint/position", {0, 0, 0}},
      {"/chains/0/count", 0},
      {"/simulation/duration", 0},
      {"/modules/0/resistance", true},  // a text may be an expression of parameters
      {"/subsystems/0/type", "dc-motor"},
      {"/subsystems/0/bodys", {"a"}},
  };
  for (const auto& [where, wrong] : mistakes) {
    json model = json::parse(model_text);
    model[json::json_pointer(where)] = wrong;
    INFO(where);
    CHECK_FALSE(Validator(schema).accepts(schema, model));
    CHECK_FALSE(messages_of(model.dump()).empty());
  }
}

TEST_CASE("fields of loaded types are described with their units") {
  const std::string text = model_schema(fake_catalog());
  CHECK(text.find("for the tests, N s/m; default 0") != std::string::npos);
  CHECK(text.find("Mass, kg.") != std::string::npos);
}

TEST_CASE("without plugins the schema still is one, and allows no joints") {
  const json schema = json::parse(model_schema(Catalog{}));
  const Validator v(schema);
  CHECK(v.accepts(schema, json::parse(R"({"polyform": 1, "joints": []})")));
  CHECK_FALSE(v.accepts(schema, json::parse(R"({"polyform": 1, "joints": [{"name": "j", "type": "revolute"}]})")));
}
