// Equilibria of what is soft or loose beside what is stiff.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("weights of grams to tons hang on soft springs beside stiff ones, in all solvers") {
  using Chain = std::vector<std::pair<double, double>>;  // masses, and stiffnesses above them
  for (const Chain& chain :
       {Chain{{4300, 4600}, {0.58, 1.2e7}, {0.0022, 2.3e9}, {560, 3.2e4}}, Chain{{8000, 1.2e3}, {0.002, 1e9}}}) {
    std::string bodies = "bodies:\n", joints = "joints:\n", forces = "forces:\n", above = "ground";
    for (const auto& [mass, stiffness] : chain) {
      const std::string name = above + "a";
      bodies += fmt::format("  - {{name: {}, mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n", name, mass);
      joints += fmt::format(
          "  - {{name: j{0}, type: prismatic, base: {1}, moving: {0}, position: [0, 0, 0], axis: [0, 0, 1]}}\n", name,
          above);
      forces +=
          fmt::format("  - {{name: f{0}, type: joint-spring-damper, joint: j{0}, stiffness: {1}}}\n", name, stiffness);
      above = name;
    }
    const auto system = system_from_text("polyform: 1\ngravity: [0, 0, -9.81]\n" + bodies + joints + forces);
    for (const Formulation* f : formulations_for(*system)) {
      INFO(f->name());
      const host::Equilibrium found = host::find_equilibrium(*system, maker(*f), {});
      CHECK(found.balanced);
      double weight = 0;
      for (std::size_t i = chain.size(); i-- > 0;) {
        weight += 9.81 * chain[i].first;
        CHECK(found.point.state.q[i] == Approx(-weight / chain[i].second).epsilon(1e-6).margin(1e-10));
      }
    }
  }
}

TEST_CASE("a pendulum near its highest place comes to hang beside a stiff spring on a light body") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: rod, mass: 2, center_of_mass: [0, 0, 0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: a, mass: 0.001, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.1}}
  - {name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: f, type: joint-spring-damper, joint: s, stiffness: 1.0e+8}
)");
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    const host::Equilibrium found = host::find_equilibrium(*system, maker(*f), {});
    CHECK(found.balanced);
    CHECK(std::cos(found.point.state.q[0]) == Approx(-1).epsilon(1e-9));
  }
}

TEST_CASE(
    "light bodies that a stiff spring joins are not at rest where both fall, and hang where a soft spring holds") {
  const auto pair = [](double gravity, double mass, double stiff, double soft) {
    return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, {}]
bodies:
  - {{name: a, mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b, mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: ja, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: jb, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: stiff, type: spring-damper, a: {{body: a}}, b: {{body: b, point: [0, 0, 1]}}, stiffness: {}, free_length: 1}}
  - {{name: soft, type: joint-spring-damper, joint: ja, stiffness: {}}}
)",
                                        -gravity, mass, mass, stiff, soft));
  };
  const auto falls = pair(0.017, 0.01, 1e10, 0), hangs = pair(9.81, 0.01, 1e9, 0.2);
  for (const Formulation* f : formulations_for(*falls)) {
    INFO(f->name());
    CHECK_FALSE(host::find_equilibrium(*falls, maker(*f), {}).balanced);
    const host::Equilibrium found = host::find_equilibrium(*hangs, maker(*f), {});
    CHECK(found.balanced);
    CHECK(found.point.state.q[0] == Approx(-2 * 0.01 * 9.81 / 0.2).epsilon(1e-6));
  }
}
