// Bodies that tumble over a level ground and come to rest: friction takes energy alone, and what rests stays.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// The state of a contact that sums what was lost.
constexpr std::size_t lost_of_contact = 10;

/// A body of 1 kg above a level ground. place: the lines of its position and orientation. velocity: of its free joint.
std::string tumbling(const std::string& place, const std::string& geometry, const std::string& velocity,
                     const std::string& restitution) {
  return R"(
polyform: 1
gravity: [0, 0, -9.81]
ground: {geometry: [{type: plane}]}
bodies:
  - name: a
    mass: 1
    inertia: {xx: 0.05, yy: 0.06, zz: 0.07}
    )" + place +
         "\n    geometry: [" + geometry + R"(]
joints:
  - {name: j, type: free, base: ground, moving: a, initial: {velocity: [)" +
         velocity + R"(]}}
forces:
  - {name: c, type: contact, a: a, b: ground, law: rigid, friction: {static: 0.5, dynamic: 0.4}, restitution: )" +
         restitution + "}\n";
}

const std::string tumbling_hull = tumbling(
    R"(position: [0.1824137087556998, 0.1791309948237398, 1.2]
    orientation: [0.2342744174748314, 0.08693273470846934, 0.49550254441429004, -0.8318866662183618])",
    "{type: mesh, convex: true, vertices: [[0.45, 0, 0], [-0.4, 0.05, 0], [0, 0.4, 0], [0.05, -0.45, 0], [0, 0, 0.35], "
    "[0, 0.05, -0.4]], faces: [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]}",
    "0.3394608028804418, -0.3837270848217116, 0, 0.4237766627138497, 0.42720693456335157, 0.32481606844801236", "0.5");

const std::string tumbling_box = tumbling(
    R"(position: [0, 0, 0.8]
    orientation: [0.9779532820586431, -0.12257627164171074, 0.10237141347950442, 0.13454564074452258])",
    "{type: box, size: [0.5, 0.6, 0.4]}",
    "-0.6735427821646314, -0.5979551268397725, 0, -1.9002787001514414, -1.0781101090768206, -1.687186699581698", "0.3");

}  // namespace

// A few corners slide on one plane until all stop at once. The energy that was there, that of the height at the end,
// and what was lost on the way are a closed account; on a level ground friction never gives any back.
TEST_CASE("friction never pushes a body that tumbles to rest on a level ground") {
  for (const std::string& text : {tumbling_hull, tumbling_box}) {
    const auto system = system_from_text(text);
    for (const Formulation* formulation : formulations_for(*system)) {
      for (const double tolerance : {1e-7, 1e-8}) {
        INFO(formulation->name() << " " << tolerance << text);
        double lost = 0, given_back = 0, begun = 0, height = 0, kinetic = 0;
        bool first = true;
        EachRow rows([&](double, const Observation& now) {
          REQUIRE(now.x.size() == lost_of_contact + 1);
          given_back = std::max(given_back, lost - now.x[lost_of_contact]);
          lost = now.x[lost_of_contact];
          kinetic = now.kinetic_energy;
          height = now.bodies[0].pose.position.z;
          if (first) begun = kinetic + 9.81 * height;
          first = false;
        });
        host::RunSettings s = run_settings("dop853");
        s.duration = 2;
        s.output_interval = 0.005;
        s.relative_tolerance = tolerance;
        s.absolute_tolerance = 0.01 * tolerance;
        const auto solver = solver_for(*system, *formulation);
        host::RowSink* sinks[] = {&rows};
        const host::RunRecord record = host::simulate(*system, *solver, s, sinks, {});
        INFO(record.failure);
        REQUIRE(record.end == host::End::done);
        CHECK(record.warnings.empty());
        CHECK(given_back < tolerance * begun);
        CHECK(kinetic < 1e-15);
        CHECK(lost == Approx(begun - 9.81 * height).margin(1e-5));
      }
    }
  }
}

// What a run knows of directions is turned round while a block slides: the next step finds that its friction pushes.
TEST_CASE("friction whose direction is known wrongly is chosen anew, and does not push for a step") {
  constexpr double mu = 0.3, g = 9.81, speed = 2, first = 0.1, last = 0.4;
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
ground: {geometry: [{type: plane}]}
bodies: [{name: b, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, position: [0, 0, 0.05],
          geometry: [{type: box, size: [0.3, 0.3, 0.1]}]}]
joints: [{name: j, type: free, base: ground, moving: b, initial: {velocity: [2, 0, 0, 0, 0, 0]}}]
forces: [{name: c, type: contact, a: b, b: ground, law: rigid, friction: {dynamic: 0.3}}]
)");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    double x = 0, v = 0;
    EachRow rows([&](double, const Observation& now) {
      x = now.bodies[0].pose.position.x;
      v = now.bodies[0].velocity.x;
    });
    host::RowSink* sinks[] = {&rows};
    host::RunSettings s = run_settings("dop853");
    s.duration = last;
    const auto solver = solver_for(*system, *formulation);
    host::RunOnDemand run(system->view(), system->initial_state(), *solver, s, sinks);
    REQUIRE(run.go_to(first, true));
    host::RunState turned = run.state();
    const std::size_t directions = 2 * turned.modes.size();
    REQUIRE(turned.touching.size() > directions);
    REQUIRE(turned.touching[0] == Approx(1));
    for (std::size_t i = 0; i < directions; ++i) turned.touching[i] = -turned.touching[i];
    host::RunOnDemand next(system->view(), system->initial_state(), *solver, s, sinks, &turned);
    REQUIRE(next.go_to(last, true));
    CHECK(v == Approx(speed - mu * g * last).epsilon(1e-9));
    CHECK(x == Approx(speed * last - 0.5 * mu * g * last * last).epsilon(1e-9));
  }
}

// Where an axis of a capsule ends on an edge, a correction of places takes 2e-5 J in an event, without an impact. A run
// tells such a jump, or has none.
TEST_CASE("a jump of the energy at an event of contact is told") {
  const auto system = system_from_text(
      R"(polyform: 1
gravity: [0, 0, -9.81]
ground:
  geometry:
    - {type: mesh, convex: true, vertices: [[-0.3, -0.25, -0.5], [-0.3, -0.25, 0.5], [-0.3, 0.25, -0.5],
       [-0.3, 0.25, 0.5], [0.3, -0.25, -0.5], [0.3, -0.25, 0.5], [0.3, 0.25, -0.5], [0.3, 0.25, 0.5]]}
bodies:
  - name: b
    mass: 1
    inertia: {xx: 0.006, yy: 0.005, zz: 0.007}
    position: [0.207492805376884, 0.016545413545016624, 0.85]
    orientation: {axis: [0.5938002220899374, -0.41895560424120326, -0.6869334013722359], angle: 1.4547756514599501}
    geometry: [{type: capsule, radius: 0.07, length: 0.25}]
joints:
  - name: j
    type: free
    base: ground
    moving: b
    initial: {velocity: [0.1343552401942114, 0.34714226081660526, -0.053790604066231484, 0.0006350230636860132,
                         2.4827753629735136, -3.972751443231446]}
forces: [{name: c, type: contact, a: b, b: ground, law: rigid, restitution: 0}]
)");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings s = run_settings("dop853");
    s.duration = 0.6;
    s.output_interval = 0.01;
    const Ended ended = run_to_end(*system, *formulation, s);
    CHECK(ended.record.failure == "");
    const bool told = std::ranges::any_of(ended.record.warnings, [](const std::string& text) {
      return text.find("energy balance jumps by") != std::string::npos;
    });
    CHECK((told || ended.record.energy_drift < 2e-7));
  }
}

// A torque T and a brake with the friction R stop two shafts that a clutch holds together. At rest the brake and the
// clutch take the torque: loads of some ten N m cancel, and nothing moves.
TEST_CASE("shafts that are braked against a torque stand still in every formulation, with implicit integrators too") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.165, yy: 0.165, zz: 0.165}}
  - {name: b, mass: 1, inertia: {xx: 0.211, yy: 0.211, zz: 0.211}, position: [0.2, 0, 0]}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0], initial: {velocity: 10}}
  - {name: jb, type: revolute, base: ground, moving: b, position: [0.2, 0, 0], axis: [1, 0, 0], initial: {velocity: 10}}
  - {name: between, type: revolute, base: a, moving: b, position: [0.1, 0, 0], axis: [1, 0, 0], cut: true}
forces:
  - {name: torque, type: joint-force, joint: jb, effort: -19.09}
  - {name: clutch, type: dry-friction, joint: between, effort: 34}
  - {name: brake, type: dry-friction, joint: ja, effort: 37}
)");
  const double slowed = (19.09 + 37) / (0.165 + 0.211), turned = 10 * 10 / (2 * slowed);
  for (const char* const name : {"radau5", "generalized-alpha"})
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << name);
      host::RunSettings settings = run_settings(name);
      settings.duration = 0.1;
      const Ended ended = run_to_end(*system, *formulation, settings);
      CHECK(ended.record.end == host::End::done);
      for (std::size_t b = 0; b < 2; ++b) {
        CHECK(std::abs(ended.angular_velocities[b].x) < 1e-12);
        CHECK(2 * std::atan2(ended.orientations[b].x, ended.orientations[b].w) == Approx(turned).epsilon(1e-6));
      }
    }
}
