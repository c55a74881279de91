// Contacts of turning bodies: a tyre on an arm of 1 m that meets the road once a turn, without gravity. Between
// contacts the angle grows evenly, so that steps have no limit, and steps of whole turns see no contact at their ends.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/events/elements.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::unique_ptr<host::System> arm(double speed, double road) {
  return system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}]\n"
      "joints: [{{name: j, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: "
      "{{velocity: {}}}}}]\n"
      "forces: [{{name: t, type: tyre, wheel: {{body: b, point: [0, 0, 1]}}, axis: [0, 1, 0], radius: 0.1, stiffness: "
      "1e5, road_height: {}}}]\n",
      speed, road));
}

}  // namespace

// ½ I ω² = ½ k δ² with δ = 0.1 − (1 + cos q): it turns back at cos q = −0.9 − 10/√1e5, q = 2.7697.
TEST_CASE("an arm between stops never passes them, whatever the integrator") {
  const auto system = arm(10, -1.0);
  const double stop = std::acos(-0.9 - 10 / std::sqrt(1e5));
  for (host::RunSettings s : settings_of_all_integrators(10, 1e-3))
    for (const Formulation* formulation : formulations_for(*system)) {
      if (s.integrator.name() == "rk4" && formulation->name() != "riccati") continue;
      INFO(s.integrator.name() << " " << formulation->name());
      const auto solver = solver_for(*system, *formulation);
      double farthest = 0;
      EachRow sink([&](double, const Observation& o) { farthest = std::max(farthest, std::abs(o.q[0])); });
      host::RowSink* sinks[] = {&sink};
      s.output_interval = 0.01;
      const host::RunRecord record = host::simulate(*system, *solver, s, sinks, {});
      CHECK(record.end == host::End::done);
      CHECK(farthest < stop + 1e-3);
      CHECK(farthest > 2.7);
      CHECK(record.events == 36);
    }
}

// The tyre dips into the road by 1 µm, for 2.8 mrad of each turn: two events a turn.
TEST_CASE("a grazing contact is found in every turn, at 10 rad/s and at 60000 turns a minute") {
  for (const double speed : {10.0, 2000 * std::numbers::pi}) {
    const auto system = arm(speed, -1.099999);
    for (const host::RunSettings& s : settings_of_all_integrators(10 * std::numbers::pi / speed, 1e-3)) {
      INFO(s.integrator.name() << " " << speed);
      CHECK(run_to_end(*system, *formulations_for(*system).front(), s).record.events == 10);
    }
  }
}

TEST_CASE("how fast bodies pass is told of what turns about its own origin, too") {
  const auto system = arm(10, -5);
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  const host::RunRecord record = host::simulate(*system, *solver, settings_of_all_integrators(1, 1e-3)[1], {}, {});
  CHECK(record.passing_time == Approx(0.1));
}

// A mass meets a stop of 1e7 N/m at 10 m/s after 0.09 s, which holds it for half a period, π/√1e7 s.
TEST_CASE("every integrator passes a stiff stop") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
      "joints: [{name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1], initial: "
      "{velocity: -10}}]\n"
      "forces: [{name: lo, type: tyre, wheel: {body: b}, axis: [0, 1, 0], radius: 0.1, stiffness: 1e7, road_height: "
      "-1.0}]\n");
  const double back = -0.9 + 10 * (0.2 - 0.09 - std::numbers::pi / std::sqrt(1e7));
  for (const host::RunSettings& s : settings_of_all_integrators(0.2, 1e-3))
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(s.integrator.name() << " " << formulation->name());
      const Ended ended = run_to_end(*system, *formulation, s);
      CHECK(ended.velocities[0].z == Approx(10).epsilon(1e-4));
      CHECK(ended.positions[0].z == Approx(back).epsilon(1e-4));
    }
}
