// polyform evaluate --formulas: the formulas are compiled and compared with the numbers of --equations.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Joints of all simple kinds, drawn askew, one of them reversed; forces on a body and on a joint.
const char* const mixed = R"(
polyform: 1
gravity: [0.3, -0.2, -9.81]
bodies:
  - {name: base, mass: 3, center_of_mass: [0.1, 0, 0.2], inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.02, yz: 0.01}}
  - {name: arm, position: [0.5, 0, 0.3], orientation: {axis: [0, 0, 1], angle: 0.4}, mass: 2,
     center_of_mass: [0.2, 0.1, 0], inertia: {xx: 0.05, yy: 0.1, zz: 0.12}}
  - {name: slide, position: [1, 0, 0.3], mass: 1, center_of_mass: [0, 0, -0.1], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
joints:
  - {name: turn, type: revolute, base: ground, moving: base, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.3, velocity: 1.2}}
  - {name: elbow, type: universal, base: base, moving: arm, position: [0.5, 0, 0.3], axis: [0, 1, 0], axis2: [1, 0, 0],
     initial: {position: [0.2, -0.5], velocity: [0.7, -0.4]}}
  - {name: rail, type: prismatic, base: slide, moving: arm, position: [1, 0, 0.3], axis: [0.6, 0, 0.8], initial: {position: 0.1, velocity: 0.5}}
forces:
  - {name: spring, type: spring-damper, a: {body: ground, point: [0, 1, 1]}, b: {body: slide, point: [0.1, 0, 0]}, stiffness: 40, free_length: 0.5}
  - {name: brake, type: joint-spring-damper, joint: turn, stiffness: 2, damping: 0.3}
)";

/// Four bodies in a row, whose formulas need intermediate results.
const char* const chain = R"(
polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.09, zz: 0.08}}
  - {name: b, mass: 2, position: [1, 0, 0], center_of_mass: [0.4, 0.1, 0], inertia: {xx: 0.02, yy: 0.09, zz: 0.08, xy: 0.001}}
  - {name: c, mass: 3, position: [2, 0, 0], center_of_mass: [0.3, 0, 0], inertia: {xx: 0.03, yy: 0.09, zz: 0.08}}
  - {name: d, mass: 4, position: [3, 0, 0], center_of_mass: [0.2, 0, 0.2], inertia: {xx: 0.04, yy: 0.09, zz: 0.08}}
joints:
  - {name: ja, type: spherical, base: ground, moving: a, position: [0, 0, 0], initial: {velocity: [1, 2, 3]}}
  - {name: jb, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0.6, 0.8], initial: {position: 0.4, velocity: 2}}
  - {name: jc, type: universal, base: b, moving: c, position: [2, 0, 0], axis: [0, 0, 1], axis2: [0, 1, 0],
     initial: {position: [0.3, 0.2], velocity: [2, -1]}}
  - {name: jd, type: cylindrical, base: c, moving: d, position: [3, 0, 0], axis: [0, 1, 0], initial: {velocity: [1, 2]}}
)";

const char* const driver = R"(
#include <stdio.h>
int main(void) {
  static double H2[4096], G[256], M22[1024], Q2[64], N22[64];
  const int n = (int)(sizeof polyform_velocities_at_start / sizeof(double)) - 1;
  polyform_equations(&polyform_values, polyform_positions_at_start, polyform_velocities_at_start,
                     polyform_loads_at_start, H2, G, M22, Q2, N22);
  for (int i = 0; i < n * n; ++i) printf("%.17g\n", M22[i]);
  for (int i = 0; i < n; ++i) printf("%.17g\n", Q2[i]);
  for (int i = 0; i < n; ++i) printf("%.17g\n", N22[i]);
  return 0;
}
)";

}  // namespace

TEST_CASE("formulas in C are the numbers of the reduced equations") {
  const Workshop shop;
  for (const std::string& model : {shipped("double_pendulum"), shipped("spring_damper_pendulum"), shipped("heavy_top"),
                                   shop.write("mixed.yaml", mixed), shipped("triple_spherical_pendulum"),
                                   shipped("connected_joints"), shop.write("chain.yaml", chain)}) {
    INFO(model);
    const Outcome code = shop.run({"evaluate", model, "--formulas", "c"});
    INFO(code.err);
    REQUIRE(code.code == 0);
    const std::string source = shop.write("formulas.c", code.out + driver);
    const std::string program = shop.path("formulas").string(), numbers = shop.path("numbers").string();
    REQUIRE(std::system(("cc -std=c99 -O0 -o " + program + " " + source + " -lm").c_str()) == 0);
    REQUIRE(std::system((program + " > " + numbers).c_str()) == 0);
    const json shown = json::parse(shop.run({"evaluate", model, "--solver", "thompson", "--equations", "--json"}).out);
    std::vector<double> expected;
    std::size_t columns = 0;
    for (const char* name : {"M22", "Q2", "N22 q2'"})
      for (const json& matrix : shown.at("matrices")) {
        if (matrix.at("name") != name) continue;
        if (columns == 0) columns = matrix.at("rows").size();
        for (const json& row : matrix.at("values"))
          if (row.is_array())
            for (const json& x : row) expected.push_back(x);
          else
            expected.push_back(row);
      }
    std::istringstream found(shop.read("numbers"));
    double largest = 0;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      double x = 0;
      REQUIRE(found >> x);
      INFO("number " << k);
      CHECK(std::abs(x - expected[k]) < 1e-12 * largest);
    }
  }
}

TEST_CASE("formulas are those of the paper: the pendulum, and the aircraft with its Euler angles") {
  const Workshop shop;
  const std::string pendulum = shop.write("pendulum.yaml", R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: b, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}
joints:
  - {name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.3}}
)");
  const std::string text = shop.run({"evaluate", pendulum, "--formulas", "text"}).out;
  INFO(text);
  CHECK_THAT(text, Contains("M22[1] = m_b*cz_b^2+Jyy_b\n"));
  CHECK_THAT(text, Contains("sin(q_p)") && !Contains("N22[1]"));
  // [m v' = F - m w x v; J w' = n - w x J w] of section VI, with B of the Euler angles.
  const Outcome aircraft = shop.run({"evaluate", shipped("free_body"), "--formulas", "latex"});
  INFO(aircraft.err << aircraft.out);
  CHECK(aircraft.code == 0);
  CHECK_THAT(aircraft.out, Contains("\\hat M_{22}") && Contains("\\begin{align*}") && Contains("B^{\\mathrm{"));
  CHECK(shop.run({"evaluate", shipped("free_body"), "--formulas", "text", "--euler-angles", "zxz"}).code == 0);
}

TEST_CASE("springs and dampers in joints are part of the formulas, other forces stay symbols") {
  const Workshop shop;
  // (J_yy + m l^2) b'' + b b' + k b + m g l sin b = 0, the pendulum of section VI.
  const Outcome pendulum = shop.run({"evaluate", shipped("spring_damper_pendulum"), "--formulas", "text"});
  INFO(pendulum.err << pendulum.out);
  CHECK(pendulum.code == 0);
  CHECK_THAT(pendulum.out, Contains("stiffness_spring*q_pivot") && Contains("damping_spring*u_pivot") &&
                               Contains("stiffness_spring = 3: stiffness of the force, N/m or N m/rad") &&
                               !Contains("tau_pivot"));
  // A force whose law is no polynomial, or depends on time, beside a spring in the same joint.
  const std::string driven = shop.write("driven.yaml", R"(
polyform: 1
bodies: [{name: b, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}]
joints:
  - {name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.3, velocity: 2}}
forces:
  - {name: s, type: joint-spring-damper, joint: p, stiffness: 7, damping: 0.1, rest: 0.2}
  - {name: motor, type: joint-force, joint: p, effort: {sine: {amplitude: 2, frequency: 1, phase: 1}}}
)");
  const std::string text = shop.run({"evaluate", driven, "--formulas", "text"}).out;
  INFO(text);
  CHECK_THAT(text, Contains("stiffness_s*rest_s") && Contains("tau_p = 1.682941"));  // 2 sin 1
}

TEST_CASE("formulas are the same text in every run") {
  const Workshop shop;
  const std::string model = shop.write("mixed.yaml", mixed);
  for (const std::string& of : {model, shop.write("chain.yaml", chain)})
    for (const char* language : {"text", "latex", "c"}) {
      const std::string once = shop.run({"evaluate", of, "--formulas", language}).out;
      CHECK(once.size() > 10000);
      for (int k = 0; k < 3; ++k) CHECK(shop.run({"evaluate", of, "--formulas", language}).out == once);
    }
}

TEST_CASE("systems without formulas are refused with the reason") {
  const Workshop shop;
  for (const auto& [model, reason] :
       {std::pair("four_bar_rhombus", "closes a loop"), std::pair("rolling_disc", "constraint elements"),
        std::pair("flexible_pendulum", "flexible bodies"), std::pair("motor_arm", "modules")}) {
    const Outcome outcome = shop.run({"evaluate", shipped(model), "--formulas", "c"});
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(reason));
  }
  CHECK(shop.run({"evaluate", shipped("free_body"), "--formulas", "latex", "--euler-angles", "zz"}).code == 2);
}

TEST_CASE("columns of bodies in body axes") {
  // A free body that spins steadily about its own z axis, tilted: v_b turns against it, ω_b stays, yaw grows.
  const Workshop shop;
  const std::string model = shop.write("spin.yaml", R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, mass: 1, velocity: [1, 0, 0], angular_velocity: [0, 0, 0.5], center_of_mass: [0, 0, 0],
     inertia: {xx: 1, yy: 1, zz: 2}}
joints:
  - {name: f, type: free, base: ground, moving: b}
)");
  std::vector<double> first;
  for (const char* solver : {"thompson", "cartesian", "riccati", "hierarchy", "particles", "reduced"}) {
    const Outcome run = shop.run({"run", model, "--solver", solver, "--duration", "2", "--output-interval", "1",
                                  "--columns", "body_axes", "--output", "-", "--quiet"});
    INFO(solver << run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    CHECK(table.names.size() == 10);
    for (std::size_t row = 0; row < 3; ++row) {
      const double angle = 0.5 * static_cast<double>(row);
      CHECK(table.at(row, "b.vbx") == Approx(std::cos(angle)).margin(1e-6));
      CHECK(table.at(row, "b.vby") == Approx(-std::sin(angle)).margin(1e-6));
      CHECK(table.at(row, "b.wbz") == Approx(0.5).margin(1e-7));
      CHECK(table.at(row, "b.angle1") == Approx(angle).margin(1e-6));
      CHECK(table.at(row, "b.angle2") == Approx(0).margin(1e-6));
    }
  }
  const Outcome other = shop.run({"run", model, "--duration", "1", "--columns", "b.angle*", "--euler-angles", "b=xyz",
                                  "--output", "-", "--quiet"});
  INFO(other.err);
  CHECK(read_table(other.out).at(0, "b.angle3") == Approx(0).margin(1e-12));
  CHECK(
      shop.run({"run", model, "--columns", "body_axes", "--euler-angles", "c=xyz", "--output", "-", "--quiet"}).code ==
      2);
  // Also where nothing is told in angles.
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", model},
           {"evaluate", model},
           {"linearize", model},
           {"compare", model},
           {"export", model, "--fmi", "2", "-o", "b.fmu"},
           {"study", model, "--vary", "gravity[2]=-1,-2", "--quantity", "low=min(b.z)"}}) {
    std::vector<std::string> wrong = words;
    wrong.insert(wrong.end(), {"--euler-angles", "junk"});
    const Outcome refused = shop.run(wrong);
    INFO(words[0] << "\n" << refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("'junk' is no sequence of Euler angles") != std::string::npos);
    CHECK(refused.err.find("three of x, y, z") != std::string::npos);
  }
}
