#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

using std::numbers::pi;

constexpr double g = 9.81;

/// The formulations that can run a model with constraint elements; at least two, so that none stands alone.
std::vector<const Formulation*> able(const host::System& system) {
  const auto all = formulations_for(system);
  REQUIRE(all.size() >= 2);
  return all;
}

}  // namespace

TEST_CASE("a disc rolls on in a circle where gyroscopic and gravity moments balance") {
  // Axis at the angle θ from the vertical with cos θ = −c, centre on a circle of radius D, precession Ω. Moments about
  // the centre, with the contact force m (g n + Ω² D h): Ω² sin θ (D (C/r + m r) + A c) = m g r c.
  const double c = 0.3, sine = std::sqrt(1 - c * c), r = 0.4, D = 1.5, m = 2, A = 0.25 * m * r * r, C = 2 * A;
  const double rate = std::sqrt(m * g * r * c / (sine * (D * (C / r + m * r) + A * c)));
  const double spin = D * rate / r + rate * c;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: disc, position: [{}, 0, {}], orientation: {{axis: [0, 1, 0], angle: {}}}, mass: {},
     center_of_mass: [0, 0, 0], inertia: {{xx: {}, yy: {}, zz: {}}}, velocity: [0, {}, 0], angular_velocity: [{}, 0, {}]}}
joints:
  - {{name: loose, type: free, base: ground, moving: disc}}
constraints:
  - {{name: rim, type: rolling-disc, body: disc, axis: [{}, 0, {}], radius: {}}}
)",
                                                   -D, r * sine, std::acos(-c), m, A, A, C, -D * rate, spin * sine,
                                                   rate - spin * c, sine, -c, r));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0, slip = 0;
    run_rows(*system, *solver, 2 * pi / rate, [&](double t, const Observation& o) {
      const Vec3 expected{-D * std::cos(rate * t), -D * std::sin(rate * t), r * sine};
      worst = std::max(worst, norm(o.bodies[0].pose.position - expected));
      slip = std::max(slip, o.velocity_violation);
      CHECK(o.kinetic_energy + o.potential_energy ==
            Approx(0.5 * m * D * D * rate * rate + 0.5 * A * rate * rate * sine * sine +
                   0.5 * C * std::pow(D * rate / r, 2) + m * g * r * sine)
                .epsilon(1e-9));
    });
    CHECK(worst < 1e-6);
    CHECK(slip < 1e-9);
  }
}

TEST_CASE("a disc that rolls straight down a slope gains the speed of a rolling disc") {
  // a = g sin β / (1 + C/(m r²)), upright, straight on.
  const double slope = 0.3, m = 3, r = 0.5, C = 0.5 * m * r * r;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [{}, 0, {}]
bodies:
  - {{name: disc, position: [0, 0, {}], mass: {}, center_of_mass: [0, 0, 0], inertia: {{xx: 0.2, yy: {}, zz: 0.2}}}}
joints:
  - {{name: loose, type: free, base: ground, moving: disc}}
constraints:
  - {{name: rim, type: rolling-disc, body: disc, axis: [0, 1, 0], radius: {}}}
)",
                                                   g * std::sin(slope), -g * std::cos(slope), r, m, C, r));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    const std::vector<double> y = initial_vector(*system, *solver);
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    const double a = g * std::sin(slope) / (1 + C / (m * r * r));
    CHECK(store.now().bodies[0].acceleration.x == Approx(a).epsilon(1e-10));
    CHECK(store.now().bodies[0].angular_acceleration.y == Approx(a / r).epsilon(1e-10));
    CHECK(std::abs(store.now().bodies[0].acceleration.z) < 1e-10);
  }
}

TEST_CASE("a spinning knife edge on a slope runs along a cycloid and does not slide down") {
  // With the spin ω: speed along the edge (s/ω) sin ωt, x = s/(2ω²) sin² ωt, y = s/(2ω²) (ωt − ½ sin 2ωt), s = g sin β.
  const double s = 4, w = 3;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [{}, 0, -9]
bodies:
  - {{name: skate, mass: 2, center_of_mass: [0, 0, 0], inertia: {{xx: 0.1, yy: 0.2, zz: 0.25}},
     angular_velocity: [0, 0, {}]}}
joints:
  - {{name: ice, type: planar, base: ground, moving: skate, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}}
constraints:
  - {{name: edge, type: knife-edge, body: skate, edge: [1, 0, 0]}}
)",
                                                   s, w));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0;
    run_rows(*system, *solver, 2, [&](double t, const Observation& o) {
      const Vec3 expected{s / (2 * w * w) * std::pow(std::sin(w * t), 2),
                          s / (2 * w * w) * (w * t - 0.5 * std::sin(2 * w * t)), 0};
      worst = std::max(worst, norm(o.bodies[0].pose.position - expected));
    });
    CHECK(worst < 1e-8);
  }
}

TEST_CASE("a knife edge off the mass centre carries the centripetal force of its path") {
  // A sleigh whose edge is the distance a behind the mass centre: with u along the edge and spin ω,
  // u̇ = a ω², (J + m a²) ω̇ = −m a u ω, and the force across is m (u ω + a ω̇).
  const double a = 0.4, m = 2, J = 0.3, u = 1.5, w = 2;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: sleigh, mass: {}, center_of_mass: [{}, 0, 0], inertia: {{xx: 0.2, yy: 0.2, zz: {}}},
     velocity: [{}, {}, 0], angular_velocity: [0, 0, {}]}}
joints:
  - {{name: ice, type: planar, base: ground, moving: sleigh, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}}
constraints:
  - {{name: edge, type: knife-edge, body: sleigh, edge: [1, 0, 0]}}
)",
                                                   m, a, J, u, a * w, w));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    const std::vector<double> y = initial_vector(*system, *solver);
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    const auto& body = store.now().bodies[0];
    CHECK(body.angular_acceleration.z == Approx(-m * a * u * w / (J + m * a * a)).epsilon(1e-10));
    CHECK(body.acceleration.x == Approx(a * w * w).epsilon(1e-10));
    CHECK(body.acceleration.y == Approx(u * w).epsilon(1e-10));
  }
}

TEST_CASE("a driven pendulum follows its function of time, and its joint carries the driving torque") {
  const double m = 2, l = 0.7, J = 0.1, amplitude = 0.6, frequency = 0.8, offset = 0.2;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: rod, mass: {}, center_of_mass: [0, 0, {}], inertia: {{xx: {}, yy: {}, zz: 0.01}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, -1, 0]}}
constraints:
  - {{name: drive, type: prescribed-motion, joint: pin, motion: {{sine: {{amplitude: {}, frequency: {}, offset: {}}}}}}}
)",
                                                   m, -l, J, J, amplitude, frequency, offset));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double position = 0, torque = 0;
    run_rows(*system, *solver, 2, [&](double t, const Observation& o) {
      const double w = 2 * pi * frequency, q = offset + amplitude * std::sin(w * t);
      const double qdd = -amplitude * w * w * std::sin(w * t);
      position = std::max(position, std::abs(o.q[0] - q));
      torque =
          std::max(torque, std::abs(-o.reactions[0].angular.y - ((J + m * l * l) * qdd + m * g * l * std::sin(q))));
    });
    CHECK(position < 1e-9);
    CHECK(torque < 1e-8);
  }
}

TEST_CASE("one coordinate of a joint may be driven, the others are free") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: sleeve, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: rail, type: cylindrical, base: ground, moving: sleeve, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: turn, type: prescribed-motion, joint: rail, coordinate: 1, motion: {polynomial: [0, 1, 2]}}
)");
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    run_rows(*system, *solver, 1, [&](double t, const Observation& o) {
      CHECK(std::abs(o.q[0] + 0.5 * g * t * t) < 1e-9);
      CHECK(std::abs(o.q[1] - (t + 2 * t * t)) < 1e-9);
    });
  }
}

TEST_CASE("Coulomb's friction slows a sliding body evenly and takes the work of its way") {
  const double m = 2, v = 3, force = 1.5;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: block, mass: {}, center_of_mass: [0, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}, velocity: [{}, 0, 0]}}
joints:
  - {{name: table, type: planar, base: ground, moving: block, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}}
constraints:
  - {{name: keel, type: knife-edge, body: block, edge: [1, 0, 0]}}
forces:
  - {{name: friction, type: sliding-friction, body: block, force: {}, speed: 1e-6}}
)",
                                                   m, v, force));
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    run_rows(*system, *solver, 2, [&](double t, const Observation& o) {
      const double way = v * t - 0.5 * force / m * t * t;
      CHECK(std::abs(o.bodies[0].pose.position.x - way) < 1e-8);
      CHECK(o.kinetic_energy == Approx(0.5 * m * v * v - force * way).epsilon(1e-8));
    });
  }
}
