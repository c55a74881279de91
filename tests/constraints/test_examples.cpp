// The example models of constraint elements, as shipped, against the closed forms that they state.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

using std::numbers::pi;

/// Runs an example with every formulation that carries it.
template <class F>
void run_example(const std::string& name, double duration, F each_row) {
  const auto system = system_from_file(std::string(POLYFORM_MODELS "/") + name);
  const auto all = formulations_for(*system);
  REQUIRE(all.size() >= 2);
  for (const Formulation* formulation : all) {
    INFO(name << ", formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    run_rows(*system, *solver, duration, each_row);
  }
}

}  // namespace

TEST_CASE("the example of a rolling disc runs once around its circle") {
  const double rate = 1.1632347281023823, D = 1.5, height = 0.4 * std::sqrt(1 - 0.09);
  run_example("rolling_disc.yaml", 2 * pi / rate, [&](double t, const Observation& o) {
    const Vec3 expected{-D * std::cos(rate * t), -D * std::sin(rate * t), height};
    CHECK(norm(o.bodies[0].pose.position - expected) < 1e-6);
    CHECK(o.constraint_multipliers[0] == Approx(2 * 9.81).margin(1e-5));  // the plane carries the weight
  });
}

TEST_CASE("the example of constraints by formulas follows its closed forms") {
  const double g = 9.81, c = 5, w = 2, start = 2;
  run_example("formula_constraints.yaml", 0.6, [&](double t, const Observation& o) {
    const double way = 3 * t - 0.5 * t * t * g * 0.5 / 1.25;  // u' = -g k / (1 + k^2)
    CHECK(norm(o.bodies[0].pose.position - Vec3{0.6 * way, 0.8 * way, 0.5 * way}) < 1e-8);
    const double theta = 2 * std::atan(std::tan(start / 2) * std::exp(-g * t / c));
    const Vec3 steady{c * c / g * (start - theta), 0, c * c / g * std::log(std::sin(theta) / std::sin(start))};
    CHECK(norm(o.bodies[1].pose.position - steady) < 1e-8);
    const Vec3 turned{std::sin(w * t) / w, (1 - std::cos(w * t)) / w, 0.2 * std::sin(3 * t)};
    CHECK(norm(o.bodies[2].pose.position - turned) < 1e-8);
    CHECK(o.velocity_violation < 1e-9);
  });
}

TEST_CASE("multistep methods follow the corrections of a rolling disc, however small the absolute tolerance") {
  // States that are nearly zero have small tolerances; rows hand errors of the large ones on to them.
  const char* name = GENERATE("cvode-bdf", "cvode-adams");
  const double absolute = GENERATE(1e-12, 1e-14);
  INFO(name << ", absolute tolerance " << absolute);
  const double rate = 1.1632347281023823, D = 1.5;
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/rolling_disc.yaml");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::RunSettings settings = run_settings(name);
    settings.duration = 2 * pi / rate;
    settings.relative_tolerance = 1e-9;
    settings.absolute_tolerance = absolute;
    settings.output_interval = settings.duration / 20;
    EachRow sink([&](double t, const Observation& o) {
      const Vec3 expected{-D * std::cos(rate * t), -D * std::sin(rate * t), 0.4 * std::sqrt(1 - 0.09)};
      CHECK(norm(o.bodies[0].pose.position - expected) < 2e-5);
    });
    host::RowSink* sinks[] = {&sink};
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    CHECK(record.end == host::End::done);
    CHECK(record.evaluations < 20000);
  }
}

TEST_CASE("the example of a knife edge runs along its cycloid") {
  const double s = 4, w = 3;
  run_example("knife_edge.yaml", 4, [&](double t, const Observation& o) {
    const Vec3 expected{s / (2 * w * w) * std::pow(std::sin(w * t), 2),
                        s / (2 * w * w) * (w * t - 0.5 * std::sin(2 * w * t)), 0};
    CHECK(norm(o.bodies[0].pose.position - expected) < 1e-7);
    // To the left, which the edge turns with w: it holds the pull s, and turns the speed s/w sin wt.
    CHECK(o.constraint_multipliers[0] == Approx(2 * 2 * s * std::sin(w * t)).margin(1e-6));
  });
}

TEST_CASE("the example of a prescribed motion drives its bead outwards, with the torque that this takes") {
  const double w = 2, m = 1.2;
  run_example("prescribed_motion.yaml", 1.5, [&](double t, const Observation& o) {
    const double r = 0.1 * std::cosh(w * t), rate = 0.1 * w * std::sinh(w * t);
    CHECK(o.q[0] == Approx(w * t).margin(1e-9));
    CHECK(o.q[1] == Approx(r - 0.1).margin(1e-8));
    CHECK(o.reactions[0].angular.z == Approx(2 * m * r * rate * w).margin(1e-7));
    CHECK(o.constraint_multipliers[0] == Approx(2 * m * r * rate * w).margin(1e-7));
  });
}

TEST_CASE("the example of sliding friction slows down by its law") {
  const auto at_speed = [](double v) {
    const double s = std::sqrt(v * v + 0.01);
    return s - 0.1 * std::log((0.1 + s) / v);
  };
  run_example("sliding_friction.yaml", 1.2, [&](double t, const Observation& o) {
    CHECK(at_speed(o.v[0]) == Approx(at_speed(2) - 3 / 1.5 * t).margin(1e-8));
  });
}

TEST_CASE("joints follow a prescribed velocity that jumps by the impulse that this takes") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: tip, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: elbow, type: revolute, base: rod, moving: tip, position: [1, 0, 0], axis: [0, 1, 0]}
constraints:
  - {name: drive, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 2]}}
)");
  for (const char* name : {"riccati", "reduced"}) {
    INFO("formulation " << name);
    const auto solver = solver_for(*system, *registry().catalog().formulations.at(name));
    std::vector<double> y = initial_vector(*system, *solver);
    y[2] = y[3] = 0;  // both velocities: at rest
    Correction correction;
    REQUIRE(solver->correct(0, y, correction) == Status::ok);
    CHECK(y[2] == Approx(2).epsilon(1e-12));
    // The tip keeps its moment of momentum about the elbow, which moves at 2 m/s: 0.34 w + 0.5 · 2 = 0.
    CHECK(y[3] == Approx(-2 - 1 / 0.34).epsilon(1e-12));
  }
}

TEST_CASE("a run meets a prescribed velocity that jumps, in every formulation") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: tip, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: elbow, type: revolute, base: rod, moving: tip, position: [1, 0, 0], axis: [0, 1, 0]}
constraints:
  - {name: drive, type: prescribed-motion, joint: pin, motion: {ramp: {rate: 2, start: 1, end: 3}}}
)");
  const auto all = formulations_for(*system);
  REQUIRE(all.size() == 6);
  for (const Formulation* formulation : all) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    // As above: the tip keeps its moment of momentum about the elbow. It has a microsecond to change since.
    run_rows(
        *system, *solver, 1.000001,
        [&](double t, const Observation& o) {
          CHECK(o.v[0] == Approx(t > 1 ? 2 : 0).margin(1e-10));
          CHECK(o.v[1] == Approx(t > 1 ? -2 - 1 / 0.34 : 0).margin(1e-4));
        },
        1);
  }
}
