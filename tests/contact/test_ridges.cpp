// Edges that turn over each other, through the moment at which they are parallel.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double ridge_height = 0.141421356237309515;  // of a box of 0.2 m that stands on its edge

/// A box lies with an edge on the edge of another one and turns about the vertical through the middle of both.
/// length: of the upper one, m; angle: rad; spin: rad/s.
std::string ridges(double length, double angle, double spin, double friction, double restitution) {
  return fmt::format(
      R"(polyform: 1
gravity: [0, 0, -9.81]
ground: {{geometry: [{{type: box, size: [1, 0.2, 0.2], orientation: {{axis: [1, 0, 0], angle: 0.7853981633974483}}}}]}}
bodies:
  - name: u
    mass: 1
    inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}
    position: [0, 0, {0:.17g}]
    orientation: {{axis: [0, 0, 1], angle: {2}}}
    geometry: [{{type: box, size: [{1}, 0.2, 0.2], orientation: {{axis: [1, 0, 0], angle: 0.7853981633974483}}}}]
joints:
  - {{name: j, type: cylindrical, base: ground, moving: u, position: [0, 0, {0:.17g}], axis: [0, 0, 1],
      initial: {{velocity: [0, {3}]}}}}
forces: [{{name: c, type: contact, a: u, b: ground, law: rigid, restitution: {5}, friction: {{dynamic: {4}}}}}]
)",
      2 * ridge_height, length, angle, spin, friction, restitution);
}

}  // namespace

// Level edges cross at the axis of the turning at every angle, at one height: the boxes touch in that point alone but
// where the edges are parallel, where an end of the upper edge comes to the lower one and leaves it. No impact has a
// direction that would stop it: out of the lower box the end moves along one of the two sides.
TEST_CASE("an edge turns over another one through where both are parallel, and loses nothing") {
  struct Case {
    double spin, length, friction, restitution;
  };
  for (const auto& [spin, length, friction, restitution] :
       {Case{-1, 0.6, 0, 0}, Case{4, 0.6, 0.2, 0.5}, Case{-1, 1.4, 0.2, 0}}) {
    constexpr double duration = 0.2;
    const double angle = -0.37 * duration * spin;
    const auto system = system_from_text(ridges(length, angle, spin, friction, restitution));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " spin " << spin << " length " << length << " friction " << friction
                               << " restitution " << restitution);
      host::RunSettings s = run_settings("dopri5");
      s.duration = duration;
      s.output_interval = 0.05;
      const Ended ended = run_to_end(*system, *formulation, s);
      REQUIRE(ended.record.failure == "");
      CHECK(ended.angular_velocities[0].z == Approx(spin).epsilon(1e-7));
      CHECK(ended.positions[0].z == Approx(2 * ridge_height).margin(1e-9));
      CHECK(ended.record.energy_drift < 1e-7);
    }
  }
}

// A disc falls on its rim on a bar, tips over and comes to lie flat on an edge. Its lowest point goes round the rim
// there at once: what holds it has a speed, which the impact takes, and no correction that nothing tells of.
TEST_CASE("a disc that falls flat on a bar loses what its impacts and its friction tell") {
  constexpr std::size_t lost = 10;  // among the states of the contact
  for (const char* const faces :
       {"convex: true",
        "faces: [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], "
        "[0, 6, 4], [1, 5, 7], [1, 7, 3]]"}) {
    const auto system = system_from_text(fmt::format(
        R"(polyform: 1
gravity: [0, 0, -9.81]
ground:
  geometry:
    - {{type: mesh, {}, position: [0, 0, -0.1], vertices: [[-0.1, -1, -0.1], [-0.1, -1, 0.1], [-0.1, 1, -0.1],
       [-0.1, 1, 0.1], [0.1, -1, -0.1], [0.1, -1, 0.1], [0.1, 1, -0.1], [0.1, 1, 0.1]]}}
bodies:
  - name: d
    mass: 1
    inertia: {{xx: 0.006458333333333332, yy: 0.006458333333333332, zz: 0.01125}}
    position: [-0.14, 0.1, 0.2]
    orientation: {{axis: [0.3, 1, 0.1], angle: 0.7}}
    geometry: [{{type: cylinder, radius: 0.15, length: 0.1}}]
joints: [{{name: j, type: free, base: ground, moving: d}}]
forces: [{{name: c, type: contact, a: d, b: ground, law: rigid, friction: {{dynamic: 0.3}}, restitution: 0}}]
)",
        faces));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << faces);
      double begun = 0, worst = 0;
      bool first = true;
      EachRow rows([&](double, const Observation& now) {
        REQUIRE(now.x.size() == lost + 1);
        const double energy = now.kinetic_energy + 9.81 * now.bodies[0].pose.position.z + now.x[lost];
        if (first) begun = energy;
        first = false;
        worst = std::max(worst, std::abs(energy - begun));
      });
      host::RunSettings s = run_settings("dopri5");
      s.duration = 0.25;
      s.output_interval = 0.01;
      const auto solver = solver_for(*system, *formulation);
      host::RowSink* sinks[] = {&rows};
      const host::RunRecord record = host::simulate(*system, *solver, s, sinks, {});
      REQUIRE(record.failure == "");
      CHECK(record.warnings.empty());
      CHECK(worst < 1e-7);
    }
  }
}

// A disc lies with an end on an edge, tips over it and slides off, until the edge is a tangent of its rim: the two
// places where they cross come together there and end. Until then the edge cuts the rim, and carries the disc.
TEST_CASE("a disc slides off an edge as far as the edge cuts its rim") {
  constexpr std::size_t mode = 8, lost = 10;  // among the states of the contact
  const auto system = system_from_text(R"(polyform: 1
gravity: [0, 0, -9.81]
ground:
  geometry:
    - {type: mesh, convex: true, position: [0, 0, -0.1], vertices: [[-0.1, -1, -0.1], [-0.1, -1, 0.1], [-0.1, 1, -0.1],
       [-0.1, 1, 0.1], [0.1, -1, -0.1], [0.1, -1, 0.1], [0.1, 1, -0.1], [0.1, 1, 0.1]]}
bodies:
  - name: d
    mass: 1
    inertia: {xx: 0.006458333333333332, yy: 0.006458333333333332, zz: 0.01125}
    position: [0.12, 0.1, 0.2]
    orientation: {axis: [0.3, 1, 0.1], angle: 1.2}
    geometry: [{type: cylinder, radius: 0.15, length: 0.1}]
joints: [{name: j, type: free, base: ground, moving: d}]
forces: [{name: c, type: contact, a: d, b: ground, law: rigid, friction: {dynamic: 0.3}, restitution: 0}]
)");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    double begun = 0, worst = 0, left = 0;
    bool first = true;
    EachRow rows([&](double t, const Observation& now) {
      REQUIRE(now.x.size() == lost + 1);
      const Observation::Body& body = now.bodies[0];
      const double energy = now.kinetic_energy + 9.81 * body.pose.position.z + now.x[lost];
      if (first) begun = energy;
      first = false;
      worst = std::max(worst, std::abs(energy - begun));
      if (t < 0.2) return;  // it lies flat from 0.187 s on
      const Mat3 R = rotation_matrix(body.pose.orientation);
      const Vec3 end = body.pose.position - 0.05 * Vec3{R(0, 2), R(1, 2), R(2, 2)};
      const double from_edge = std::hypot(end.x - 0.1, end.z);
      INFO(t << " " << from_edge);
      CHECK((now.x[mode] != 0) == (from_edge < 0.15));
      if (now.x[mode] != 0) left = t;
    });
    host::RunSettings s = run_settings("dopri5");
    s.duration = 0.31;
    s.output_interval = 0.001;
    const auto solver = solver_for(*system, *formulation);
    host::RowSink* sinks[] = {&rows};
    const host::RunRecord record = host::simulate(*system, *solver, s, sinks, {});
    REQUIRE(record.failure == "");
    CHECK(worst < 1e-7);
    CHECK(left > 0.29);
  }
}
