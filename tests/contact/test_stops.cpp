// Limits, dry friction and freewheels of joints against closed forms, in every formulation.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "exact_run.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A mass of 2 kg on a horizontal guide, in between it moves freely.
std::string sliding_mass(double speed, const std::string& forces) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {{name: mass, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n"
      "joints:\n  - {{name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: {}}}}}\nforces:\n{}",
      speed, forces);
}

/// Two shafts in line, the second of which turns with the first through a joint with `coupling`.
std::string two_shafts(double first, double second, const std::string& coupling) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: engine, mass: 1, inertia: {{xx: 0.2, yy: 1, zz: 1}}}}\n"
      "  - {{name: load, mass: 1, inertia: {{xx: 0.3, yy: 1, zz: 1}}}}\n"
      "joints:\n"
      "  - {{name: bearing, type: revolute, base: ground, moving: engine, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: {}}}}}\n"
      "  - {{name: clutch, type: revolute, base: engine, moving: load, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: {}}}}}\n{}",
      first, second - first, coupling);
}

}  // namespace

// Between two limits with restitution e the speed falls by the factor e at each limit: the time between impacts grows
// as e⁻ⁿ.
TEST_CASE("a mass goes to and fro between hard limits, as in a joint with backlash") {
  const auto system = system_from_text(sliding_mass(
      1, "  - {name: play, type: joint-limit, joint: guide, lower: -0.1, upper: 0.1, restitution: 0.5}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    // Impacts at 0.1, 0.1 + 0.2/0.5 and 0.5 + 0.2/0.25 = 1.3 s; then back with an eighth of the speed.
    const Ended ended = run_to_end(*system, *formulation, exact_run(1.7));
    CHECK(ended.velocities[0].x == Approx(-0.125).epsilon(1e-12));
    CHECK(ended.positions[0].x == Approx(0.1 - 0.125 * 0.4).epsilon(1e-11));
    CHECK(ended.record.energy_drift < 1e-10);
  }
}

TEST_CASE("a compliant limit throws a mass back as its spring says") {
  const auto system = system_from_text(sliding_mass(
      1, "  - {name: stop, type: joint-limit, joint: guide, upper: 0.1, law: compliant, stiffness: 800}\n"));
  // Half a wave of √(k/m) = 20 rad/s.
  const double back = 0.1 + std::numbers::pi / 20;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(back + 0.1));
    CHECK(ended.positions[0].x == Approx(0).margin(1e-8));
    CHECK(ended.velocities[0].x == Approx(-1).epsilon(1e-8));
  }
}

// The clutch brings both shafts to J₁ω/(J₁ + J₂) in ω/(T (1/J₁ + 1/J₂)), and holds.
TEST_CASE("a clutch locks up after the time of its torque") {
  const auto system = system_from_text(
      two_shafts(10, 0, "forces:\n  - {name: plates, type: dry-friction, joint: clutch, effort: 1.2}\n"));
  const double locked = 10 / (1.2 * (1 / 0.2 + 1 / 0.3));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::RunSettings s = exact_run(locked * 1.5);
    const Ended ended = run_to_end(*system, *formulation, s);
    CHECK(ended.record.energy_drift < 1e-8);
    REQUIRE(ended.record.notes.size() == 1);
    INFO(ended.record.notes[0]);
    const double stuck = std::stod(ended.record.notes[0].substr(ended.record.notes[0].find("stuck for ") + 10));
    CHECK(stuck == Approx(0.5 * locked).epsilon(1e-5));
  }
}

TEST_CASE("dry friction holds a mass below its limit and lets it slide above") {
  // The force grows from 0 at 10 N/s: the mass breaks away at 1.5 × 4 N, and friction of 4 N acts while it slides.
  const auto system = system_from_text(sliding_mass(
      0,
      "  - {name: rubbing, type: dry-friction, joint: guide, effort: 4, ratio: 1.5}\n"
      "  - {name: pull, type: joint-force, joint: guide, effort: {ramp: {rate: 10, start: 0, end: 100}}}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended held = run_to_end(*system, *formulation, exact_run(0.59));
    CHECK(std::abs(held.positions[0].x) < 1e-13);
    const Ended slid = run_to_end(*system, *formulation, exact_run(1));
    const double t = 0.4;  // the time since the mass broke away: m a = 6 + 10 t − 4
    CHECK(slid.velocities[0].x == Approx((2 * t + 5 * t * t) / 2).epsilon(1e-8));
  }
}

// A mass on a belt, with a spring to the wall. It sticks until the spring pulls by μ_s N, then slips until it has the
// speed of the belt again. The period is T = 2 (x_s − x_d)/v + 2/ω (π − atan(ω (x_s − x_d)/v)), the largest deflection
// x_d + √((x_s − x_d)² + (v/ω)²).
TEST_CASE("a mass on a belt sticks and slips with the period of the closed form") {
  const double m = 2, k = 200, v = 0.1, held = 12, rubbed = 8, omega = std::sqrt(k / m);
  const double xs = held / k, xd = rubbed / k, away = (xs - xd) * omega / v;
  const double period = 2 * (xs - xd) / v + 2 / omega * (std::numbers::pi - std::atan(away));
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {name: belt, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: mass, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "joints:\n"
      "  - {name: drum, type: prismatic, base: ground, moving: belt, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {velocity: 0.1}}\n"
      "  - {name: pad, type: prismatic, base: belt, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {velocity: 0}}\n"
      "constraints:\n"
      "  - {name: drive, type: prescribed-motion, joint: drum, motion: {polynomial: [0, 0.1]}}\n"
      "forces:\n"
      "  - {name: lining, type: dry-friction, joint: pad, effort: 8, ratio: 1.5}\n"
      "  - {name: spring, type: spring-damper, a: {body: ground, point: [-1, 0, 0]}, b: {body: mass, point: [0, 0, "
      "0]},\n"
      "     stiffness: 200, free_length: 1}\n");
  const double first = xs / v;  // the time at which it first breaks away
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    // Three periods after it first breaks away it does so again, at the same place and with the speed of the belt.
    const Ended ended = run_to_end(*system, *formulation, exact_run(first + 3 * period));
    CHECK(ended.positions[1].x == Approx(xs).epsilon(1e-7));
    CHECK(ended.velocities[1].x == Approx(v).epsilon(1e-7));
    // After half of the next slip it is as far on the other side, with the same speed.
    const double slip = 2 / omega * (std::numbers::pi - std::atan(away));
    const Ended turned = run_to_end(*system, *formulation, exact_run(first + 2 * period + slip));
    CHECK(turned.positions[1].x == Approx(2 * xd - xs).epsilon(1e-7));
    CHECK(ended.record.energy_drift < 1e-7);
  }
}

// Driven forward for a second, the freewheel carries the load; when the engine is then braked, the load runs on.
TEST_CASE("a freewheel drives one way and runs free the other") {
  const auto system = system_from_text(
      two_shafts(0, 0,
                 "forces:\n  - {name: sprag, type: freewheel, joint: clutch, free: positive}\n"
                 "  - {name: motor, type: joint-force, joint: bearing,\n"
                 "     effort: {sine: {amplitude: 1, frequency: 0.25, phase: 1.5707963267948966}}}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings s = exact_run(1.2);
    const Ended ended = run_to_end(*system, *formulation, s);
    CHECK(ended.record.energy_drift < 1e-8);
    REQUIRE(ended.record.notes.size() == 1);
    INFO(ended.record.notes[0]);
    CHECK(std::stod(ended.record.notes[0].substr(ended.record.notes[0].find("stuck for ") + 10)) ==
          Approx(1).epsilon(1e-6));
  }
}

// The motor drives both shafts from rest with 10 t (1 − t) N m, and brakes after a second. A heavy ball on the floor
// beside them changes nothing.
TEST_CASE("a freewheel locks where a load grows from nothing, and opens where it turns round") {
  const std::string beside =
      "  - {name: ball, mass: 50, inertia: {xx: 1, yy: 1, zz: 1}, position: [3, 0, 0.1],\n"
      "     geometry: [{type: sphere, radius: 0.1}]}\n";
  for (const bool with_ball : {false, true}) {
    std::string text =
        two_shafts(0, 0,
                   "forces:\n  - {name: sprag, type: freewheel, joint: clutch, free: positive}\n"
                   "  - {name: motor, type: joint-force, joint: bearing, effort: {polynomial: [0, 10, -10]}}\n");
    if (with_ball) {
      text.replace(text.find("[0, 0, 0]"), 9, "[0, 0, -9.81]");
      text.insert(text.find("bodies:\n"), "ground: {geometry: [{type: plane}]}\n");
      text.insert(text.find("joints:\n"), beside);
      text.insert(text.find("joints:\n") + 8, "  - {name: flight, type: free, base: ground, moving: ball}\n");
      text += "  - {name: floor, type: contact, a: ball, b: ground, law: rigid, restitution: 0}\n";
    }
    const auto system = system_from_text(text);
    const std::size_t load = 1;
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << (with_ball ? " with a ball" : ""));
      const auto impulse = [](double t) { return 5 * t * t - 10 * t * t * t / 3; };
      const Ended driven = run_to_end(*system, *formulation, exact_run(0.5));
      CHECK(driven.angular_velocities[0].x == Approx(impulse(0.5) / 0.5).epsilon(1e-9));
      CHECK(driven.angular_velocities[load].x == Approx(impulse(0.5) / 0.5).epsilon(1e-9));
      // Past a second the motor brakes: the load runs on.
      const Ended free = run_to_end(*system, *formulation, exact_run(1.5));
      CHECK(free.angular_velocities[load].x == Approx(impulse(1) / 0.5).epsilon(1e-7));
      CHECK(free.angular_velocities[0].x == Approx(impulse(1) / 0.5 + (impulse(1.5) - impulse(1)) / 0.2).epsilon(1e-7));
      for (const std::string& note : free.record.notes) CHECK(note.find("impact") == std::string::npos);
    }
  }
}

// A mass of 2 kg is moved along its guide by 0.4 t² (m), or to and fro from a place where it stands. Friction takes its
// force times the way, from the first instant on.
TEST_CASE("friction in a joint that a prescribed motion drives rubs, however the motion begins and turns round") {
  for (const auto& [friction, force] : {std::pair{"effort: 0.2", 0.2}, std::pair{"coefficient: 0.3", 0.3 * 2 * 9.81}})
    for (const auto& [motion, way] :
         {std::pair{"polynomial: [0, 0, 0.4]", 0.4},
          std::pair{"sine: {amplitude: 0.1, frequency: 1, phase: 1.5707963267948966}", 0.4}}) {
      const auto system = system_from_text(
          sliding_mass(0, fmt::format("  - {{name: rub, type: dry-friction, joint: guide, {}}}\n"
                                      "constraints:\n  - {{name: drive, type: prescribed-motion, joint: guide,\n"
                                      "     motion: {{{}}}}}\n",
                                      friction, motion)));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << friction << " " << motion);
        double lost = 0;
        EachRow rows([&](double, const Observation& now) { lost = now.x[3]; });
        const auto solver = solver_for(*system, *formulation);
        host::RowSink* sinks[] = {&rows};
        const host::RunRecord record = host::simulate(*system, *solver, exact_run(1), sinks, {});
        INFO(record.failure);
        REQUIRE(record.end == host::End::done);
        CHECK(lost == Approx(force * way).epsilon(1e-8));
        CHECK(record.energy_drift < 1e-9);
      }
    }
}

TEST_CASE("a prescribed motion that presses into a hard limit is refused, in every formulation") {
  const auto system =
      system_from_text(sliding_mass(0,
                                    "  - {name: stop, type: joint-limit, joint: guide, upper: 0.1}\n"
                                    "constraints:\n  - {name: drive, type: prescribed-motion, joint: guide,\n"
                                    "     motion: {polynomial: [0, 0, 0.4]}}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const host::RunRecord record = host::simulate(*system, *solver, exact_run(1), {}, {});
    CHECK(record.end == host::End::failed);
    INFO(record.failure);
    CHECK(record.failure.find("`stop` (upper limit) is closed at t = 0.5 s") != std::string::npos);
  }
}

// CVODE takes the mean of the squares of the errors. Stops beside a pendulum that nothing touches have states that
// rest.
TEST_CASE("stops that nothing touches do not thin out the errors of the motion") {
  const auto pendulum_beside = [](int stops) {
    std::string text =
        "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: rod, position: [1, 0, 0], mass: 2, center_of_mass: [-0.5, 0, 0],\n"
        "     inertia: {xx: 0.01, yy: 0.18, zz: 0.18}}\n"
        "  - {name: rest, position: [0, 1, 0], mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}\njoints:\n"
        "  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: guide, type: prismatic, base: ground, moving: rest, position: [0, 1, 0], axis: [1, 0, 0]}\n"
        "forces:\n";
    for (int k = 1; k <= stops; ++k)
      text += fmt::format("  - {{name: stop{0}, type: joint-limit, joint: guide, lower: -{0}, upper: {0}}}\n", k);
    return system_from_text(text);
  };
  const auto end_of = [&](int stops, const char* integrator, double tolerance) {
    const auto system = pendulum_beside(stops);
    host::RunSettings s = run_settings(integrator);
    s.duration = 20;
    s.output_interval = 20;
    s.relative_tolerance = tolerance;
    s.absolute_tolerance = tolerance / 100;
    return run_to_end(*system, *registry().catalog().formulations.at("riccati"), s).positions[0].x;
  };
  const double right = end_of(1, "dop853", 1e-12);
  for (const char* integrator : {"cvode-adams", "cvode-bdf"}) {
    INFO(integrator);
    CHECK(std::abs(end_of(40, integrator, 1e-6) - right) < 3 * std::abs(end_of(1, integrator, 1e-6) - right));
  }
}
