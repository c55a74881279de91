// Where surfaces of many faces end: rims over the edges of meshes that are not convex, and the edge of a height field.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "exact_run.hpp"
#include "polyform/helpers/height_grid.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const std::string table = "{type: box, size: [1, 3, 1]}";
/// The same, as a mesh that is not known to be convex.
const std::string table_of_triangles =
    "{type: mesh, vertices: [[-0.5, -1.5, -0.5], [-0.5, -1.5, 0.5], [-0.5, 1.5, -0.5], [-0.5, 1.5, 0.5], "
    "[0.5, -1.5, -0.5], [0.5, -1.5, 0.5], [0.5, 1.5, -0.5], [0.5, 1.5, 0.5]], faces: [[0, 1, 2], [1, 3, 2], "
    "[4, 6, 5], [5, 6, 7], [0, 4, 1], [1, 4, 5], [2, 3, 6], [3, 7, 6], [0, 2, 4], [2, 6, 4], [1, 5, 3], [3, 5, 7]]}";

/// A wheel that falls onto the edge x = 0.5 of a table: its middle at x, its axis turned about the vertical and tilted.
std::string wheel_over(const std::string& ground, double x, double turned, double tilted, const std::string& law) {
  const double a = turned / 2, b = (std::numbers::pi / 2 + tilted) / 2;
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: 0.05, yy: 0.05, zz: 0.045}}, position: [{}, 0.1, 1],\n"
      "     orientation: [{:.17g}, {:.17g}, {:.17g}, {:.17g}],\n"
      "     geometry: [{{type: cylinder, radius: 0.3, length: 0.2}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, {}}}\n",
      ground, x, std::cos(a) * std::cos(b), -std::sin(a) * std::sin(b), std::cos(a) * std::sin(b),
      std::sin(a) * std::cos(b), law);
}

constexpr double spacing = 0.5, climb = 0.15;
const std::string ramp =
    "{type: height-field, spacing: 0.5, heights: [[0, 0, 0], [0.05, 0.05, 0.05], [0.1, 0.1, 0.1], "
    "[0.15, 0.15, 0.15]]}";

}  // namespace

// Each place where an edge crosses a rim is there at a box. Meshes that are not convex had none: rims sank into them.
TEST_CASE("a wheel falls onto the edge of a table of triangles as onto that of a box") {
  struct Case {
    double x, turned, tilted;
  };
  for (const Case& c : {Case{0.52, 0.5, -0.3}, Case{0.52, 0.9, 0.2}, Case{0.6, 0.5, -0.3}, Case{0.6, 0.9, -0.3}}) {
    const std::string law = "law: rigid, restitution: 0.5";
    const auto box = system_from_text(wheel_over(table, c.x, c.turned, c.tilted, law)),
               mesh = system_from_text(wheel_over(table_of_triangles, c.x, c.turned, c.tilted, law));
    const Ended expected = run_to_end(*box, *formulations_for(*box).front(), exact_run(0.5));
    for (const Formulation* formulation : formulations_for(*mesh)) {
      INFO(formulation->name() << " at " << c.x << " turned by " << c.turned << " tilted by " << c.tilted);
      const Ended ended = run_to_end(*mesh, *formulation, exact_run(0.5));
      CHECK(norm(ended.positions[0] - expected.positions[0]) < 1e-8);
      CHECK(norm(ended.angular_velocities[0] - expected.angular_velocities[0]) < 1e-6);
      CHECK(ended.record.energy_drift < 1e-8);
    }
  }
}

TEST_CASE("the surface of a height field goes on beyond its edge without a crease") {
  const std::array<double, 12> heights{0, 0.3, 0.1, 0.2, 0.5, 0.4, 0.1, 0.6, 0.2, 0.3, 0.2, 0.7};
  const HeightGrid grid{.heights = heights, .rows = 4, .x = 0, .y = 0, .spacing_x = 0.5, .spacing_y = 1};
  constexpr double near = 1e-7;
  for (const double along : {0.1, 0.7, 1.3})
    for (const auto& [inside, outside] : {std::pair{grid.at(near, along), grid.at(-near, along)},
                                          {grid.at(1.5 - near, along), grid.at(1.5 + near, along)},
                                          {grid.at(along, near), grid.at(along, -near)},
                                          {grid.at(along, 2 - near), grid.at(along, 2 + near)}}) {
      CHECK(inside.height == Approx(outside.height).margin(1e-9));
      CHECK(inside.slope_x == Approx(outside.slope_x).margin(1e-4));
      CHECK(inside.slope_y == Approx(outside.slope_y).margin(1e-4));
    }
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      CHECK(grid.at(0.5 * static_cast<double>(row), static_cast<double>(column)).height ==
            Approx(heights[3 * row + column]));
}

// Without friction it gains or loses m g h and nothing else: there is no impact where the ramp begins and ends.
TEST_CASE("a ball slides up a ramp of a height field and down it from level to level") {
  for (const double sign : {1.0, -1.0}) {
    const double speed = 3, half = 1.5 * spacing, start = sign * -2, height = 0.1 + (sign > 0 ? 0 : climb);
    const auto system = system_from_text(
        fmt::format("polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
                    "  - {{name: a, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}, position: [{}, 0.1, {}],\n"
                    "     velocity: [{}, 0, 0], geometry: [{{type: sphere, radius: 0.1}}]}}\n"
                    "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
                    "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0}}\n",
                    ramp, start, height, sign * speed));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << (sign > 0 ? " up" : " down"));
      const Ended ended = run_to_end(*system, *formulation, exact_run(1.2));
      CHECK(sign * ended.positions[0].x > half);
      CHECK(ended.positions[0].z == Approx(0.1 + (sign > 0 ? climb : 0)).epsilon(1e-9));
      CHECK(sign * ended.velocities[0].x == Approx(std::sqrt(speed * speed - sign * 2 * 9.81 * climb)).epsilon(1e-7));
    }
  }
}

// The place where its axis crosses the edge runs along the edge to its end while the two become parallel.
TEST_CASE("a rod with round ends that turns through the direction of an edge on which it slides keeps its energy") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground:\n  geometry:\n"
      "    - {type: mesh, convex: true, vertices: [[-0.3, -0.25, -0.5], [-0.3, -0.25, 0.5], [-0.3, 0.25, -0.5],\n"
      "       [-0.3, 0.25, 0.5], [0.3, -0.25, -0.5], [0.3, -0.25, 0.5], [0.3, 0.25, -0.5], [0.3, 0.25, 0.5]]}\n"
      "bodies:\n"
      "  - {name: b, mass: 1, inertia: {xx: 0.006, yy: 0.005, zz: 0.007},\n"
      "     position: [0.207492805376884, 0.016545413545016624, 0.85], geometry: [{type: capsule, radius: 0.07,\n"
      "     length: 0.25}], orientation: {angle: 1.4547756514599501,\n"
      "     axis: [0.5938002220899374, -0.41895560424120326, -0.6869334013722359]}}\n"
      "joints:\n"
      "  - {name: j, type: free, base: ground, moving: b, initial: {velocity: [0.1343552401942114,\n"
      "     0.34714226081660526, -0.053790604066231484, 0.0006350230636860132, 2.4827753629735136,\n"
      "     -3.972751443231446]}}\n"
      "forces:\n  - {name: c, type: contact, a: b, b: ground, law: rigid, restitution: 0}\n");
  auto formulations = formulations_for(*system);
  formulations.resize(2);  // each takes its time
  for (const Formulation* formulation : formulations)
    for (const double tolerance : {1e-8, 1e-10}) {
      INFO(formulation->name() << " with " << tolerance);
      host::RunSettings settings = exact_run(0.7);
      settings.relative_tolerance = tolerance;
      const Ended ended = run_to_end(*system, *formulation, settings);
      CHECK(ended.record.energy_drift < 1e-8);
      CHECK(ended.record.warnings.empty());
    }
}
