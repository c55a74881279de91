// polyform evaluate: accelerations and reactions at the initial state.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <sstream>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A uniform rod released from the horizontal: α = −m g a / J_o, and the pin carries m (g − α a).
void check_rod(const json& result) {
  const double a = 0.5, inertia = 0.0833 + a * a, alpha = -9.81 * a / inertia;
  const json& rod = result.at("bodies").at("rod");
  CHECK(rod.at("linear").size() == 3);
  CHECK(rod.at("linear")[1].get<double>() == Approx(0).margin(1e-12));
  CHECK(rod.at("angular")[2].get<double>() == Approx(alpha));
  CHECK_FALSE(rod.contains("modal"));
  const json& pin = result.at("joints").at("pin");
  CHECK(pin.at("acceleration").size() == 1);
  CHECK(pin.at("acceleration")[0].get<double>() == Approx(alpha));
  CHECK(pin.at("force")[1].get<double>() == Approx(9.81 + alpha * a));
  CHECK(pin.at("moment")[2].get<double>() == Approx(0).margin(1e-12));
}

}  // namespace

TEST_CASE("accelerations and reactions of one solver are one object") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text()), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json result = json::parse(outcome.out);
  CHECK(result.at("solver").is_string());
  check_rod(result);
}

TEST_CASE("those of all solvers are an object by solver name, and they agree") {
  const Workshop shop;
  const json result =
      json::parse(shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text()), "--solver", "all", "--json"}).out);
  CHECK(result.size() >= 2);
  for (const auto& [name, one] : result.items()) {
    INFO(name);
    CHECK(one.at("solver") == name);
    check_rod(one);
  }
}

TEST_CASE("without --json a text for people is printed") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text())});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("body rod") && Contains("joint pin") && Contains("rad/s^2"));
}

TEST_CASE("where redundant constraints leave reactions open, it is said beside the results") {
  const Workshop shop;
  const Outcome loop = shop.run({"evaluate", shipped("four_bar_rhombus"), "--solver", "all", "--json"});
  CHECK(loop.code == 0);
  CHECK_THAT(loop.err,
             Contains("reactions are not unique in A (fz, mx, my), B (fz, mx, my), D (fz, mx, my), C (fz, mx, my): 3 "
                      "redundant constraint equations"));
  CHECK(json::parse(loop.out).size() >= 2);
  // Across the plane it is open who carries; in it, all is unique.
  const json all = json::parse(loop.out);
  for (const auto& [name, one] : all.items())
    for (const auto& [joint, values] : one.at("joints").items())
      CHECK(values.at("unique") == json{{"force", {true, true, false}}, {"moment", {false, false, true}}});
  const Outcome check = shop.run({"check", shipped("four_bar_rhombus"), "--json"});
  CHECK(json::parse(check.out).at("unique").at("C").at("force") == json{true, true, false});
  const json along = json::parse(check.out).at("unique_along").at("C");
  CHECK(along.at("force") == json{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
  CHECK(along.at("moment") == json::array({{0.0, 0.0, 1.0}}));
  const Outcome compare = shop.run({"compare", shipped("four_bar_rhombus"), "--duration", "1", "--json"});
  CHECK(compare.code == 0);
  const json compared = json::parse(compare.out);
  for (const auto& [name, one] : compared.items()) {
    CHECK(one.at("force_deviation") < 1e-5);
    CHECK(one.at("acceleration_deviation") < 1e-5);
    CHECK(one.at("unique").at("A").at("moment") == json{false, false, true});
  }
  const Outcome run = shop.run({"run", shipped("four_bar_rhombus"), "--duration", "0.01", "--columns", "reactions"});
  CHECK_THAT(run.out, Contains("reactions    not unique in A (fz, mx, my), B (fz, mx, my)"));
  CHECK_THAT(shop.run({"run", shipped("four_bar_rhombus"), "--duration", "0.01"}).out, !Contains("not unique"));
  CHECK(shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text())}).err.empty());
}

TEST_CASE("forces of constraint elements are told by the names of their rows, with units, and which are unique") {
  const Workshop shop;
  const json all = json::parse(shop.run({"evaluate", shipped("knife_edge"), "--solver", "all", "--json"}).out);
  CHECK(all.size() >= 4);
  for (const auto& [name, one] : all.items()) {
    INFO(name);
    const json& edge = one.at("constraints").at("edge");
    CHECK(edge.at("multipliers").at("force").get<double>() == Approx(0).margin(1e-9));
    CHECK(edge.at("unique").at("force") == true);
  }
  CHECK_THAT(shop.run({"evaluate", shipped("rolling_disc")}).out,
             Contains("constraint rim\n  normal  19.62") && Contains(" N\n  tangent_1  "));
  const Outcome run = shop.run({"run", shipped("prescribed_motion"), "--duration", "0.02", "--columns", "reactions",
                                "--output", "-", "--quiet"});
  CHECK_THAT(run.out, Contains("slide.mz,drive.force\n"));
  // Two drives that ask for the same of one joint share its torque in any way.
  std::string twice = shop.read(shipped("prescribed_motion"));
  const std::string drive = "  - {name: drive, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 2]}}\n";
  const std::size_t place = twice.find(drive);
  REQUIRE(place != std::string::npos);
  twice.insert(place, "  - {name: other, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 2]}}\n");
  const std::string file = shop.write("twice.yaml", twice);
  const Outcome shared = shop.run({"evaluate", file, "--solver", "cartesian", "--json"});
  CHECK(json::parse(shared.out).at("constraints").at("drive").at("unique").at("force") == false);
  CHECK_THAT(shared.err, Contains("constraint other, constraint drive"));
  const Outcome compared = shop.run({"compare", file, "--duration", "0.1", "--json"});
  CHECK(compared.code == 0);
}

TEST_CASE("rows that a level leaves out count for none of its reactions") {
  const Workshop shop;
  const Outcome all = shop.run({"evaluate", shipped("planar_3rrr_subsystems"), "--solver", "hierarchy"});
  CHECK_THAT(all.err, Contains("reactions are not unique in"));
  const Outcome lowest =
      shop.run({"evaluate", shipped("planar_3rrr_subsystems"), "--solver", "hierarchy", "--option", "level=1"});
  CHECK(lowest.code == 0);
  CHECK_THAT(lowest.out,
             Contains("balance\n  largest"));  // no joint holds anything there, so that no reaction is none given
  CHECK_THAT(lowest.err, !Contains("not unique"));
}

TEST_CASE("the paper's variants of riccati say that they support trees only") {
  const Workshop shop;
  for (const char* option : {"branches=overall", "algorithm=transfer-product"}) {
    const Outcome outcome =
        shop.run({"evaluate", shipped("four_bar_rhombus"), "--solver", "riccati", "--option", option});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("trees only") && Contains("joint `C` closes a loop") && Contains("condensed"));
  }
}

TEST_CASE("a body whose only inertia comes from its loop runs wherever the loop is cut") {
  const Workshop shop;
  const auto model = [&](const std::string& cut_at_first, const std::string& cut_at_last) {
    return shop.write("loop.yaml", R"(
polyform: 1
name: massless coupler
gravity: [1, -9.81, 0]
bodies:
  - {name: left, position: [0, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: coupler, position: [0, 1, 0], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: right, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: a, type: revolute, base: ground, moving: left, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: b, type: revolute, base: left, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: c, type: spherical, base: coupler, moving: right, position: [1, 1, 0])" +
                                       cut_at_last + R"(}
  - {name: d, type: revolute, base: ground, moving: right, position: [1, 0, 0], axis: [0, 0, 1])" +
                                       cut_at_first + R"(}
)");
  };
  for (const auto& [at_first, at_last] : {std::pair{"", ", cut: true"}, std::pair{", cut: true", ""}}) {
    const Outcome all = shop.run({"evaluate", model(at_first, at_last), "--solver", "all", "--json"});
    CHECK(all.code == 0);
    const json result = json::parse(all.out);
    for (const char* solver : {"riccati", "reduced", "thompson"})
      CHECK(result.at(solver).at("bodies").at("right").at("angular")[2].get<double>() ==
            Approx(result.at("cartesian").at("bodies").at("right").at("angular")[2].get<double>()).epsilon(1e-11));
  }
}

TEST_CASE("rates and multipliers of modules stand beside bodies and joints, by the names of their type") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shipped("motor_arm"), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json motor = json::parse(outcome.out).at("modules").at("motor");
  // No voltage and no current yet: the gear alone drives the rotor.
  CHECK(motor.at("rates").at("current").get<double>() == Approx(0).margin(1e-12));
  CHECK(motor.at("multipliers").at("gear_torque").get<double>() ==
        Approx(2e-5 * motor.at("rates").at("speed").get<double>()));
  const Outcome run = shop.run(
      {"run", shipped("motor_arm"), "--duration", "0.1", "--output", "-", "--columns", "modules,reactions", "--quiet"});
  CHECK_THAT(run.out, Contains("motor.current,motor.speed,motor.angle,") && Contains(",motor.gear_torque"));
}

TEST_CASE("the equations of joints that give way have their covariance") {
  const Workshop shop;
  const auto said = [&](const char* correction, const char* clearance) {
    return shop.run({"evaluate", shipped("double_pendulum"), "--solver", "hierarchy", "--option", correction,
                     "--option", clearance, "--equations"});
  };
  const Outcome loose = said("correction=none", "clearance=j1=1e-3");
  INFO(loose.err);
  CHECK_THAT(in_one_line(loose.out), Contains("A a + R lambda = b at t = 0"));
  CHECK_THAT(loose.out, Contains("joint j1 (5), from level") && Contains("R = 0.001\n"));
  CHECK_THAT(said("correction=none", "clearance=j1=0").out, Contains("A a = b at t = 0") && !Contains(", R ="));
}

TEST_CASE("the equations of a level can be asked for") {
  const Workshop shop;
  const auto at_level = [&](const std::string& level) {
    const Outcome outcome = shop.run({"evaluate", shipped("motor_arm"), "--solver", "hierarchy", "--option",
                                      "level=" + level, "--equations", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  };
  const json first = at_level("1"), second = at_level("2");
  CHECK(first.at("A").empty());
  CHECK(second.at("M") == first.at("M"));
  CHECK(second.at("f") == first.at("f"));
  CHECK(second.at("A").size() == 11);
  CHECK(second.at("A")[0].size() == 14);
  CHECK(second.at("levels")[0].size() == 3);
  CHECK(second.at("levels")[1] == json::parse(R"([["arm", "hand", "motor"]])"));
  CHECK_THAT(shop.run({"evaluate", shipped("motor_arm"), "--equations"}).out, Contains("module motor (1)"));
  const Outcome none = shop.run({"evaluate", shipped("heavy_top"), "--solver", "riccati", "--equations"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("riccati does not have equations to show"));
}

TEST_CASE("the matrices of equations keep to 80 columns and name their rows and columns") {
  const Workshop shop;
  for (const char* solver : {"hierarchy", "cartesian", "thompson"}) {
    const Outcome shown = shop.run({"evaluate", shipped("planar_3rrr"), "--solver", solver, "--equations"});
    INFO(solver << shown.err);
    REQUIRE(shown.code == 0);
    std::istringstream lines(shown.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
  const Outcome arm = shop.run({"evaluate", shipped("motor_arm"), "--solver", "hierarchy", "--equations"});
  CHECK_THAT(in_one_line(arm.out), Contains("M arm arm arm arm arm 1 2 3 4 5 arm 1 "));
}

TEST_CASE("values of an option stand side by side, with their difference") {
  const Workshop shop;
  const Outcome text =
      shop.run({"evaluate", shipped("branch_pendulum"), "--solver", "riccati", "--option", "algorithm=riccati|B"});
  INFO(text.out << text.err);
  REQUIRE(text.code == 0);
  CHECK_THAT(text.out, Contains("rod3.ay") && Contains("j_3_5.fy") && Contains("largest difference of B from riccati"));
  const Outcome data = shop.run(
      {"evaluate", shipped("rods_between_pins"), "--solver", "riccati", "--option", "algorithm=riccati|A", "--json"});
  REQUIRE(data.code == 0);
  const json both = json::parse(data.out);
  REQUIRE(both.size() == 2);
  for (const char* joint : {"root", "pin2", "pin1", "tip"})
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(both.at("A").at("joints").at(joint).at("force")[k].get<double>() ==
            Approx(both.at("riccati").at("joints").at(joint).at("force")[k].get<double>()).margin(1e-11));
  // One that cannot run the model is named; two options with several values are one too many.
  const Outcome partly =
      shop.run({"evaluate", shipped("branch_pendulum"), "--solver", "riccati", "--option", "algorithm=riccati|A"});
  CHECK(partly.code == 0);
  CHECK_THAT(partly.err, Contains("A skipped") && Contains("`rod7`"));
  CHECK(shop.run({"evaluate", shipped("branch_pendulum"), "--solver", "riccati", "--option", "algorithm=riccati|B",
                  "--option", "branches=condensed|overall"})
            .code == 2);
}

TEST_CASE("a chain product that has lost all digits ends with an error that names a joint") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"evaluate", shipped("chain_1000"), "--solver", "riccati", "--option", "algorithm=transfer-product"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("joint `rod[999].joint`") && Contains("the product has lost all digits"));
}

TEST_CASE("the equivalent particles of each body are shown: they have its mass, its mass centre and its inertia") {
  const Workshop shop;
  const std::string model = shop.write("two.yaml", R"({polyform: 1,
    bodies: [{name: a, mass: 2, center_of_mass: [0.3, 0.1, 0], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}},
             {name: b, position: [1, 0, 0], mass: 3, center_of_mass: [0.2, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.15}}],
    joints: [{name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]},
             {name: q, type: spherical, base: a, moving: b, position: [1, 0, 0]}]})");
  const Outcome data = shop.run({"evaluate", model, "--particles", "--json"});
  INFO(data.out << data.err);
  REQUIRE(data.code == 0);
  const json shown = json::parse(data.out);
  CHECK(shown.at("solver") == "particles");
  const auto check = [&](const char* name, double mass, std::array<double, 3> center) {
    const json& body = shown.at("bodies").at(name);
    REQUIRE(body.at("equivalent_particles").size() == 10);
    double sum = 0, moment[3]{};
    for (const json& p : body.at("equivalent_particles")) {
      sum += p.at("mass").get<double>();
      for (std::size_t k = 0; k < 3; ++k) moment[k] += p.at("mass").get<double>() * p.at("place")[k].get<double>();
      CHECK(p.contains("between") == (p.at("number").get<int>() > 4));
    }
    CHECK(sum == Approx(mass));
    for (std::size_t k = 0; k < 3; ++k) CHECK(moment[k] == Approx(mass * center[k]).margin(1e-12));
  };
  check("a", 2, {0.3, 0.1, 0});
  check("b", 3, {0.2, 0, 0.1});
  // The ball joint shares a particle.
  bool shares = false;
  for (const json& p : shown.at("bodies").at("b").at("equivalent_particles"))
    shares = shares || (p.contains("shared_with") && p.at("shared_with")[0] == "a");
  CHECK(shares);
  const Outcome text = shop.run({"evaluate", model, "--particles"});
  CHECK_THAT(text.out, Contains("body a") && Contains("5  1-2") && Contains("also of a") && Contains("r3 = r1"));
  CHECK(shop.run({"evaluate", model, "--particles", "--solver", "riccati"}).code == 2);
}

TEST_CASE("particles tells before running why it has no flexible bodies") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shipped("four_link_flexible"), "--solver", "particles"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("`link2` is flexible"));
  CHECK_THAT(in_one_line(outcome.err), Contains("a mode has an equation of its own"));
}
