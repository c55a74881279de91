// Contacts shorter than any step: found, located and integrated in every formulation, with closed forms.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/events/elements.hpp"
#include "tests/support/contenders.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Two balls of 0.4 kg on a line, 1.1 m apart, radii 0.03 m together, at ±15 m/s; no gravity.
std::string two_balls(const std::string& type, double stiffness, double miss = 0) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: left, mass: 0.4, center_of_mass: [0, 0, 0], inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}, position: "
      "[0, 0, 0]}}\n"
      "  - {{name: right, mass: 0.4, center_of_mass: [0, 0, 0], inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}, "
      "position: [1.1, {}, 0]}}\n"
      "joints:\n"
      "  - {{name: a, type: free, base: ground, moving: left, initial: {{velocity: [15, 0, 0, 0, 0, 0]}}}}\n"
      "  - {{name: b, type: free, base: ground, moving: right, initial: {{velocity: [-15, 0, 0, 0, 0, 0]}}}}\n"
      "forces:\n  - {{name: touch, type: {}, a: {{body: left}}, b: {{body: right}}, radii: 0.03, stiffness: {}}}\n",
      miss, type, stiffness);
}

host::RunSettings long_steps() {
  host::RunSettings s = test::run_settings();
  s.duration = 0.5;
  s.output_interval = 0.1;
  s.step = 0.05;
  return s;
}

}  // namespace

// They touch at t = 1.07/30 s, stay together for half a period of the reduced mass on the contact, T = π √(0.2/k), and
// leave with their speeds exchanged: x_left = 15 t_touch − 15 (t − t_touch − T).
TEST_CASE("two balls that meet head on exchange their speeds, however short the contact is") {
  for (const double stiffness : {1e6, 1e9, 2e12}) {
    const auto system = system_with_switches(two_balls("ball-contact", stiffness));
    const double touch = 1.07 / 30, lasting = std::numbers::pi * std::sqrt(0.2 / stiffness);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << stiffness);
      const Ended ended = run_to_end(*system, *formulation, long_steps());
      CHECK(ended.record.events == 2);
      CHECK(ended.velocities[0].x == Approx(-15).epsilon(1e-6));
      CHECK(ended.velocities[1].x == Approx(15).epsilon(1e-6));
      CHECK(ended.positions[0].x == Approx(15 * touch - 15 * (0.5 - touch - lasting)).epsilon(1e-6));
    }
  }
}

TEST_CASE("every integrator finds the contact of a microsecond") {
  const auto system = system_with_switches(two_balls("ball-contact", 2e12));
  for (host::RunSettings s : settings_of_all_integrators(0.5, 0.05)) {
    const Ended ended = run_to_end(*system, *formulations_for(*system).front(), s);
    INFO(s.integrator.name());
    CHECK(ended.record.events == 2);
    CHECK(ended.velocities[0].x == Approx(-15).epsilon(1e-4));
  }
}

// The same contact after a minute of flight, where the time itself is known to 1e-14 s.
TEST_CASE("a contact late in a run is found as well") {
  std::string text = two_balls("ball-contact", 1e10);
  text.replace(text.find("[1.1,"), 5, "[2000,");
  const auto system = system_with_switches(text);
  host::RunSettings s = long_steps();
  s.duration = 100;
  s.output_interval = 10;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    CHECK(run_to_end(*system, *formulation, s).velocities[0].x == Approx(-15).epsilon(1e-5));
  }
}

// Free fall of 0.7 m from rest takes √(2 · 0.7 / 9.81) s; the ball passes the plate of 20 µm in 6 µs. Elastic: back at
// the start, at rest, after twice that time and the contact.
TEST_CASE("a ball that falls from rest on a thin plate bounces back to where it came from") {
  const auto system = system_with_switches(
      "polyform: 1\nbodies:\n"
      "  - {name: ball, position: [0, 0, 0.70001], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, "
      "zz: 0.01}}\n"
      "joints: [{name: j, type: free, base: ground, moving: ball}]\n"
      "forces:\n  - {name: plate, type: ball-contact, a: {body: ground}, b: {body: ball}, radii: 1.0e-5, stiffness: "
      "1.0e+12}\n");
  const double fall = std::sqrt(2 * 0.7 / 9.81);
  for (host::RunSettings s : settings_of_all_integrators(2 * fall + std::numbers::pi * 1e-6, 0.3))
    for (const Formulation* formulation : formulations_for(*system)) {
      const Ended ended = run_to_end(*system, *formulation, s);
      INFO(s.integrator.name() << " " << formulation->name());
      CHECK(ended.record.events == 2);
      CHECK(ended.positions[0].z == Approx(0.70001).epsilon(s.integrator.name() == "rk4" ? 1e-4 : 1e-5));
    }
}

// 30 µm of 30 mm overlap where they pass: found; as much too far apart: nothing happens.
TEST_CASE("balls that graze are told from balls that just miss") {
  for (const double apart : {0.02997, 0.03003}) {
    const auto system = system_with_switches(two_balls("ball-contact", 1, apart));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << apart);
      CHECK(run_to_end(*system, *formulation, long_steps()).record.events == (apart < 0.03 ? 2 : 0));
    }
  }
}

TEST_CASE("rows stand at the output times whatever happens between") {
  const auto system = system_with_switches(two_balls("ball-contact", 1e9));
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), long_steps());
  REQUIRE(ended.times.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) CHECK(ended.times[k] == Approx(0.1 * static_cast<double>(k)).margin(1e-15));
}

// Dry friction as a sign, 1 N on 1 kg at 0.1 m/s: at rest after 0.1 s, where the sign flips with every step.
TEST_CASE("a sign that flips without end does not hold a run for ever, and is told by the element's name") {
  const auto system = system_with_switches(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
      "joints: [{name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: {velocity: 0.1}}]\n"
      "forces: [{name: rub, type: flip, body: b}]\n");
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  const host::RunRecord record = host::simulate(*system, *solver, long_steps(), {}, {});
  CHECK(record.end == host::End::failed);
  CHECK(record.time == Approx(0.1).epsilon(1e-2));
  CHECK(record.failure.find("`rub` (reversal) changes its sign without end at t = 0.1") != std::string::npos);
}

namespace {

constexpr double pull = 10, block_mass = 10, touch_stiffness = 1e6;
/// A block that is drawn touching up to `gap`, moves into what it touches, and is pulled out of it.
std::string touching_block(const std::string& touch, double gap, double speed) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, {}]\nbodies:\n"
      "  - {{name: a, position: [0, 0, 0.3], mass: {}, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n"
      "joints:\n"
      "  - {{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1],\n"
      "     initial: {{position: {}, velocity: {}}}}}\n"
      "forces:\n  - {{name: t, stiffness: {}, {}}}\n",
      pull, block_mass, gap, -speed, touch_stiffness, touch);
}

}  // namespace

// In it, y'' = g − ω² y: it comes back to zero after t = 2/ω atan(ω v / g), with the speed that it came with.
TEST_CASE("a contact that begins with the run and ends within the first step is not missed") {
  const std::string touch = GENERATE(
      as<std::string>(), "type: tyre, wheel: {body: a}, axis: [0, 1, 0], radius: 0.3",
      "type: tyre, wheel: {body: a}, axis: [0, 1, 0], radius: 0.3, damping: 1e-6",
      "type: brush-tyre, wheel: {body: a}, axis: [0, 1, 0], radius: 0.3, free_rolling: true, slip_stiffness: 0, "
      "cornering_stiffness: 0",
      "type: bump-stop, a: {body: ground, point: [0, 0, -1]}, b: {body: a, point: [0, 0, -0.3]}, length: 1",
      "type: joint-limit, law: compliant, joint: j, lower: 0");
  const double omega = std::sqrt(touch_stiffness / block_mass);
  for (const double gap : {0.0, 1e-17, -1e-16, 1e-16, 1e-15, -1e-15, 1e-12})
    for (const double speed : {0.1, 0.015})
      for (host::RunSettings settings : settings_of_all_integrators(0.5, 0.1)) {
        const auto system = system_from_text(touching_block(touch, gap, speed));
        const double lasting = 2 / omega * std::atan(omega * speed / pull), flight = 0.5 - lasting;
        const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
        INFO(touch << ", gap " << gap << ", speed " << speed << ", " << settings.integrator.name());
        CHECK(ended.velocities[0].z == Approx(speed + pull * flight).epsilon(1e-6));
        CHECK(ended.positions[0].z - 0.3 == Approx(speed * flight + 0.5 * pull * flight * flight).epsilon(1e-6));
      }
}
