// Options `algorithm: A` and `B`: the paper's procedures as printed, on whole models, against the default.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "framework/diagnostics.hpp"
#include "tests/riccati/variant_bench.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

const Options chain{{"algorithm", "A"}}, branch{{"algorithm", "B"}};

/// A rod of 1 m along its x axis that starts at a place and points somewhere in the x–y plane.
std::string rod(const char* name, double x, double y, double angle, const char* rest = "") {
  return fmt::format(
      "  - {{name: {}, position: [{:.17g}, {:.17g}, 0], orientation: {{axis: [0, 0, 1], angle: {:.17g}}}, mass: 1.3, "
      "center_of_mass: [0.4, 0, 0], inertia: {{xx: 0.001, yy: 0.1, zz: 0.1}}{}}}\n",
      name, x, y, angle, rest);
}
std::string pin(const char* name, const char* base, const char* moving, double x, double y, const char* rest = "") {
  return fmt::format(
      "  - {{name: {}, type: revolute, base: {}, moving: {}, position: [{:.17g}, {:.17g}, 0], axis: [0, 0, 1]{}}}\n",
      name, base, moving, x, y, rest);
}
const std::string head = "polyform: 1\ngravity: [0.3, -9.81, 0]\nbodies:\n";

/// Three rods from ground on, the rates of their joints given; `ends`: further joints, `bodies`: further bodies.
std::string three_rods(const std::string& ends, const std::string& bodies = "", const std::string& rest = "") {
  return head + rod("a", 0, 0, 0.3) + rod("b", std::cos(0.3), std::sin(0.3), -0.4) +
         rod("c", std::cos(0.3) + std::cos(0.4), std::sin(0.3) - std::sin(0.4), 0.2) + bodies + "joints:\n" +
         pin("r", "ground", "a", 0, 0) + pin("s", "a", "b", std::cos(0.3), std::sin(0.3)) +
         pin("t", "b", "c", std::cos(0.3) + std::cos(0.4), std::sin(0.3) - std::sin(0.4)) + ends + rest;
}
const double end_x = std::cos(0.3) + std::cos(0.4) + std::cos(0.2),
             end_y = std::sin(0.3) - std::sin(0.4) + std::sin(0.2);

void check_agreement(const host::System& system, const Options& options) {
  const Difference d = difference_from_default(system, options);
  INFO(d.failure);
  CHECK(d.acceleration < 1e-9);
  CHECK(d.reaction < 1e-9);
}
std::string refusal(const host::System& system, const Options& options) {
  try {
    solver_with(system, options);
    return {};
  } catch (const host::Failure& failure) {
    return failure.message();
  }
}

}  // namespace

TEST_CASE("Algorithm A: a chain with a free, a pinned and a fixed far end") {
  check_agreement(*system_from_text(three_rods("")), chain);
  check_agreement(*system_from_text(three_rods(pin("u", "ground", "c", end_x, end_y, ", cut: true"))), chain);
  check_agreement(
      *system_from_text(three_rods(fmt::format(
          "  - {{name: u, type: fixed, base: ground, moving: c, position: [{:.17g}, {:.17g}, 0]}}\n", end_x, end_y))),
      chain);
}

TEST_CASE("Algorithm A: motion, forces in joints and on bodies, and a plane that is not that of ground") {
  const std::string forces = R"(
forces:
  - {name: k, type: joint-spring-damper, joint: s, stiffness: 30, damping: 2, rest: 0.2}
  - {name: l, type: joint-spring-damper, joint: r, stiffness: 10, damping: 1, rest: 0}
)";
  std::string text = three_rods("", "", forces);
  text.insert(text.find("axis: [0, 0, 1]}\n  - {name: s"), "initial: {velocity: 1.3}, ");
  check_agreement(*system_from_text(text), chain);
  // The same in the x–z plane: y becomes z.
  const auto vertical = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, position: [0, 0, 0], mass: 1, center_of_mass: [0.5, 0, -0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.2, xz: 0.03}}
  - {name: b, position: [1, 0, 0], mass: 2, center_of_mass: [0.2, 0, -0.6], inertia: {xx: 0.1, yy: 0.2, zz: 0.2, xz: 0.01}}
joints:
  - {name: r, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 2}}
  - {name: s, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, -1, 0], initial: {velocity: -0.7}}
)");
  check_agreement(*vertical, chain);
}

TEST_CASE("Algorithm A: free at both ends, and one body alone") {
  check_agreement(*system_from_text(head + rod("a", 0, 0, 0.3) + rod("b", std::cos(0.3), std::sin(0.3), -0.4) +
                                    "joints:\n" + pin("s", "a", "b", std::cos(0.3), std::sin(0.3))),
                  chain);
  check_agreement(*system_from_text(head + rod("a", 0, 0, 0.3) + "joints:\n" + pin("r", "ground", "a", 0, 0)), chain);
}

TEST_CASE("Algorithm B: the paper's branch, and one that hangs on ground by a chain and by far ends") {
  check_agreement(*system_from_file(std::string(POLYFORM_MODELS) + "/branch_pendulum.yaml"), branch);
  // Body c carries d and e; its own chain is a, b from ground; e's far end is pinned.
  const std::string more = rod("d", end_x, end_y, 1.1) + rod("e", end_x, end_y, -1.2);
  const std::string joints = pin("v", "c", "d", end_x, end_y) + pin("w", "c", "e", end_x, end_y);
  const std::string far = pin("x", "ground", "e", end_x + std::cos(1.2), end_y - std::sin(1.2), ", cut: true");
  check_agreement(*system_from_text(three_rods(joints, more)), branch);
  check_agreement(*system_from_text(three_rods(joints + far, more)), branch);
}

TEST_CASE("in space: ball hinges, as long as Eq 24 has an inverse") {
  check_agreement(*system_from_text(chain_model(2)), chain);
  const std::string why = refusal(*system_from_text(chain_model(3)), chain);
  CHECK_THAT(why, Contains("Eq 24") && Contains("second ball hinge") && Contains("3 bodies"));
}

TEST_CASE("a run between pins by Algorithm A keeps its far end and its energy, and goes where the default goes") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/rods_between_pins.yaml");
  const Ending by_default = ending_of(*system, {}), by_paper = ending_of(*system, chain);
  REQUIRE(by_paper.failure.empty());
  CHECK(by_paper.violation < 1e-10);
  REQUIRE(by_paper.q.size() == by_default.q.size());
  for (std::size_t k = 0; k < by_paper.q.size(); ++k) CHECK(by_paper.q[k] == Approx(by_default.q[k]).margin(1e-9));
}

TEST_CASE("a chain whose far end is fixed is to be cut at a pin that ties it to ground, and then runs") {
  const auto with = [](const char* cut_pin) {
    const std::string ends = pin("u", "c", "d", end_x, end_y, cut_pin) +
                             "  - {name: end, type: fixed, base: d, moving: " +
                             fmt::format("ground, position: [{:.17g}, {:.17g}, 0]}}\n", end_x + 1, end_y);
    return system_from_text(three_rods(ends, rod("d", end_x, end_y, 0)));
  };
  const std::string why = refusal(*with(""), chain);
  CHECK_THAT(why, Contains("ties two bodies: cut the loop at joint `") && Contains("`u`") && !Contains("`end`"));
  check_agreement(*with(", cut: true"), chain);
}

TEST_CASE("what the algorithms as printed do not carry is refused before it runs") {
  const auto two = system_from_text(three_rods(""));
  CHECK_THAT(refusal(*two, branch), Contains("needs a body with several inputs") && Contains("`algorithm: A`"));
  const auto branched = system_from_file(std::string(POLYFORM_MODELS) + "/branch_pendulum.yaml");
  CHECK_THAT(refusal(*branched, chain), Contains("`rod7`") && Contains("`algorithm: B`"));
  CHECK_THAT(refusal(*two, {{"algorithm", "A"}, {"branches", "overall"}}), Contains("means nothing beside"));
  const auto universal = system_from_file(std::string(POLYFORM_MODELS) + "/cardan_shaft.yaml");
  CHECK_THAT(refusal(*universal, chain), Contains("pins of one plane, or ball hinges"));
  std::string crossed = three_rods("");
  crossed.replace(crossed.rfind("axis: [0, 0, 1]"), 15, "axis: [0, 1, 1]");
  CHECK_THAT(refusal(*system_from_text(crossed), chain), Contains("parallel axes") && Contains("`t`"));
}
