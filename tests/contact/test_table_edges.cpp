// Bodies that slide or roll over the edge of a table: a row that holds lets go where its place ends, and what crosses
// the edge takes over.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "exact_run.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;
const std::string table = "{type: box, size: [1, 3, 1]}", smooth = "{static: 0, dynamic: 0}";
const std::string square = "{type: box, size: [0.2, 0.4, 0.2]}";

struct Start {
  Vec3 position, velocity;
  double turned = 0;  ///< about the vertical, rad
  Vec3 angular_velocity{};
};

/// A body of 1 kg whose lowest places lie on the ground.
std::string on_table(const std::string& shape, const Start& s, const std::string& friction, const std::string& ground,
                     const Vec3& inertia = {0.0167, 0.0067, 0.0167}) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: {}, yy: {}, zz: {}}}, position: [{:.17g}, {:.17g}, {:.17g}],\n"
      "     orientation: {{axis: [0, 0, 1], angle: {:.17g}}}, velocity: [{:.17g}, {:.17g}, 0],\n"
      "     angular_velocity: [{:.17g}, {:.17g}, {:.17g}], geometry: [{}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0.5, friction: {}}}\n",
      ground, inertia.x, inertia.y, inertia.z, s.position.x, s.position.y, s.position.z, s.turned, s.velocity.x,
      s.velocity.y, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z, shape, friction);
}

/// Of a box that turns about the edge of a table and slides on it: the distance of its middle from the edge along its
/// lower face, its angle, and their rates, by the classical method of Runge and Kutta.
std::array<double, 4> over_edge(double speed, double half_height, double inertia_over_mass, double time) {
  using State = std::array<double, 4>;
  const auto rates = [&](const State& y) {
    const auto [s, q, v, w] = y;
    const double turning = s * (earth * std::cos(q) - 2 * v * w - half_height * w * w) / (s * s + inertia_over_mass);
    return State{v, w, s * w * w + earth * std::sin(q) - half_height * turning, turning};
  };
  const auto step = [](const State& y, const State& rate, double h) {
    State next = y;
    for (std::size_t i = 0; i < 4; ++i) next[i] += h * rate[i];
    return next;
  };
  State y{0, 0, speed, 0};
  constexpr int steps = 4000;
  const double h = time / steps;
  for (int n = 0; n < steps; ++n) {
    const State a = rates(y), b = rates(step(y, a, h / 2)), c = rates(step(y, b, h / 2)), d = rates(step(y, c, h));
    for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return y;
}

}  // namespace

TEST_CASE("a box slides off a table as its equations say, without an impact") {
  const auto system = system_from_file(POLYFORM_MODELS "/box_off_a_table.yaml");
  constexpr double x = 0.2, speed = 0.6, half = 0.1, over = (0.5 - x) / speed, turning = 0.15;
  const auto [s, q, v, w] = over_edge(speed, half, 0.0067, turning);
  REQUIRE(s < half);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended before = run_to_end(*system, *formulation, exact_run(0.99 * over));
    CHECK(norm(before.positions[0] - Vec3{x + 0.99 * (0.5 - x), 0, 0.6}) < 1e-10);
    CHECK(norm(before.velocities[0] - Vec3{speed, 0, 0}) + norm(before.angular_velocities[0]) < 1e-10);
    const Ended after = run_to_end(*system, *formulation, exact_run(over + turning));
    const Vec3 expected{0.5 + s * std::cos(q) + half * std::sin(q), 0, 0.5 - s * std::sin(q) + half * std::cos(q)};
    CHECK(norm(after.positions[0] - expected) < 1e-8);
    CHECK(norm(after.angular_velocities[0] - Vec3{0, w, 0}) < 1e-7);
    const Ended fallen = run_to_end(*system, *formulation, exact_run(1));
    CHECK(fallen.positions[0].z < 0.3);
    CHECK(fallen.record.energy_drift < 1e-9);
    CHECK(fallen.record.warnings.empty());
    CHECK(fallen.record.events < 30);
  }
}

// Both crossings of its edges let go at once. Their forces and accelerations vanish together there, and what is left is
// rounding: at some tolerances one of them closed when the other one opened, without end.
TEST_CASE("a box leaves the edge of a table in one motion at any tolerance") {
  const auto system = system_from_file(POLYFORM_MODELS "/box_off_a_table.yaml");
  Ended exact = run_to_end(*system, *formulations_for(*system).front(), exact_run(1));
  for (const double tolerance : {1e-3, 1.2e-4, 1e-4, 1e-6})
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " with " << tolerance);
      host::RunSettings settings = exact_run(1);
      settings.relative_tolerance = tolerance;
      settings.output_interval = 0.01;
      const Ended ended = run_to_end(*system, *formulation, settings);
      CHECK(ended.record.events < 30);
      CHECK(norm(ended.positions[0] - exact.positions[0]) < 1e-8);
    }
}

// The corners pass the edge one after the other. Nothing rubs and nothing strikes: no force along the table, and the
// energy stays.
TEST_CASE("a box that stands askew slides off a table, its corner, a hull and a moving box without an impact") {
  const std::string hull =
      "{type: mesh, convex: true, vertices: [[-0.5, -1.5, -0.5], [0.5, -1.5, -0.5], [0.5, 1.5, -0.5], "
      "[-0.5, 1.5, -0.5], "
      "[-0.5, -1.5, 0.5], [0.5, -1.5, 0.5], [0.5, 1.5, 0.5], [-0.5, 1.5, 0.5], [0.6, 0, -0.5], [0.6, 0, 0.5]]}";
  struct Case {
    std::string ground;
    Start start;
    double over;  ///< when the middle is over the edge, s
  };
  for (const Case& c :
       {Case{table, {{0.2, 0, 0.6}, {1, 0, 0}, 0.3}, 0.3}, Case{table, {{0.2, -0.5, 0.6}, {0.8, 0.6, 0}, 0.3}, 0.375},
        Case{"{type: box, size: [1, 1, 1]}", {{0.2, 0.2, 0.6}, {0.7, 0.6, 0}, 0.5}, 3.0 / 7},
        Case{hull, {{0.3, 0, 0.6}, {1, 0, 0}, 0.2}, 0.3}}) {
    const auto system = system_from_text(on_table(square, c.start, smooth, c.ground));
    auto formulations = formulations_for(*system);
    if (c.ground == hull) formulations.resize(1);  // it takes its time
    for (const Formulation* formulation : formulations) {
      INFO(formulation->name() << " turned by " << c.start.turned << " at " << c.start.velocity.x);
      const double t = 0.99 * c.over;
      const Ended before = run_to_end(*system, *formulation, exact_run(t));
      CHECK(norm(before.positions[0] - c.start.position - t * c.start.velocity) < 1e-10);
      const Ended after = run_to_end(*system, *formulation, exact_run(1));
      CHECK(after.positions[0].z < 0.3);
      CHECK(after.record.energy_drift < 1e-9);
      CHECK(after.record.events < 30);
    }
  }
  const auto both = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {geometry: [{type: plane, position: [0, 0, -0.1]}]}\nbodies:\n"
      "  - {name: a, mass: 1, inertia: {xx: 0.0167, yy: 0.0067, zz: 0.0167}, position: [0.2, 0, 0.2],\n"
      "     orientation: {axis: [0, 0, 1], angle: 0.2}, velocity: [1, 0, 0], geometry: [" +
      square +
      "]}\n"
      "  - {name: p, mass: 5, inertia: {xx: 0.3, yy: 0.5, zz: 0.7}, geometry: [{type: box, size: [1, 0.8, 0.2]}]}\n"
      "joints:\n  - {name: j, type: free, base: ground, moving: a}\n"
      "  - {name: k, type: free, base: ground, moving: p}\n"
      "contacts:\n  - {name: floor, bodies: [p, ground], law: rigid, restitution: 0}\n"
      "  - {name: top, bodies: [a, p], law: rigid, restitution: 0}\n");
  for (const Formulation* formulation : formulations_for(*both)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*both, *formulation, exact_run(0.7));
    CHECK(ended.positions[0].z < 0);
    CHECK(ended.record.energy_drift < 1e-9);
    CHECK(ended.velocities[0].x + 5 * ended.velocities[1].x == Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("a box that hangs over the edge of a table slides along it for ever") {
  for (const double turned : {0.0, 0.2}) {
    const Start start{{0.43, -1, 0.6}, {0, 1, 0}, turned};
    const auto system = system_from_text(on_table(square, start, smooth, table));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " turned by " << turned);
      const Ended ended = run_to_end(*system, *formulation, exact_run(2));
      CHECK(norm(ended.positions[0] - Vec3{0.43, 1, 0.6}) < 1e-10);
      CHECK(norm(ended.velocities[0] - Vec3{0, 1, 0}) < 1e-10);
    }
  }
}

// It comes onto the table from over the edge and stops beyond or before it.
TEST_CASE("a box with friction comes to rest partly over the edge of a table") {
  constexpr double mu = 0.3, way = 0.16;
  const double speed = std::sqrt(2 * mu * earth * way);
  for (const double sign : {1.0, -1.0}) {
    const double x = sign > 0 ? 0.3 : 0.45;
    const auto system = system_from_text(
        on_table(square, {{x, 0, 0.6}, {sign * speed, 0, 0}, 0}, "{static: 0.3, dynamic: 0.3}", table));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << sign);
      const Ended ended = run_to_end(*system, *formulation, exact_run(2));
      CHECK(norm(ended.positions[0] - Vec3{x + sign * way, 0, 0.6}) < 1e-9);
      CHECK(norm(ended.velocities[0]) + norm(ended.angular_velocities[0]) < 1e-10);
    }
  }
}

// Across its axis a cylinder is a ball: they roll off alike where their moments of inertia are the same.
TEST_CASE("a cylinder rolls over the edge of a table as a ball does") {
  constexpr double speed = 0.5, radius = 0.1;
  const std::string rough = "{static: 0.5, dynamic: 0.5}";
  const auto with = [&](const std::string& shape) {
    return system_from_text(on_table(shape, {{0.3, 0, 0.6}, {speed, 0, 0}, 0, {0, speed / radius, 0}}, rough, table,
                                     {0.005, 0.005, 0.005}));
  };
  const auto ball = with("{type: sphere, radius: 0.1}"),
             rod = with("{type: cylinder, radius: 0.1, length: 0.4, orientation: {axis: [1, 0, 0], angle: " +
                        fmt::format("{:.17g}}}}}", std::numbers::pi / 2));
  const Ended expected = run_to_end(*ball, *formulations_for(*ball).front(), exact_run(0.8));
  CHECK(expected.positions[0].z < 0.3);
  for (const Formulation* formulation : formulations_for(*rod)) {
    INFO(formulation->name());
    const Ended found = run_to_end(*rod, *formulation, exact_run(0.8));
    CHECK(norm(found.positions[0] - expected.positions[0]) < 1e-7);
  }
}

// Askew, it goes off with one end after the other. Ends by moreau-jean: with steps of 2e-4 to 5e-5 s they lie within
// 1e-6 m without friction, and within 1e-4 m where nothing slides. In a body that slides and turns about an end its
// points share the friction otherwise than here: 1e-3 m.
TEST_CASE("a cylinder that rolls askew over the edge of a table falls as time stepping says") {
  struct Case {
    std::string friction;
    Vec3 end;
    double allowed;
  };
  const auto [friction, end, allowed] =
      GENERATE(Case{"{static: 0, dynamic: 0}", {1.082604, 0.07188006, -2.710873}, 3e-6},
               Case{"{static: 5, dynamic: 5}", {1.0254, 0.0075, -2.6303}, 2e-4},
               Case{"{static: 0.5, dynamic: 0.4}", {1.0461, -0.0075, -2.6571}, 1.5e-3});
  const double c = std::cos(0.1), s = std::sin(0.1);
  const auto system = system_from_text(
      fmt::format("polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
                  "  - {{name: a, mass: 1, inertia: {{xx: 0.02, yy: 0.02, zz: 0.005}}, position: [0.3, 0, 0.6],\n"
                  "     orientation: {{axis: [{:.17g}, {:.17g}, 0], angle: {:.17g}}},\n"
                  "     geometry: [{{type: cylinder, radius: 0.1, length: 0.4}}]}}\n"
                  "joints:\n  - {{name: j, type: free, base: ground, moving: a,\n"
                  "     initial: {{velocity: [{:.17g}, {:.17g}, 0, {:.17g}, {:.17g}, 0]}}}}\n"
                  "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0,\n"
                  "     friction: {}}}\n",
                  table, c, s, -std::numbers::pi / 2, 0.6 * c, 0.6 * s, -6 * s, 6 * c, friction));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1.2));
    CHECK(ended.record.energy_drift < 1e-8);
    CHECK(norm(ended.positions[0] - end) < allowed);
  }
}
