// Bodies that slide or roll over the edge of a table: a row that holds lets go where its place ends.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "exact_run.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const std::string table = "{type: box, size: [1, 3, 1]}";

/// A body of 1 kg whose lowest places lie on the table, and which moves with a speed along x.
std::string on_table(const std::string& shape, double x, double turned, double speed, double spin,
                     const std::string& friction, const std::string& ground) {
  const double c = std::cos(turned), s = std::sin(turned);
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: 0.005, yy: 0.005, zz: 0.005}}, position: [{}, 0, 0.6],\n"
      "     orientation: {{axis: [0, 0, 1], angle: {:.17g}}}, velocity: [{:.17g}, {:.17g}, 0],\n"
      "     angular_velocity: [{:.17g}, {:.17g}, 0], geometry: [{}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0, friction: {}}}\n",
      ground, x, turned, c * speed, s * speed, -s * spin, c * spin, shape, friction);
}

const std::string lying = "{type: cylinder, radius: 0.1, length: 0.4, "
                          "orientation: {axis: [1, 0, 0], angle: 1.5707963267948966}}";
const std::string rough = "{static: 0.5, dynamic: 0.5}", smooth = "{static: 0, dynamic: 0}";

}  // namespace

// Until its middle is over the edge nothing holds the box or lets it down: it goes on by v t. Then it tips, and as nothing
// rubs its energy stays.
TEST_CASE("a box slides over the edge of a table without a force along it, and falls off") {
  constexpr double speed = 0.6, x = 0.3;
  for (const double turned : {0.0, 0.1}) {
    const auto system =
        system_from_text(on_table("{type: box, size: [0.2, 0.4, 0.2]}", x, turned, speed, 0, smooth, table));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " turned by " << turned);
      const double over = (0.5 - x) / (speed * std::cos(turned));
      const Ended before = run_to_end(*system, *formulation, exact_run(0.9 * over));
      CHECK(before.record.failure == "");
      CHECK(norm(before.positions[0] -
                 Vec3{x + 0.9 * (0.5 - x), 0.9 * (0.5 - x) * std::tan(turned), 0.6}) < 1e-8);
      const Ended after = run_to_end(*system, *formulation, exact_run(2.5 * over));
      CHECK(after.record.failure == "");
      CHECK(after.positions[0].z < 0.3);
      CHECK(after.record.energy_drift < 1e-6);
    }
  }
}

// Across its axis a cylinder is a ball: they roll off alike where their moments of inertia are the same.
TEST_CASE("a cylinder rolls over the edge of a table as a ball does") {
  constexpr double speed = 0.5, radius = 0.1;
  const auto with = [&](const std::string& shape) {
    return system_from_text(on_table(shape, 0.3, 0, speed, speed / radius, rough, table));
  };
  const auto ball = with("{type: sphere, radius: 0.1}"), rod = with(lying);
  const Ended expected = run_to_end(*ball, *formulations_for(*ball).front(), exact_run(0.8));
  CHECK(expected.positions[0].z < 0.3);
  for (const Formulation* formulation : formulations_for(*rod)) {
    INFO(formulation->name());
    const Ended found = run_to_end(*rod, *formulation, exact_run(0.8));
    CHECK(found.record.failure == "");
    CHECK(norm(found.positions[0] - expected.positions[0]) < 1e-7);
  }
}

// Aslant one rim passes the edge before the other. Friction takes energy and gives none.
TEST_CASE("a cylinder that rolls aslant over the edge of a table falls off and does not jump") {
  constexpr double speed = 0.6, radius = 0.1;
  const auto system = system_from_text(on_table(lying, 0.3, 0.1, speed, speed / radius, rough, table));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended found = run_to_end(*system, *formulation, exact_run(1.2));
    CHECK(found.record.failure == "");
    // By time stepping with steps of 1e-5 s: x = 1.046 m, z = -2.657 m.
    CHECK(found.positions[0].x == Approx(1.046).margin(0.01));
    CHECK(found.positions[0].z == Approx(-2.657).margin(0.02));
  }
}
