// Cases of a study whose numbers are written into a model that was read before, against cases that are read anew.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;

namespace {

/// Its last factor, a setting of the run, keeps cases from being made in place.
constexpr const char* read_anew = "simulation.step=0.001";

/// The rows of a study of a model whose factors have levels, without the column of that factor.
std::vector<std::string> rows_of_study(const Workshop& shop, const std::string& model,
                                       const std::vector<std::string>& factors, const std::string& column, bool anew,
                                       bool lanes) {
  std::vector<std::string> arguments{
      "study",    model,   "--quantity", "end=final(" + column + ")", "--duration", "0.02", "--output-interval", "0.01",
      "--output", "a.csv", "--quiet"};
  const auto add = [&](const std::string& factor) {
    arguments.push_back("--vary");
    arguments.push_back(factor);
  };
  for (const std::string& factor : factors) add(factor);
  if (anew) add(read_anew);
  if (!lanes) arguments.push_back("--no-lanes");
  for (const char* file : {"a.csv", "a.csv.journal"}) std::filesystem::remove(shop.path(file));
  const Outcome outcome = shop.run(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code <= 1);
  std::vector<std::string> rows;
  std::istringstream lines(shop.read("a.csv"));
  for (std::string line; std::getline(lines, line);) {
    if (anew) {
      // The case and the factors stand before it.
      std::size_t begin = 0;
      for (std::size_t k = 0; k <= factors.size(); ++k) begin = line.find(',', begin) + 1;
      line.erase(begin, line.find(',', begin) + 1 - begin);
    }
    rows.push_back(line);
  }
  return rows;
}

void require_same_rows(const std::string& text, const std::vector<std::string>& factors, const std::string& column) {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", text);
  for (const bool lanes : {true, false}) {
    INFO("lanes " << lanes);
    const auto in_place = rows_of_study(shop, model, factors, column, false, lanes);
    CHECK(in_place.size() > 8);
    CHECK(in_place == rows_of_study(shop, model, factors, column, true, lanes));
  }
}

const std::string swinging_tree = R"(polyform: 1
parameters: {k: 30, twice: 2*k}
bodies:
  - name: crank
    mass: 2
    inertia: {xx: 1, yy: 1, zz: 1}
    center_of_mass: [0.4, 0, 0]
    velocity: [0, 0.2, 0]
  - {name: block, mass: 0.5, inertia: {xx: 1, yy: 1, zz: 1}, position: [1, 0, 0]}
chains:
  - name: tail
    count: 2
    base: block
    start: [2, 0, 0]
    step: [0, -1, 0]
    body: {mass: 0.3, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
    joint: {type: revolute, axis: [0, 0, 1], initial: {velocity: 0.1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: slide, type: prismatic, base: crank, moving: block, position: [1, 0, 0], axis: [1, 0, 0],
     initial: {position: 0.2}}
forces:
  - {name: spring, type: joint-spring-damper, joint: slide, stiffness: 50}
  - {name: other, type: joint-spring-damper, joint: pin, stiffness: twice}
simulation: {step: 0.001, integrator: dopri5}
)";

/// A four-bar linkage that starts in motion: its masses take part in how the loop is closed.
const std::string linkage = R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: a, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, mass: 2, position: [0, 1, 0], center_of_mass: [1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: c, mass: 1, position: [2, 1, 0], center_of_mass: [0, -0.6, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: o, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {position: 0.1, velocity: 0.7}}
  - {name: p, type: revolute, base: a, moving: b, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: q, type: revolute, base: b, moving: c, position: [2, 1, 0], axis: [0, 0, 1]}
  - {name: r, type: revolute, base: c, moving: ground, position: [2, -0.2, 0], axis: [0, 0, 1]}
simulation: {step: 0.001, integrator: dopri5}
)";

}  // namespace

TEST_CASE("cases in place are those that are read anew, to the bit, and fail with the same words") {
  SECTION("masses, inertias and velocities of bodies") {
    require_same_rows(swinging_tree,
                      {"bodies.crank.mass=1,-1,3", "bodies.crank.inertia.zz=1,4,0.7",
                       "bodies.crank.velocity[1]=0.2,0.5", "chains.tail.body.mass=0.2,0.4"},
                      "slide.q");
  }
  SECTION("gravity, forces, parameters and initial coordinates") {
    require_same_rows(swinging_tree,
                      {"gravity[1]=0,-3", "forces.spring.stiffness=20,-5,k", "parameters.k=10,word,20",
                       "joints.slide.initial.position=0.1,0.3", "chains.tail.joint.initial.velocity=0.1,0.6"},
                      "slide.q");
  }
  SECTION("masses and initial coordinates of a loop, one of whose bodies loses its mass") {
    require_same_rows(
        linkage,
        {"bodies.b.mass=2,0,1e-12,3", "joints.o.initial.position=0.1,0.3,9", "joints.o.initial.velocity=0.7,1"}, "r.q");
  }
}

TEST_CASE("a warning on a value is told of its case, read anew or in place") {
  require_same_rows(linkage, {"joints.r.initial.position=0.1,0.4,0.5,0.6,0.7,0.8,0.9,1"}, "r.q");
  const Workshop shop;
  const auto rows =
      rows_of_study(shop, shop.write("m.yaml", linkage), {"joints.r.initial.position=0.1,0.4"}, "r.q", false, true);
  REQUIRE(rows.size() == 3);
  CHECK_THAT(rows[2], Catch::Contains("the loops do not allow the given position of joint `r`: 0.4 given"));
}

TEST_CASE("a quantity of a force that is in place in each case is told of that case") {
  const Workshop shop;
  const auto rows = rows_of_study(shop, shop.write("m.yaml", swinging_tree),
                                  {"forces.spring.stiffness=20,20,40,20,20,20,20,40,40,20"}, "slide.q", false, true);
  REQUIRE(rows.size() == 11);
  const auto end = [](const std::string& row) { return row.substr(row.find(',') + 1); };
  CHECK(end(rows[1]) == end(rows[10]));
  CHECK(end(rows[3]) == end(rows[9]));
  CHECK(end(rows[3]) != end(rows[10]));
}
