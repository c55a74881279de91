// Models of the levels of a hierarchy.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "polyform/contract/equations.hpp"
#include "tests/hierarchy/solver_with.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;

/// The shipped mechanism in subsystems, under gravity along −y.
std::string mechanism_text() {
  std::ifstream file(std::string(POLYFORM_MODELS) + "/planar_3rrr_subsystems.yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::string s = text.str();
  const std::string still = "gravity: [0, 0, 0]";
  return s.replace(s.find(still), still.size(), "gravity: [0, -9.81, 0]");
}

/// Keeps the poses of the last row.
class LastPoses final : public host::RowSink {
 public:
  void row(double, const Observation& o) override { poses.assign(o.bodies.begin(), o.bodies.end()); }
  std::vector<Observation::Body> poses;
};

std::vector<Observation::Body> run(const host::System& system, Solver& solver, double duration) {
  LastPoses sink;
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings = test::run_settings();
  settings.duration = duration;
  settings.relative_tolerance = 1e-11;
  settings.absolute_tolerance = 1e-12;
  const host::RunRecord record = host::simulate(system, solver, settings, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  return sink.poses;
}

constexpr const char* chain = R"(
polyform: 1
gravity: [0, -9.81, 0]
chains:
  - {name: arm, count: 16, base: ground, start: [0, 0, 0], step: [0.2, 0.1, 0],
     body: {mass: 1, center_of_mass: [0.1, 0.05, 0], inertia: {xx: 0.001, yy: 0.01, zz: 0.01}},
     joint: {type: spherical}}
)";

}  // namespace

TEST_CASE("at level 1 of a system without subsystems every body falls freely") {
  const auto system = system_from_text(chain);
  const auto store = observe_with(*system, {{"level", "1"}});
  for (const auto& body : store->now().bodies) {
    CHECK(norm(body.acceleration - Vec3{0, -earth, 0}) < 1e-12);
    CHECK(norm(body.angular_acceleration) < 1e-12);
  }
  for (const Spatial& w : store->now().reactions) CHECK(dot(w, w) == 0);
  const auto solver = solver_with(*system, {{"level", "1"}});
  const auto end = run(*system, *solver, 0.5);
  for (std::size_t i = 0; i < end.size(); ++i)
    CHECK(std::abs(end[i].pose.position.y - 0.1 * static_cast<double>(i) + 0.5 * earth * 0.25) < 1e-9);
}

TEST_CASE("actuators in the legs of the mechanism stand beside its bars: three levels") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr_actuators.yaml");
  CHECK_NOTHROW(solver_with(*system, {{"level", "3"}}));
  CHECK_THROWS_AS(solver_with(*system, {{"level", "4"}}), host::Failure);
  const auto solver = solver_with(*system, {});
  const auto* equations = ask<Equations>(*solver);
  REQUIRE(equations->levels() == 3);
  for (std::size_t i = 0; i < equations->constraints(); ++i) {
    const Equations::Constraint c = equations->constraint(i);
    INFO(c.name);
    CHECK(c.level == (c.name.find("wrist") == std::string_view::npos ? 2 : 3));
  }
  // Level 1: motors, bars and platform; level 2: legs and platform.
  std::size_t first = 0, second = 0;
  for (std::size_t b = 0; b < equations->blocks(); ++b) {
    first = std::max(first, equations->module_of(b, 1) + 1);
    second = std::max(second, equations->module_of(b, 2) + 1);
  }
  CHECK(first == 10);
  CHECK(second == 4);
}

TEST_CASE("a motor on a bar that is named alone is a member of what is around the bar") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: bar, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: tip, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: A, type: revolute, base: ground, moving: bar, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: B, type: revolute, base: bar, moving: tip, position: [1, 0, 0], axis: [0, 1, 0]}
modules:
  - {name: motor, type: dc-motor, joint: A, voltage: 6, resistance: 1, inductance: 0.01, torque_constant: 0.1, rotor_inertia: 1.0e-4}
subsystems:
  - name: leg
    subsystems:
      - {name: U, bodies: [bar]}
      - {name: B, bodies: [tip]}
)");
  const auto solver = solver_with(*system, {});
  const auto* equations = ask<Equations>(*solver);
  CHECK(equations->levels() == 2);
  for (std::size_t i = 0; i < equations->constraints(); ++i)
    CHECK(equations->constraint(i).level == (equations->constraint(i).name == "A" ? 1 : 2));
}

TEST_CASE("subsystems found in a chain are halved from level to level") {
  // 16 bodies: 8 pairs, 4, 2, 1, so five levels with that of the free bodies. The outermost body falls with what its
  // module holds it to; at the last level it is the chain's.
  const auto system = system_from_text(chain);
  CHECK_NOTHROW(solver_with(*system, {{"level", "5"}}));
  CHECK_THROWS_AS(solver_with(*system, {{"level", "6"}}), host::Failure);
  const auto whole = observe_with(*system, {}), last = observe_with(*system, {{"level", "5"}}),
             pairs = observe_with(*system, {{"level", "2"}});
  CHECK(difference(whole->now(), last->now()) == 0);
  // A pair without its neighbours falls freely, its joint unloaded; the innermost pair hangs on ground.
  for (std::size_t i = 2; i < 16; ++i) CHECK(norm(pairs->now().bodies[i].acceleration - Vec3{0, -earth, 0}) < 1e-12);
  CHECK(norm(pairs->now().bodies[0].acceleration) < 1e-12);
}

TEST_CASE("level 1 of the 3RRR mechanism has pivoted actuators and bars, free bars and a free platform") {
  const auto system = system_from_text(mechanism_text());
  const auto store = observe_with(*system, {{"level", "1"}});
  const auto& bodies = store->now().bodies;
  for (const char* name : {"d1", "d2", "d3", "platform"}) {
    INFO(name);
    CHECK(norm(bodies[body_of(*system, name)].acceleration - Vec3{0, -earth, 0}) < 1e-12);
    CHECK(norm(bodies[body_of(*system, name)].angular_acceleration) < 1e-12);
  }
  // A rotor alone: effort over inertia. A bar alone: a pendulum about its pivot.
  CHECK(bodies[body_of(*system, "rotor1")].angular_acceleration.z == Approx(0.08 / 0.001).epsilon(1e-12));
  const auto& bar = bodies[body_of(*system, "p1")];
  const double lever = 0.15 * std::cos(-0.7293424943150172), inertia = 0.0035 + 0.6 * 0.15 * 0.15;
  CHECK(bar.angular_acceleration.z == Approx(-0.6 * earth * lever / inertia).epsilon(1e-12));
}

TEST_CASE("level 2 of the 3RRR mechanism has its chains, separate from each other and from the platform") {
  const auto system = system_from_text(mechanism_text());
  const auto solver = solver_with(*system, {{"level", "2"}});
  const auto store = observe(*system, *solver);
  const auto& bodies = store->now().bodies;
  CHECK(norm(bodies[body_of(*system, "platform")].acceleration - Vec3{0, -earth, 0}) < 1e-12);
  CHECK(bodies[body_of(*system, "rotor1")].angular_acceleration.z ==
        Approx(bodies[body_of(*system, "p1")].angular_acceleration.z).epsilon(1e-12));
  // The chains one by one, as models of their own, move in the same way.
  const auto end = run(*system, *solver, 0.3);
  const auto alone = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: p1, position: [0, 0.5, 0], orientation: {axis: [0, 0, 1], angle: -0.7293424943150172}, mass: 0.6,
     center_of_mass: [0.15, 0, 0], inertia: {xx: 0.00225, yy: 0.00225, zz: 0.0045}}
  - {name: d1, position: [0.22368381354446396, 0.3000861396545864, 0], mass: 0.5, center_of_mass: [0.15, 0, 0],
     orientation: {axis: [0, 0, 1], angle: -2.3634575591199667}, inertia: {xx: 0.001875, yy: 0.001875, zz: 0.00375}}
joints:
  - {name: A1, type: revolute, base: ground, moving: p1, position: [0, 0.5, 0], axis: [0, 0, 1]}
  - {name: B1, type: revolute, base: p1, moving: d1, position: [0.22368381354446393, 0.3000861396545864, 0],
     axis: [0, 0, 1]}
forces:
  - {name: drive1, type: joint-force, joint: A1, effort: 0.08}
)");
  const auto expected = run(*alone, *solver_with(*alone, {}), 0.3);
  for (const char* name : {"p1", "d1"}) {
    INFO(name);
    const auto &a = end[body_of(*system, name)], &b = expected[body_of(*alone, name)];
    CHECK(norm(a.pose.position - b.pose.position) < 1e-9);
    CHECK(norm(a.angular_velocity - b.angular_velocity) < 1e-8);
  }
  CHECK(end[body_of(*system, "platform")].pose.position.y == Approx(-0.01 - 0.5 * earth * 0.09).epsilon(1e-9));
}

TEST_CASE("level 3 of the 3RRR mechanism is the mechanism, whether flat or in subsystems, and that without rotors") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr_subsystems.yaml");
  const auto plain = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr.yaml");
  const auto nested = run(*system, *solver_with(*system, {{"level", "3"}}), 0.5);
  const auto flat = run(*system, *solver_with(*system, {{"subsystems", "flat"}}), 0.5);
  const auto expected = run(*plain, *solver_with(*plain, {}), 0.5);
  for (const char* name : {"p1", "d1", "p2", "d2", "p3", "d3", "platform"}) {
    INFO(name);
    const std::size_t i = body_of(*system, name), k = body_of(*plain, name);
    CHECK(norm(nested[i].pose.position - flat[i].pose.position) < 1e-10);
    CHECK(norm(nested[i].pose.position - expected[k].pose.position) < 1e-9);
    CHECK(norm(nested[i].angular_velocity - expected[k].angular_velocity) < 1e-8);
  }
}

TEST_CASE("constraint elements belong to the level of the subsystem that has all they constrain") {
  // A driven rotor (level 1), a driven pin within a chain (level 2) and one between a chain and the platform (level 3).
  std::string text = mechanism_text();
  text.replace(text.find("subsystems:"), 11, R"(constraints:
  - {name: third, type: prescribed-motion, joint: C2, motion: {polynomial: [0, 0.1]}}
  - {name: first, type: prescribed-motion, joint: motor1, motion: {polynomial: [0, 0, 1]}}
  - {name: second, type: prescribed-motion, joint: B1, motion: {polynomial: [0, 0, -0.5]}}
subsystems:)");
  const auto system = system_from_text(text);
  const auto at_level = [&](const char* level) { return observe_with(*system, {{"level", level}}); };
  const std::size_t rotor = body_of(*system, "rotor1"), bar = body_of(*system, "p1"), end = body_of(*system, "d1"),
                    platform = body_of(*system, "platform");
  const auto first = at_level("1"), second = at_level("2"), third = at_level("3");
  CHECK(first->now().bodies[rotor].angular_acceleration.z == Approx(2).epsilon(1e-12));
  CHECK(std::abs(first->now().bodies[end].angular_acceleration.z) < 1e-12);
  CHECK(second->now().bodies[bar].angular_acceleration.z == Approx(2).epsilon(1e-10));
  CHECK(second->now().bodies[end].angular_acceleration.z == Approx(1).epsilon(1e-10));
  CHECK(std::abs(second->now().bodies[platform].angular_acceleration.z) < 1e-10);
  CHECK(std::abs(third->now().bodies[platform].angular_acceleration.z) > 1e-3);
  // The model of level 2 also runs, on its own constraints alone.
  const auto solver = solver_with(*system, {{"level", "2"}});
  const auto poses = run(*system, *solver, 0.3);
  const auto start = observe_with(*system, {{"level", "2"}});
  const auto turned = [&](std::size_t body) {
    const Quat &a = poses[body].pose.orientation, &b = start->now().bodies[body].pose.orientation;
    return rotation_vector(a * conjugate(b)).z;
  };
  CHECK(turned(rotor) == Approx(0.09).epsilon(1e-8));
  CHECK(turned(end) == Approx(0.045).epsilon(1e-8));
}

TEST_CASE("a level that is not there is refused by its number") {
  const auto system = system_from_text(mechanism_text());
  CHECK_THROWS_WITH(solver_with(*system, {{"level", "4"}}),
                    Catch::Contains("level 4 was asked for, but the hierarchy has 3 levels"));
}
