// Boxes at meshes that are not convex: they touch as at boxes, and the floor and the walls of a tray at
// once.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "exact_run.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "polyhedron.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;
const std::string table = "{type: box, size: [1, 3, 1]}";
const std::string triangles_of_table =
    "{type: mesh, vertices: [[-0.5, -1.5, -0.5], [0.5, -1.5, -0.5], [-0.5, 1.5, -0.5], [0.5, 1.5, -0.5], "
    "[-0.5, -1.5, 0.5], [0.5, -1.5, 0.5], [-0.5, 1.5, 0.5], [0.5, 1.5, 0.5]], faces: [[0, 4, 6], [0, 6, 2], "
    "[1, 3, 7], [1, 7, 5], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6]]}";
// Along y: its floor is at z = -0.3, its inner walls stand at x = -0.3 and 0.3 and end at z = 0.2.
const std::string tray =
    "{type: mesh, vertices: [[-0.5, -1, -0.5], [0.5, -1, -0.5], [0.5, -1, 0.2], [0.3, -1, 0.2], [0.3, -1, -0.3], "
    "[-0.3, -1, -0.3], [-0.3, -1, 0.2], [-0.5, -1, 0.2], [-0.5, 1, -0.5], [0.5, 1, -0.5], [0.5, 1, 0.2], "
    "[0.3, 1, 0.2], [0.3, 1, -0.3], [-0.3, 1, -0.3], [-0.3, 1, 0.2], [-0.5, 1, 0.2]], faces: [[0, 1, 4], [8, 12, 9], "
    "[1, 2, 3], [9, 11, 10], [1, 3, 4], [9, 12, 11], [0, 4, 5], [8, 13, 12], [0, 5, 6], [8, 14, 13], [0, 6, 7], "
    "[8, 15, 14], [0, 8, 9], [0, 9, 1], [1, 9, 10], [1, 10, 2], [2, 10, 11], [2, 11, 3], [3, 11, 12], [3, 12, 4], "
    "[4, 12, 13], [4, 13, 5], [5, 13, 14], [5, 14, 6], [6, 14, 15], [6, 15, 7], [7, 15, 8], [7, 8, 0]]}";

struct Start {
  Vec3 position, velocity{};
  double turned = 0;  ///< about the vertical, rad
};

std::string box_over(const std::string& ground, const Vec3& size, const Start& s, double friction, double restitution) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: 0.0167, yy: 0.0067, zz: 0.0167}},\n"
      "     position: [{:.17g}, {:.17g}, {:.17g}],\n"
      "     orientation: {{axis: [0, 0, 1], angle: {:.17g}}}, velocity: [{}, {}, {}],\n"
      "     geometry: [{{type: box, size: [{}, {}, {}]}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: {},\n"
      "     friction: {{static: {}, dynamic: {}}}}}\n",
      ground, s.position.x, s.position.y, s.position.z, s.turned, s.velocity.x, s.velocity.y, s.velocity.z, size.x,
      size.y, size.z, restitution, friction, friction);
}

Ended end_of(const std::string& model, double duration, const host::RunSettings& settings) {
  const auto system = system_from_text(model);
  INFO(duration);
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
  CHECK(ended.record.energy_drift < 1e-8);
  CHECK(ended.record.warnings.empty());
  return ended;
}
Ended end_of(const std::string& model, double duration) { return end_of(model, duration, exact_run(duration)); }

}  // namespace

// Corners that lie in the plane of a face touched the side of the table beside it, with a normal between the faces.
TEST_CASE("a box that drops flush beside and onto a table of triangles goes as at a box") {
  struct Case {
    Vec3 position;
    double friction, restitution;
  };
  for (const Case& c : {Case{{0.6, 0, 0.6}, 0.3, 0}, Case{{0.6, 0, 0.7}, 0, 0}, Case{{0.4, 0, 0.65}, 0.3, 0},
                        Case{{0.4, 1.3, 0.65}, 0.3, 0}, Case{{0.5, 0, 0.65}, 0.3, 0}, Case{{0.55, 0, 0.65}, 0.3, 0},
                        Case{{0.4, 0, 0.63}, 0, 0.5}}) {
    INFO(c.position.x << " " << c.position.y << " " << c.position.z);
    const auto model = [&](const std::string& ground) {
      return box_over(ground, {0.2, 0.4, 0.2}, {c.position}, c.friction, c.restitution);
    };
    const Ended at_box = end_of(model(table), 0.6), at_mesh = end_of(model(triangles_of_table), 0.6);
    CHECK(norm(at_mesh.positions[0] - at_box.positions[0]) < 1e-7);
    CHECK(norm(at_mesh.velocities[0] - at_box.velocities[0]) < 1e-6);
  }
}

// Its corners stand on the floor and at a wall: at the nearest triangle alone they changed from one to the other
// without end.
TEST_CASE("a box in a tray touches the floor and both walls") {
  const Ended flush = end_of(box_over(tray, {0.6, 0.4, 0.2}, {{0, 0, 0.1}}, 0, 0), 0.6);
  CHECK(norm(flush.positions[0] - Vec3{0, 0, -0.2}) < 1e-9);
  // Into the corner of floor and wall at once; the wall takes what is left of the speed at its height.
  const double mu = 0.3, speed = 1.5, way = 0.2, left = speed * speed - 2 * mu * earth * way;
  REQUIRE(left > 0);
  const Ended slid = end_of(box_over(tray, {0.2, 0.4, 0.2}, {{0, 0, -0.2}, {speed, 0, 0}}, mu, 0), 0.5);
  CHECK(norm(slid.positions[0] - Vec3{way, 0, -0.2}) < 1e-9);
  CHECK(norm(slid.velocities[0]) < 1e-9);
  const Ended thrown = end_of(box_over(tray, {0.3, 0.4, 0.2}, {{0, 0, 0}, {1, 0, 0}, 0.3}, 0.3, 0), 0.6);
  CHECK(thrown.positions[0].x < 0.3 - 0.15 + 1e-9);
  CHECK(thrown.positions[0].z == Approx(-0.2).margin(1e-9));
  const Ended bounced = end_of(box_over(tray, {0.2, 0.4, 0.2}, {{0.2, 0, -0.1}, {0.8, 0, 0}}, 0, 0.5), 0.8);
  CHECK(bounced.positions[0].z == Approx(-0.2).margin(1e-8));
  CHECK(bounced.positions[0].x == Approx(0.2 - 0.4 * 0.8).margin(1e-8));
}

TEST_CASE("flat parts of a surface that meet in a valley have different colours") {
  using contact::Polyhedron;
  const Polyhedron box = Polyhedron::of_box({1, 1, 1});
  CHECK(box.patches().size() == 6);
  CHECK(box.patch_colours() == 1);
  CHECK(box.directions_from(0).size() == 3);
}

TEST_CASE("a solver that fails without a reason is told so") {
  std::string told;
  try {
    host::fail_solver(0.5, "");
  } catch (const host::Failure& problem) {
    told = problem.message();
  }
  CHECK(told == "the solver failed at t = 0.5 s: it gives no reason");
}
