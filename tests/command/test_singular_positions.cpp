// Messages about mechanisms at and next to limit positions and change points.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A crank of 1 m, a coupler of 2 m, a rocker whose pivot is 2.2 m away: drawn with the crank upright. The crank can
/// turn 0.85 rad further and no more.
const char* four_bar = R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, position: [0, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.08, yy: 0.001, zz: 0.08}}
  - {name: coupler, position: [0, 1, 0], mass: 2, center_of_mass: [1, 0, 0], inertia: {xx: 0.001, yy: 0.3, zz: 0.3}}
  - {name: rocker, position: [2.2, 0, 0], mass: 1, center_of_mass: [-0.1, 0.5, 0], inertia: {xx: 0.08, yy: 0.01, zz: 0.08}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [2, 1, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [2.2, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: d, type: prescribed-motion, joint: A, motion: {polynomial: [0, 3]}}
)";

const char* flat = R"(
polyform: 1
bodies:
  - {name: left, position: [0, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08, zz: 0.08}}
  - {name: coupler, position: [1, 0, 0], mass: 2, center_of_mass: [1, 0, 0], inertia: {xx: 0.001, yy: 0.3, zz: 0.3}}
  - {name: right, position: [2, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08, zz: 0.08}}
joints:
  - {name: A, type: revolute, base: ground, moving: left, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, base: left, moving: coupler, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: right, position: [3, 0, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: right, position: [2, 0, 0], axis: [0, 0, 1]}
)";

}  // namespace

TEST_CASE("every solver says of a crank that is driven past its reach that the position is the cause") {
  const Workshop shop;
  const std::string model = shop.write("driven.yaml", four_bar);
  for (const char* solver : {"cartesian", "hierarchy", "particles", "thompson"}) {
    INFO(solver);
    const Outcome run = shop.run({"run", model, "--solver", solver, "--duration", "1", "--quiet"});
    CHECK(run.code == 1);
    INFO(run.err);
    CHECK_THAT(run.err, Contains("the mechanism is next to a limit position or another singular one"));
  }
}

TEST_CASE("a run that fails elsewhere is not said to be next to a singular position") {
  const Workshop shop;
  const std::string fast = std::regex_replace(four_bar, std::regex("velocity: 3"), "velocity: 1.0e+160");
  const std::string model = shop.write("free.yaml", fast.substr(0, fast.find("constraints")));
  const Outcome run = shop.run({"run", model, "--duration", "1", "--quiet"});
  CHECK(run.code == 1);
  CHECK_THAT(run.err, !Contains("singular"));
}

TEST_CASE("check tells a change point from the degrees of freedom next to it") {
  const Workshop shop;
  const std::string model = shop.write("flat.yaml", flat);
  CHECK_THAT(shop.run({"check", model}).out, Contains("degrees of freedom  2; 1 in positions next to this one"));
  const json checked = json::parse(shop.run({"check", model, "--json"}).out);
  CHECK(checked.at("degrees_of_freedom") == 2);
  CHECK(checked.at("degrees_of_freedom_nearby") == 1);
  CHECK_THAT(checked.at("warnings").at(0).get<std::string>(), Contains("singular"));
}

TEST_CASE("check names components of open reactions, and constraints whose forces are open") {
  const Workshop shop;
  CHECK_THAT(in_one_line(shop.run({"check", shipped("four_bar_rhombus")}).out),
             Contains("those of A (fz, mx, my), B (fz, mx, my)"));
  const std::string twice = shop.write("twice.yaml", R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08, zz: 0.08}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: d1, type: prescribed-motion, joint: pin, motion: 0}
  - {name: d2, type: prescribed-motion, joint: pin, motion: 0}
)");
  CHECK_THAT(in_one_line(shop.run({"check", twice}).out),
             Contains("1 constraint equation; the reactions left open are those of constraint d1, constraint d2"));
  // The forces of the two elements are open, and no others.
  CHECK_THAT(shop.run({"compare", twice, "--duration", "0.01"}).out,
             Contains("Reactions not unique in constraint d1, constraint d2: 1 redundant"));
}

TEST_CASE(
    "a linkage that rounded lengths lock runs open by as much, and ends with the reason where it must be closed") {
  const Workshop shop;
  std::ifstream file(shipped("bennett"));
  std::string text;
  for (std::string line; std::getline(file, line); text += line + '\n') {
    const std::regex number(R"(-?\d+\.\d{6,})");
    std::string rounded;
    std::smatch found;
    for (; std::regex_search(line, found, number); line = found.suffix().str())
      rounded += found.prefix().str() + fmt::format("{:.6f}", std::stod(found.str()));
    line = rounded + line;
  }
  const std::string model = shop.write("rounded.yaml", text);
  for (const char* solver : {"cartesian", "hierarchy"}) {
    INFO(solver);
    const auto run = [&](const std::string& of, std::vector<std::string> more) {
      std::vector<std::string> words{"run", of, "--solver", solver, "--integrator", "dopri5", "--duration", "1"};
      words.insert(words.end(), more.begin(), more.end());
      return shop.run(words);
    };
    const Outcome open = run(model, {"--output", "-"}), whole = run(shipped("bennett"), {"--output", "-"});
    REQUIRE(open.code + whole.code == 0);
    CHECK_THAT(in_one_line(open.err), Contains("does not lock what it would lock by so little, and comes open"));
    const Table rounded = read_table(open.out), exact = read_table(whole.out);
    const std::size_t last = exact.rows.size() - 1;
    CHECK(rounded.at(last, "joint1.q") == Approx(exact.at(last, "joint1.q")).epsilon(2e-6));
    const Outcome closed = run(model, {"--quiet", "--option", "tolerance=1e-10"});
    CHECK(closed.code == 1);
    CHECK_THAT(in_one_line(closed.err),
               Contains("The constraints cannot be met: after 20 Newton steps joint `joint3`") &&
                   Contains("keeps the loop from being closed farther on"));
  }
}

// Axes with nine digits, as of a file that another program wrote.
TEST_CASE("a loop with an axis that is off by rounding runs by itself, and that is said") {
  const Workshop shop;
  const std::string text = R"({polyform: 1, gravity: [0, -9.81, 0], bodies: [
    {name: p, position: [0.15, 0.5, 0], mass: 1, inertia: {xx: 0.02, yy: 0.1, zz: 0.1}},
    {name: q, position: [1.2, 1.3, 0], mass: 1, inertia: {xx: 0.02, yy: 0.1, zz: 0.1}},
    {name: r, position: [2.25, 0.8, 0], mass: 1, inertia: {xx: 0.02, yy: 0.1, zz: 0.1}}], joints: [
    {name: A, type: revolute, base: ground, moving: p, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}},
    {name: B, type: revolute, base: p, moving: q, position: [0.3, 1, 0], axis: [0, 0, 1]},
    {name: C, type: revolute, base: q, moving: r, position: [2.1, 1.6, 0], axis: [1.0e-8, 0, 1]},
    {name: D, type: revolute, base: r, moving: ground, position: [2.4, 0, 0], axis: [0, 0, 1]}]})";
  const std::string model = shop.write("bar.yaml", text);
  const std::string straight = shop.write("straight.yaml", std::regex_replace(text, std::regex("1.0e-8"), "0"));
  for (const char* solver : {"cartesian", "hierarchy", "particles", "reduced", "riccati", "thompson"}) {
    INFO(solver);
    const auto run = [&](const std::string& of) {
      return shop.run({"run", of, "--solver", solver, "--duration", "1", "--output", "-"});
    };
    const Outcome outcome = run(model), exact = run(straight);
    REQUIRE(outcome.code + exact.code == 0);
    CHECK_THAT(outcome.err,
               Contains("what joint `C` constrains depends on the other constraints") && Contains("comes open"));
    const Table rows = read_table(outcome.out), right = read_table(exact.out);
    CHECK(rows.at(100, "A.v") == Approx(right.at(100, "A.v")).epsilon(1e-6));
    // A tolerance that is given is kept.
    const Outcome strict =
        shop.run({"run", model, "--solver", solver, "--duration", "1", "--option", "tolerance=1e-10"});
    CHECK(strict.code == 1);
  }
}

TEST_CASE("check names bodies that move for an instant only, and tells where a run would find no accelerations") {
  const Workshop shop;
  const std::string stretched = shop.write("stretched.yaml", R"(
polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: p0, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: p1, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: p2, type: revolute, base: b, moving: ground, position: [2, 0, 0], axis: [0, 0, 1]}
)");
  CHECK_THAT(shop.run({"check", stretched}).out, Contains("degrees of freedom  1; a, b for an instant only"));
  const json checked = json::parse(shop.run({"check", stretched, "--json"}).out);
  CHECK(checked.at("held") == json{"a", "b"});
  CHECK_THAT(checked.at("warnings").at(0).get<std::string>(), Contains("the loops allow a, b to move for an instant"));

  // Both drives ask for accelerations that the gear does not allow; at the start all rest.
  const std::string geared = shop.write("geared.yaml", R"(
polyform: 1
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: gear, type: geared-shaft, joint: ja, other_joint: jb, ratio: 2, inertia: 0.01}
constraints:
  - {name: da, type: prescribed-motion, joint: ja, motion: {polynomial: [0, 0, 1]}}
  - {name: db, type: prescribed-motion, joint: jb, motion: {polynomial: [0, 0, 1]}}
)");
  const Outcome open = shop.run({"check", geared});
  CHECK(open.code == 1);
  CHECK_THAT(in_one_line(open.out), Contains("those of constraint da, constraint db, module gear"));
  CHECK_THAT(open.err, Contains("the constraints contradict each other"));
}
