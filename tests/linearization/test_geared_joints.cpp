// Modules that tie joints: their rows hold positions of the joints and of their own states.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const char* const wheels = R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.15}}
  - {name: b, position: [1, 0, 0], mass: 2, inertia: {xx: 0.2, yy: 0.2, zz: 0.35}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.3}}
  - {name: jb, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1], initial: {position: -0.2}}
forces:
  - {name: spring, type: joint-spring-damper, joint: ja, stiffness: 5, rest: 0.1}
  - {name: push, type: joint-force, joint: jb, effort: 0}
modules:
  - {name: gear, type: geared-shaft, joint: ja, other_joint: jb, ratio: 2, other_ratio: -3, inertia: 0.05}
)";

}  // namespace

TEST_CASE("joints that a shaft gears have one coordinate, with the inertia of all") {
  const auto system = system_from_text(wheels);
  const double turn = 2.0 / -3, inertia = 0.15 + 0.05 * 4 + 0.35 * turn * turn;
  const std::vector<LinearCase> all = linearize_all(*system);
  REQUIRE(all.size() >= 2);
  for (const LinearCase& c : all) {
    INFO(c.formulation->name());
    CHECK(c.linear.states.size() == 2);
    REQUIRE(frequencies(c.modes).size() == 1);
    CHECK(frequencies(c.modes)[0] == Approx(std::sqrt(5 / inertia)).epsilon(1e-10));
  }
}

TEST_CASE("geared joints find their equilibrium together") {
  const auto system = system_from_text(wheels);
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    const host::Equilibrium found = host::find_equilibrium(*system, maker(*f), {});
    REQUIRE(found.balanced);
    CHECK(found.point.state.q[0] == Approx(0.1).epsilon(1e-9));
    CHECK(found.point.state.q[1] == Approx(0.1 * 2 / -3).epsilon(1e-9));
  }
}

TEST_CASE("an effort has the unit of what its joint does") {
  const auto system = system_from_text(R"(
polyform: 1
bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: j, type: cylindrical, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}]
forces: [{name: f, type: joint-force, joint: j, effort: [1, 2]}]
)");
  std::vector<std::string> units;
  for (const host::InputField& input : host::input_fields(system->view(), 0)) units.emplace_back(input.unit);
  std::sort(units.begin(), units.end());
  CHECK(units == std::vector<std::string>{"N", "N m"});
}
