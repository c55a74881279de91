// Positions in which a mechanism has degrees of freedom that it lacks in positions next to them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/assembly/singular_position.hpp"
#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A four-bar with cranks of 1 m, pivots 2 m apart and a coupler between their ends, all at one angle of the cranks.
std::string turned_parallelogram(double angle, const std::string& more = "") {
  const double x = std::cos(angle), y = std::sin(angle);
  std::string text = "polyform: 1\nbodies:\n";
  const auto body = [&](const char* name, double px, double py) {
    text += fmt::format("  - {{name: {}, position: [{}, {}, 0], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n",
                        name, px, py);
  };
  body("left", 0, 0);
  body("coupler", x, y);
  body("right", 2, 0);
  text += "joints:\n";
  const auto pin = [&](const char* name, const char* base, const char* moving, double px, double py) {
    text +=
        fmt::format("  - {{name: {}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [0, 0, 1]}}\n",
                    name, base, moving, px, py);
  };
  pin("A", "ground", "left", 0, 0);
  pin("B", "left", "coupler", x, y);
  pin("C", "coupler", "right", 2 + x, y);
  pin("D", "ground", "right", 2, 0);
  return text + more;
}

}  // namespace

TEST_CASE("a parallelogram at its change point has one degree of freedom next to it, and two there") {
  const Assembled flat(turned_parallelogram(0));
  CHECK(flat.system->count_constraints().degrees_of_freedom == 2);
  CHECK(host::neighbourhood(*flat.system).degrees_of_freedom == std::size_t{1});
  CHECK(host::is_next_to_singular(Assembled(turned_parallelogram(1e-5)).system->view(), 0,
                                  Assembled(turned_parallelogram(1e-5)).system->initial_state()));
}

TEST_CASE("elsewhere no position is called singular") {
  for (const double angle : {0.3, 1.0, 2.0}) {
    const Assembled model(turned_parallelogram(angle));
    CHECK(model.system->count_constraints().degrees_of_freedom == 1);
    CHECK_FALSE(host::neighbourhood(*model.system).degrees_of_freedom);
    CHECK_FALSE(host::is_next_to_singular(model.system->view(), 0, model.system->initial_state()));
  }
  const Assembled driven(turned_parallelogram(
      1.0, "constraints:\n  - {name: d, type: prescribed-motion, joint: A, motion: {polynomial: [0, 3]}}\n"));
  CHECK_FALSE(host::neighbourhood(*driven.system).degrees_of_freedom);
  CHECK(host::neighbourhood(*driven.system).held.empty());
}

TEST_CASE("a stretched loop of two links moves for an instant only") {
  const Assembled stretched(R"(
polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: free, position: [5, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: p0, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: p1, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: p2, type: revolute, base: b, moving: ground, position: [2, 0, 0], axis: [0, 0, 1]}
  - {name: p3, type: revolute, base: ground, moving: free, position: [5, 0, 0], axis: [0, 0, 1]}
)");
  CHECK(stretched.system->count_constraints().degrees_of_freedom == 2);
  CHECK(host::neighbourhood(*stretched.system).held == std::vector<std::string>{"a", "b"});
  CHECK(host::neighbourhood(*Assembled(turned_parallelogram(0)).system).held.empty());
  CHECK(host::neighbourhood(*Assembled(turned_parallelogram(1)).system).held.empty());
}
