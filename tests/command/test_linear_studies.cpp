// polyform linearize --vary, as typed: eigenvalues over the values of a model, and where they cross.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using Json = nlohmann::json;

TEST_CASE("linearize --vary finds the weave and capsize speeds of the benchmark bicycle") {
  const Workshop shop;
  const std::string table = shop.path("speeds.csv").string(), page = shop.path("speeds.html").string();
  const Outcome outcome = shop.run({"linearize", shipped("whipple_bicycle"), "--vary", "parameters.speed=4,5,6.5",
                                    "--json", "--output", table, "--report", page});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  REQUIRE(json["points"].size() == 3);
  CHECK(json["points"][1]["value"] == 5.0);
  CHECK(json["points"][1]["growing"] == 0);
  // Meijaard et al. (2007), Sect. 7: where a pair, and where a real eigenvalue, crosses the imaginary axis.
  REQUIRE(json["changes"].size() == 2);
  CHECK(json["changes"][0]["value"].get<double>() == Approx(4.29238253634111).epsilon(1e-10));
  CHECK(json["changes"][0]["imaginary"].get<double>() == Approx(3.43503384866144).epsilon(1e-9));
  CHECK(json["changes"][0]["growing_before"] == 2);
  CHECK(json["changes"][0]["growing_after"] == 0);
  CHECK(json["changes"][1]["value"].get<double>() == Approx(6.02426201538837).epsilon(1e-10));
  CHECK(json["changes"][1]["imaginary"] == 0.0);
  CHECK(json["changes"][1]["growing_after"] == 1);
  const std::string rows = shop.read("speeds.csv");
  CHECK_THAT(rows, Contains("case,parameters.speed,real,imaginary,frequency,damping,status,reason"));
  // Table 2 of the paper at 5 m/s.
  CHECK_THAT(rows, Contains("5,-14.0783896927") && Contains("5,-0.77534188219"));
  CHECK_THAT(shop.read("speeds.html"), Contains("Eigenvalues of Whipple bicycle"));
}

TEST_CASE("linearize --vary finds the capsize speed by a solver that knows A to fewer digits") {
  const Workshop shop;
  const Outcome outcome = shop.run(
      {"linearize", shipped("whipple_bicycle"), "--solver", "particles", "--vary", "parameters.speed=5,6.5", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json changes = Json::parse(outcome.out)["changes"];
  REQUIRE(changes.size() == 1);
  const double value = changes[0]["value"], error = changes[0]["error"];
  CHECK(value == Approx(6.02426201538837).epsilon(1e-7));
  CHECK(std::abs(value - 6.02426201538837) <= 10 * error);
  CHECK(error < 1e-6);
}

namespace {

/// The first value at which stability changes, with its error.
std::pair<double, double> change_of(const Workshop& shop, const std::string& model, const std::string& vary) {
  INFO(vary);
  const Outcome outcome = shop.run({"linearize", model, "--vary", vary, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  REQUIRE(json["changes"].size() == 1);
  return {json["changes"][0]["value"], json["changes"][0]["error"]};
}

}  // namespace

TEST_CASE("linearize --vary finds a limit to ten digits, however wide the range, with damping and without") {
  const Workshop shop;
  // A pendulum upside down on a spring: m g l. Two eigenvalues meet at zero, real on one side, imaginary on the other.
  const auto pendulum = [&](const std::string& name, const std::string& joint, const std::string& spring) {
    return shop.write(name,
                      "polyform: 1\nparameters: {k: 3}\nbodies: [{name: t, mass: 1.3, center_of_mass: [0, 0, 0.4], "
                      "inertia: {xx: 0.1, yy: 0.1, zz: 0.05}}]\njoints: [{name: j, base: ground, moving: t, position: "
                      "[0, 0, 0], axis: [1, 0, 0], " +
                          joint +
                          "}]\nforces: [{name: s, type: joint-spring-damper, "
                          "joint: j, " +
                          spring + "}]\n");
  };
  const double limit = 1.3 * 9.81 * 0.4;
  for (const char* spring : {"stiffness: k, damping: 0", "stiffness: k, damping: 1e-4", "stiffness: k, damping: 0.4"})
    for (const char* range : {"1,20", "3,8", "5,6"}) {
      INFO(spring);
      const auto [value, error] =
          change_of(shop, pendulum("one.yaml", "type: revolute", spring), std::string("parameters.k=") + range);
      CHECK(value == Approx(limit).epsilon(1e-10));
      CHECK(error < 1e-9);
    }
  // Two of them, equal: four eigenvalues meet.
  const std::string both =
      pendulum("two.yaml", "type: universal, axis2: [0, 1, 0]", "stiffness: [k, k], damping: [0, 0]");
  CHECK(change_of(shop, both, "parameters.k=1,20").first == Approx(limit).epsilon(1e-10));
}

TEST_CASE("linearize --vary follows the eigenvalue that crosses, not another one next to the axis") {
  const Workshop shop;
  const std::string two = shop.write("two.yaml", R"(polyform: 1
parameters: {k: 3, c: 0.4}
bodies:
- {name: t, mass: 1.3, center_of_mass: [0, 0, 0.4], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}
- {name: u, mass: 0.5, position: [0, 0, 1], center_of_mass: [0, 0, 0.2], inertia: {xx: 0.01, yy: 0.012, zz: 0.005}}
joints:
- {name: j, type: universal, base: ground, moving: t, position: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]}
- {name: j2, type: universal, base: t, moving: u, position: [0, 0, 1], axis: [1, 0, 0], axis2: [0, 1, 0]}
forces:
- {name: s, type: joint-spring-damper, joint: j, stiffness: [k, 30], damping: [c, c]}
- {name: s2, type: joint-spring-damper, joint: j2, stiffness: [40, 40], damping: [c, 0.2]}
)");
  // Energy at the relative angles p, r: ½ k p² + 20 r² − ½ a p² − ½ b (p + r)².
  const double a = 9.81 * (1.3 * 0.4 + 0.5 * 1), b = 9.81 * 0.5 * 0.2;
  const double limit = a + b + b * b / (40 - b);
  for (const char* range : {"1,20", "8,12", "10,20"})
    CHECK(change_of(shop, two, std::string("parameters.k=") + range).first == Approx(limit).epsilon(1e-10));
}

TEST_CASE("linearize --vary refuses what one value or one state alone has") {
  const Workshop shop;
  const auto refused = [&](std::vector<std::string> more, const char* why) {
    std::vector<std::string> words{"linearize", shipped("spring_damper_pendulum")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(words);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(why));
  };
  refused({"--output", shop.path("table.csv").string()}, "--vary");
  refused({"--vary", "gravity[1]=uniform(-10,-9)"}, "not a distribution");
  refused({"--vary", "gravity[1]=low,high"}, "expected numbers");
  refused({"--vary", "gravity[1]=-9,-10", "--states", "body"}, "--states body does not go with --vary");
  refused({"--vary", "bodies.nobody.mass=1,2"}, "nobody");
}

// A pendulum on a shaft that a motion turns hangs down or, from w^2 (m l^2 + Ixx - Izz) = m g l on, stands off; then
// hanging is unstable. By itself the search from 0.5 rad finds the one up to some speed and the other from it on.
TEST_CASE("linearize --vary follows an equilibrium from value to value") {
  const Workshop shop;
  const std::string model = shop.write("shaft.yaml", R"(polyform: 1
parameters: {w: 8}
gravity: [0, 0, -9.81]
bodies:
  - {name: s, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}
  - {name: p, mass: 0.6, center_of_mass: [0, 0, -0.4], inertia: {xx: 0.01, yy: 0.013, zz: 0.004}}
joints:
  - {name: t, type: revolute, base: ground, moving: s, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: w}}
  - {name: h, type: revolute, base: s, moving: p, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.5}}
constraints:
  - {name: d, type: prescribed-motion, joint: t, motion: {polynomial: [0, w]}}
)");
  const auto changes = [&](const char* range) {
    const Outcome outcome = shop.run({"linearize", model, "--vary", std::string("parameters.w=") + range, "--at",
                                      "equilibrium", "--steady", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out)["changes"];
  };
  const Json hanging = changes("3:7:5");
  REQUIRE(hanging.size() == 1);
  CHECK(hanging[0]["jumps"] == false);
  CHECK(hanging[0]["value"].get<double>() ==
        Approx(std::sqrt(0.6 * 9.81 * 0.4 / (0.6 * 0.4 * 0.4 + 0.01 - 0.004))).epsilon(1e-9));
  CHECK(changes("5.5:7:4").empty());
}

// On a slide with the effort P + 3 q - q^3 the equilibrium that begins at q = -sqrt 3 ends where it meets another one,
// at q = -1 and P = 2; from there on the one beyond q = 2 is left. With the effort P - 2 q + q^2 none is left beyond P
// = 1.
TEST_CASE("linearize --vary tells where an equilibrium ends") {
  const Workshop shop;
  const auto slide = [&](const char* name, const char* effort, double start) {
    return shop.write(name, fmt::format(R"YAML(polyform: 1
parameters: {{P: 0}}
gravity: [0, 0, 0]
bodies: [{{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}]
joints: [{{name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], initial: {{position: {}}}}}]
forces: [{{name: f, type: joint-force, joint: s, effort: {{expression: "{}-0.3*v(s)"}}}}]
)YAML",
                                        start, effort));
  };
  const std::string folds = slide("folds.yaml", "P+3*q(s)-q(s)^3", -1.7),
                    none = slide("none.yaml", "P-2*q(s)+q(s)^2", 0);
  const auto study = [&](const std::string& model, const char* range, const char* how) {
    const Outcome outcome =
        shop.run({"linearize", model, "--vary", std::string("parameters.P=") + range, "--at", "equilibrium", how});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  const Json jump = Json::parse(study(folds, "0:3:7", "--json"))["changes"];
  REQUIRE(jump.size() == 1);
  CHECK(jump[0]["jumps"] == true);
  CHECK(jump[0]["value"].get<double>() == Approx(2).epsilon(1e-5));
  const Json end = Json::parse(study(none, "0:1.5:4", "--json"));
  REQUIRE(end["changes"].size() == 1);
  CHECK(end["changes"][0]["ends"] == true);
  CHECK(end["changes"][0]["value"].get<double>() == Approx(1).epsilon(1e-5));
  CHECK(end["points"][3].contains("failure"));
  CHECK_THAT(study(none, "0:1.5:4", "--steady"),
             Contains("no equilibrium is found") && Contains("the equilibrium ends"));
}

// On a slide with the effort p + q - q^3 the lower equilibrium ends at p = 2/(3 sqrt 3), the upper one at its negative.
TEST_CASE("linearize --vary follows a hysteresis in the order of its values") {
  const Workshop shop;
  const std::string model = shop.write("hysteresis.yaml", R"YAML(polyform: 1
parameters: {p: -1}
gravity: [0, 0, 0]
bodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: -1}}]
forces: [{name: f, type: joint-force, joint: s, effort: {expression: "p+q(s)-q(s)^3-0.5*v(s)"}}]
)YAML");
  const double fold = 2 / (3 * std::sqrt(3));
  struct Sweep {
    const char* values;
    std::vector<double> jumps;
  };
  for (const Sweep& sweep : {Sweep{"-1:1:9", {fold}}, Sweep{"1:-1:9", {-fold}}, Sweep{"1,0.1,-0.1,-1", {-fold}},
                             Sweep{"-1,-0.1,0.1,1,0.1,-0.1,-1", {fold, -fold}}}) {
    INFO(sweep.values);
    const std::string page = shop.path("page.html").string();
    const Outcome outcome = shop.run({"linearize", model, "--vary", std::string("parameters.p=") + sweep.values, "--at",
                                      "equilibrium", "--json", "--report", page});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json found = Json::parse(outcome.out);
    CHECK(found["points"].front()["value"].get<double>() == (sweep.values[0] == '-' ? -1 : 1));
    REQUIRE(found["changes"].size() == sweep.jumps.size());
    for (std::size_t k = 0; k < sweep.jumps.size(); ++k) {
      CHECK(found["changes"][k]["jumps"] == true);
      CHECK(found["changes"][k]["value"].get<double>() == Approx(sweep.jumps[k]).epsilon(1e-5));
      CHECK(found["changes"][k]["error"].get<double>() > 0);
    }
  }
}
