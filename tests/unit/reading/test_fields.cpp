// Declared fields: every type, its default, and options read by the same declaration.
#include "tests/unit/reading/reading.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

std::string with_force(const std::string& fields) {
  return "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], forces: [{name: f, type: "
         "everything" +
         fields + "}]}";
}

using Options = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("fields that are not given have their declared default") {
  const Description model = read_good(with_force(""));
  const std::vector<FieldValue>& f = model.forces[0].fields.values;
  for (const FieldValue& value : f) REQUIRE_FALSE(value.given);
  REQUIRE(f[0].integer == 1);
  REQUIRE(f[1].integer == 3);
  REQUIRE(f[2].text.empty());
  REQUIRE(f[3].orientation.w == 1);
  REQUIRE(std::vector<double>(f[4].numbers.begin(), f[4].numbers.end()) == std::vector<double>{1, 2});
  REQUIRE(f[6].functions[0].constant == 1.5);
}

TEST_CASE("fields that are given have the value of the file") {
  const Description model =
      read_good(with_force(", flag: false, n: 12, label: 'a, b', turn: [0, 1, 0, 0], list: 7, "
                           "matrix: [[1, 2, 3], [4, 5, 6]], law: {polynomial: [1, 2]}"));
  const std::vector<FieldValue>& f = model.forces[0].fields.values;
  for (const FieldValue& value : f) REQUIRE(value.given);
  REQUIRE(f[0].integer == 0);
  REQUIRE(f[1].integer == 12);
  REQUIRE(f[2].text == "a, b");
  REQUIRE(f[3].orientation.x == 1);
  REQUIRE(f[4].numbers.size() == 1);
  REQUIRE(f[5].rows == 2);
  REQUIRE(f[5].numbers[5] == 6);
  REQUIRE(f[6].functions[0](2).value == 5);
}

TEST_CASE("a value beyond where the model of a type holds is taken with a warning that tells the range") {
  FieldSpec spec = field("modulus", FieldType::number, "Pa", true);
  spec.meaning = "bulk modulus";
  spec.valid_minimum = 1e8;
  spec.valid_maximum = 3e9;
  const FakeForce cylinder("cylinder", {spec});
  Catalog catalog;
  catalog.forces.emplace(cylinder.name(), &cylinder);
  const auto model = [](const std::string& modulus) {
    return "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], forces: [{name: f, type: "
           "cylinder, modulus: " +
           modulus + "}]}";
  };
  CHECK(messages_of(model("1.2e9"), catalog).find("modulus") == std::string::npos);
  for (const auto& [value, message] :
       {std::pair{"4e9", "4000000000 is above 3e+09 Pa, as far as the model of this type holds"},
        {"1e7", "10000000 is below 1e+08 Pa, as far as the model of this type holds"}}) {
    const std::string said = messages_of(model(value), catalog);
    INFO(said);
    CHECK(said.find("model.yaml:1:") == 0);
    CHECK(said.find("warning: ") != std::string::npos);
    CHECK(said.find("error: ") == std::string::npos);
    CHECK(said.find(message) != std::string::npos);
    CHECK(said.find("modulus: bulk modulus. It is used as it is given.") != std::string::npos);
  }
}

TEST_CASE("options: later values win, the rest is the default") {
  const auto specs = fake_catalog().forces.at("everything")->fields();
  Description storage;
  Diagnostics diagnostics;
  const auto values =
      read_options(specs, Options{{"n", "4"}, {"list", "[1, 2, 3]"}, {"n", "5"}, {"label", "plain text"}}, "riccati",
                   storage, diagnostics);
  REQUIRE_FALSE(diagnostics.failed());
  REQUIRE(values[1].integer == 5);
  REQUIRE(values[1].given);
  REQUIRE(values[2].text == "plain text");
  REQUIRE(values[4].numbers.size() == 3);
  REQUIRE_FALSE(values[0].given);
  REQUIRE(values[0].integer == 1);
}

TEST_CASE("options of the file read back as written") {
  const Description model = read_good(
      "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], "
      "solver: {options: {label: '3', list: [1, 2], flag: false}}}");
  Description storage;
  Diagnostics diagnostics;
  const auto values = read_options(fake_catalog().forces.at("everything")->fields(), model.solver.options, "riccati",
                                   storage, diagnostics);
  INFO(printed(diagnostics));
  REQUIRE_FALSE(diagnostics.failed());
  REQUIRE(values[2].text == "3");
  REQUIRE(values[4].numbers[1] == 2);
  REQUIRE(values[0].integer == 0);
}

TEST_CASE("options that name bodies and joints mean those of the model") {
  Description model = read_good(
      "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], "
      "joints: [{name: j, type: free, base: ground, moving: a}]}");
  Diagnostics diagnostics;
  const auto specs = fake_catalog().forces.at("joint-force")->fields();
  const auto values =
      read_options(specs, Options{{"joint", "j"}, {"effort", "{constant: 2}"}}, "riccati", model, diagnostics);
  REQUIRE_FALSE(diagnostics.failed());
  REQUIRE(values[0].joint == joint_index(0));
  REQUIRE(values[1].functions[0].constant == 2);
}

TEST_CASE("a default that breaks its own declaration is the plugin's mistake") {
  const std::string text =
      "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], "
      "forces: [{name: f, type: broken-default}]}";
  REQUIRE(messages_of(text) ==
          "model.yaml:1:86: error: forces[0]: the plugin declares the default 'many' for 'x', which is wrong: found "
          "'many', "
          "expected a number in m\n"
          "  This is a mistake in the plugin; give the field in the model until its author corrects it.\n");
}
