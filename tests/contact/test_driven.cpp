// Rows that hold at times where a prescribed motion leaves no force anything to move, in time stepping.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "exact_run.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double step = 1e-3;
constexpr const char* sine = "sine: {amplitude: 0.2, frequency: 1}";

host::RunSettings driven_run(double duration) {
  host::RunSettings s = run_settings("moreau-jean");
  s.duration = duration;
  s.output_interval = duration / 10;
  s.step = step;
  return s;
}

/// A ball of 1 kg on a guide along an axis, which a motion drives.
std::string driven_ball(const char* axis, const char* motion, const std::string& rest) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -10]\nground: {{geometry: [{{type: plane, normal: [0, 0, -1], position: [0, 0, "
      "0.5]}}]}}\nbodies:\n"
      "  - {{name: ball, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}},\n"
      "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
      "joints:\n  - {{name: guide, type: prismatic, base: ground, moving: ball, position: [0, 0, 0], axis: {}}}\n"
      "constraints:\n  - {{name: drive, type: prescribed-motion, joint: guide, motion: {{{}}}}}\n{}",
      axis, motion, rest);
}

/// Another body, which falls: so something can move.
constexpr const char* falling =
    "  - {name: apart, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [2, 0, 0]}\n";

/// The time in the message of a run that ends because a prescribed motion closes something.
void check_refused(const std::string& text, const std::string& name, double time, double allowed) {
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    const auto solver = solver_for(*system, *formulation);
    const host::RunRecord record = host::simulate(*system, *solver, driven_run(1), {}, {});
    INFO(formulation->name() << ": " << record.failure);
    CHECK(record.end == host::End::failed);
    CHECK(record.failure.find("a prescribed motion or other constraints go on to close it: no force can hold that") !=
          std::string::npos);
    CHECK(record.remedy == "End the motion there, drive by a force, or use a compliant law.");
    const std::string begin = name + " is closed at t = ";
    const std::size_t place = record.failure.find(begin);
    REQUIRE(place != std::string::npos);
    CHECK(std::abs(std::stod(record.failure.substr(place + begin.size())) - time) < allowed);
  }
}

}  // namespace

TEST_CASE("time stepping refuses a prescribed motion that goes on to close something, when it closes") {
  const std::string contact = "forces:\n  - {name: roof, type: contact, a: ball, b: ground, law: rigid}\n";
  // At 1 m/s the gap of 0.4 m closes after 0.4 s, and 0.2 sin(2πt) comes to −0.1 after 7/12 s. A freewheel locks where
  // the motion turns round, after a quarter of the period, which is known to a step.
  check_refused(driven_ball("[0, 0, 1]", "polynomial: [0, 1]", contact), "`roof` (contact)", 0.4, 1e-9);
  check_refused(
      driven_ball("[1, 0, 0]", sine, "forces:\n  - {name: stop, type: joint-limit, joint: guide, lower: -0.1}\n"),
      "`stop` (lower limit)", 7.0 / 12, 10 * step * step);
  check_refused(driven_ball("[1, 0, 0]", sine, "forces:\n  - {name: wheel, type: freewheel, joint: guide}\n"),
                "`wheel` (freewheel)", 0.25, 1.5 * step);
}

TEST_CASE("time stepping refuses a driven ball that meets a body which cannot give way, beside one that falls") {
  const std::string text =
      std::string(
          "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
          "  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, geometry: [{type: sphere, radius: 0.1}]}\n"
          "  - {name: b, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [0.5, 0, 0],\n"
          "     geometry: [{type: sphere, radius: 0.1}]}\n") +
      falling +
      "joints:\n  - {name: p, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  - {name: q, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  - {name: f, type: free, base: ground, moving: apart}\n"
      "constraints:\n  - {name: drive, type: prescribed-motion, joint: p, motion: {polynomial: [0, 1]}}\n"
      "contacts: {all: true, law: rigid, results: each}\n";
  check_refused(text, "`contact.a.b` (contact)", 0.3, 1e-9);
}

// The way of a period of the sine is four amplitudes, 0.8 m.
TEST_CASE("in time stepping dry friction in a driven joint acts with all its effort") {
  const auto system = system_from_text(
      driven_ball("[1, 0, 0]", sine, "forces:\n  - {name: rub, type: dry-friction, joint: guide, effort: 5}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    double lost = 0;
    std::size_t slides = 0;
    EachRow rows([&](double, const Observation& now) {
      lost = now.x[3];
      if (std::abs(std::abs(now.x[0]) - 5) < 1e-9 && now.x[1] == 2) ++slides;
    });
    const auto solver = solver_for(*system, *formulation);
    host::RowSink* sinks[] = {&rows};
    const host::RunRecord record = host::simulate(*system, *solver, driven_run(1), sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    // A step in which the motion turns round has an error of its way, of the order of ω² A h².
    CHECK(lost == Approx(4).epsilon(1e-4));
    CHECK(slides == 10);
    CHECK(record.energy_drift < 1e-4);
  }
}

// A block that may fall rests on a floor, and its guide is driven along it: the friction of sliding moves nothing.
TEST_CASE("in time stepping a block that is driven along a floor rubs by its weight") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -10]\nground: {geometry: [{type: plane}]}\nbodies:\n"
      "  - {name: cart, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
      "  - {name: ball, mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [0, 0, 0.1],\n"
      "     geometry: [{type: sphere, radius: 0.1}]}\n"
      "joints:\n  - {name: guide, type: prismatic, base: ground, moving: cart, position: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  - {name: lift, type: prismatic, base: cart, moving: ball, position: [0, 0, 0.1], axis: [0, 0, 1]}\n"
      "constraints:\n  - {name: drive, type: prescribed-motion, joint: guide, motion: {polynomial: [0, 0.5]}}\n"
      "forces:\n  - {name: floor, type: contact, a: ball, b: ground, law: rigid, friction: {dynamic: 0.3}}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    Vec3 place, force;
    EachRow rows([&](double, const Observation& now) {
      place = now.bodies[1].pose.position;
      force = {now.x[0], now.x[1], now.x[2]};
    });
    const auto solver = solver_for(*system, *formulation);
    host::RowSink* sinks[] = {&rows};
    const host::RunRecord record = host::simulate(*system, *solver, driven_run(1), sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    CHECK(std::abs(place.z - 0.1) < 1e-10);
    CHECK(force.x == Approx(-0.3 * 20).epsilon(1e-9));
    CHECK(force.z == Approx(20).epsilon(1e-9));
  }
}
