// Sliding that comes to rest where friction is hardly stronger than what pulls: against a closed form.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "exact_run.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81, slope = 0.3, radius = 0.1, across = 0.05;

/// A ball on a slope along x, thrown across it. mu: of friction.
std::string thrown_across(double mu) {
  return fmt::format(R"(
polyform: 1
gravity: [{:.17g}, 0, {:.17g}]
ground: {{geometry: [{{type: plane}}]}}
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}, position: [0, 0, {}],
     geometry: [{{type: sphere, radius: {}}}]}}
joints:
  - {{name: j, type: free, base: ground, moving: a, initial: {{velocity: [0, {}, 0, 0, 0, 0]}}}}
forces:
  - {{name: c, type: contact, a: a, b: ground, law: rigid, friction: {{static: {:.17g}, dynamic: {:.17g}}}}}
)",
                     g * std::sin(slope), -g * std::cos(slope), radius, radius, across, mu, mu);
}

/// A box likewise.
std::string box_thrown_across(double mu) {
  return fmt::format(R"(
polyform: 1
gravity: [{:.17g}, 0, {:.17g}]
ground: {{geometry: [{{type: plane}}]}}
bodies:
  - {{name: a, mass: 2, inertia: {{xx: 0.0167, yy: 0.0167, zz: 0.03}}, position: [0, 0, 0.05],
     geometry: [{{type: box, size: [0.3, 0.3, 0.1]}}]}}
joints:
  - {{name: j, type: free, base: ground, moving: a, initial: {{velocity: [0, {}, 0, 0, 0, 0]}}}}
forces:
  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0,
     friction: {{static: {:.17g}, dynamic: {:.17g}}}}}
)",
                     g * std::sin(slope), -g * std::cos(slope), across, mu, mu);
}

/// How many evaluations a run to the end takes, s, with six rows.
std::size_t evaluations_until(double end, const host::System& system, const Formulation& formulation,
                              host::RowSink& rows) {
  host::RunSettings s = run_settings("dopri5");
  s.duration = end;
  s.output_interval = end / 6;
  const auto solver = solver_for(system, formulation);
  host::RowSink* sinks[] = {&rows};
  const host::RunRecord record = host::simulate(system, *solver, s, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  return record.evaluations;
}

}  // namespace

// The slip u changes by u' = f e - a u/|u|, with f = g sin α down the slope along e, and a = 7/2 μ g cos α: so
// a |u| + f u·e falls at the rate a² - f², and the slip ends at T = a |u₀|/(a² - f²). What friction gives the velocity
// is 2/5 of what it takes from that of the turning surface: so v - 2/7 u = 5/7 (v₀ + f t e), whatever friction does.
// Near rest friction turns the slip to e in no time.
TEST_CASE("a ball that slides across a slope rolls from the time on that friction tells, in few evaluations") {
  for (const double ratio : {0.5, 0.9, 0.97}) {
    const double f = g * std::sin(slope), a = f / ratio, end = a * across / (a * a - f * f);
    const auto system = system_from_text(thrown_across(2 * a / (7 * g * std::cos(slope))));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << ratio);
      EachRow rows([&](double t, const Observation& now) {
        INFO(t << " of " << end);
        const Vec3 v = now.bodies[0].velocity, u = v + cross(now.bodies[0].angular_velocity, {0, 0, -radius});
        CHECK(a * norm(u) + f * u.x == Approx((a * a - f * f) * std::max(0.0, end - t)).margin(1e-7 * a * across));
        CHECK(v.x - 2 / 7.0 * u.x == Approx(5 / 7.0 * f * t).margin(1e-8));
        CHECK(v.y - 2 / 7.0 * u.y == Approx(5 / 7.0 * across).epsilon(1e-8));
      });
      CHECK(evaluations_until(1.5 * end, *system, *formulation, rows) < 3000);
    }
  }
}

// Its four corners hold it by more forces than it takes. The slip u changes by u' = f e - a u/|u|: so a |u| + f u·e
// falls at the rate a² - f² until it rests, wherever it was thrown to.
TEST_CASE("a box that slides across a slope comes to rest at the time that friction tells, in few evaluations") {
  for (const double ratio : {0.97, 0.99}) {
    const double f = g * std::sin(slope), a = f / ratio, end = a * across / (a * a - f * f);
    const auto system = system_from_text(box_thrown_across(std::tan(slope) / ratio));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << ratio);
      EachRow rows([&](double t, const Observation& now) {
        INFO(t << " of " << end);
        const Vec3 u = now.bodies[0].velocity;
        CHECK(a * norm(u) + f * u.x == Approx((a * a - f * f) * std::max(0.0, end - t)).margin(1e-6 * a * across));
        if (t > end) CHECK(norm(u) < 1e-12);
      });
      CHECK(evaluations_until(1.5 * end, *system, *formulation, rows) < 4000);
    }
  }
}

// The normal goes through straight up or straight down on the way, by the order of the two.
TEST_CASE("a ball slides over the top of a round hill and rolls, alike whichever of the two is named first") {
  const double hill = 10, far = hill + radius, before = 0.05, aside = 1e-6, speed = 0.9;
  const double height = std::sqrt(far * far - before * before - aside * aside);
  const auto slides = [&](const char* order) {
    return system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, {:.17g}]\n"
        "ground: {{geometry: [{{type: sphere, radius: {}, position: [0, 0, {}]}}]}}\nbodies:\n"
        "  - {{name: ball, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}, position: [{}, {}, {:.17g}],\n"
        "     velocity: [{}, 0, {:.17g}], geometry: [{{type: sphere, radius: {}}}]}}\n"
        "joints:\n  - {{name: j, type: free, base: ground, moving: ball}}\n"
        "forces:\n  - {{name: c, type: contact, {}, law: rigid, restitution: 0,\n"
        "     friction: {{static: 0.3, dynamic: 0.3}}}}\n",
        -g, hill, -hill, -before, aside, height - hill + 1e-13, speed, speed * before / height, radius, order));
  };
  const auto first = slides("a: ball, b: ground"), second = slides("a: ground, b: ball");
  for (const Formulation* formulation : formulations_for(*first)) {
    INFO(formulation->name());
    const Ended up = run_to_end(*first, *formulation, exact_run(0.3)),
                down = run_to_end(*second, *formulation, exact_run(0.3));
    for (const Ended* ended : {&up, &down}) {
      CHECK(ended->record.failure.empty());
      CHECK(ended->record.events < 5);
      CHECK(ended->record.energy_drift < 1e-9);
      const Vec3 normal = (1 / far) * (ended->positions[0] - Vec3{0, 0, -hill});
      CHECK(norm(ended->velocities[0] - radius * cross(ended->angular_velocities[0], normal)) < 1e-9);
    }
    CHECK(up.positions[0].x > 0.1);
    CHECK(norm(up.positions[0] - down.positions[0]) < 1e-9);
    CHECK(norm(up.velocities[0] - down.velocities[0]) < 1e-9);
  }
}
