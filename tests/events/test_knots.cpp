// Functions of time that do something short: every integrator stops and begins anew at their knots.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A disc with J = 2 kg m² about z, which turns at 7 rad/s at the start.
std::string disc(const std::string& rest) {
  return "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
         "  - {name: disc, mass: 3, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 2}}\njoints:\n"
         "  - {name: axle, type: revolute, base: ground, moving: disc, position: [0, 0, 0], axis: [0, 0, 1], "
         "initial: {velocity: 7}}\n" +
         rest;
}
std::string braked(const std::string& effort) {
  return disc("forces:\n  - {name: brake, type: joint-force, joint: axle, effort: " + effort + "}\n");
}

double end_speed(const host::System& system, const host::RunSettings& settings) {
  class Speed final : public host::RowSink {
   public:
    void row(double, const Observation& now) override { v = now.v[0]; }
    double v = 0;
  } speed;
  host::RowSink* sinks[] = {&speed};
  const auto solver = solver_for(system, *formulations_for(system).front());
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  return speed.v;
}

}  // namespace

// 2 (7 − ω) is the integral of the torque: 12 N m over 0.6 s with ramps of 0.1 s, 6 N m s. ω = 4 rad/s.
TEST_CASE("a brake that acts for a moment late in a long run is found by all integrators at any tolerance") {
  const auto system = system_from_text(braked("{table: [[33.0, 0], [33.1, -12], [33.5, -12], [33.6, 0]]}"));
  for (host::RunSettings s : settings_of_all_integrators(80, 1e-2))
    for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
      s.relative_tolerance = tolerance;
      s.absolute_tolerance = tolerance / 100;
      INFO(s.integrator.name() << " " << tolerance);
      // The tolerance of a speed of 10 rad/s, for each of the few steps of the brake.
      CHECK(end_speed(*system, s) == Approx(4).margin(std::max(1e-9, 10 * tolerance * 10)));
    }
}

// A triangle of 2 ms and 4000 N m: 4 N m s, ω = 5 rad/s.
TEST_CASE("a pulse of two milliseconds is found by all integrators") {
  const auto system = system_from_text(braked("{table: [[3.3, 0], [3.301, -4000], [3.302, 0]]}"));
  for (const host::RunSettings& s : settings_of_all_integrators(10, 1e-2)) {
    INFO(s.integrator.name());
    CHECK(end_speed(*system, s) == Approx(5).margin(1e-7));
  }
}

TEST_CASE("the example flywheel is braked by every integrator, to the speed that the pulse leaves") {
  const auto system = system_from_file(POLYFORM_MODELS "/brake_pulse.yaml");
  for (const host::RunSettings& s : settings_of_all_integrators(60, 1e-2)) {
    INFO(s.integrator.name());
    CHECK(end_speed(*system, s) == Approx(5).margin(1e-7));
  }
}

// A cubic through zeros and one peak of -100 at the middle row, natural: its integral between the first and last row by
// Simpson's rule per piece, exact for cubics. With h = 0.05 and rows 0, -100, 0: x'' = 0, 3·100/h²·…, 0.
TEST_CASE("a spline of three rows is not stepped over: its rows are stops without a new beginning inside") {
  const auto system = system_from_text(braked("{table: [[40.0, 0], [40.05, -100], [40.1, 0]], interpolation: cubic}"));
  // Natural spline of three rows: x'' in the middle is 3 (x0 − 2 x1 + x2) / (2 h²); the integral h (x0 + 10 x1 + x2)/8
  const double h = 0.05, integral = h * (10 * -100.0) / 8;
  for (const host::RunSettings& s : settings_of_all_integrators(80, 1e-2)) {
    INFO(s.integrator.name());
    CHECK(end_speed(*system, s) == Approx(7 + integral / 2).margin(1e-6));
  }
}

// Rate 30 N m/s from 6.2 to 6.3 s, then 3 N m held for 3.7 s more: ω = 7 + (0.15 + 11.1) / 2.
TEST_CASE("a ramp is a knot where it begins and where it ends") {
  const auto system = system_from_text(braked("{ramp: {rate: 30, start: 6.2, end: 6.3}}"));
  for (const host::RunSettings& s : settings_of_all_integrators(10, 1e-2)) {
    INFO(s.integrator.name());
    CHECK(end_speed(*system, s) == Approx(7 + 11.25 / 2).margin(1e-7));
  }
}

// A knot belongs to two steps. If the function has its left limit in the step before and its right limit in the step
// after, a method of fourth order integrates a motion exactly whose acceleration jumps.
TEST_CASE("the function has its left limit in the step before a knot and its right limit in the step after it") {
  const auto system = system_from_text(braked("{table: [[1.0, 0], [2.0, 5]]}"));  // held at 5 N m from 2 s on
  host::RunSettings s = test::run_settings("rk4");
  s.step = 0.5;
  s.duration = 3;
  s.output_interval = 1;
  CHECK(end_speed(*system, s) == Approx(7 + (2.5 + 5) / 2).epsilon(1e-13));
}

TEST_CASE("an element's own schedule is kept") {
  const auto system = system_with_switches(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
      "forces:\n  - {name: g, type: gust, body: b, start: 17.3, length: 1.0e-3, force: 4000}\n");
  for (const host::RunSettings& s : settings_of_all_integrators(50, 1e-2))
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(s.integrator.name() << " " << formulation->name());
      CHECK(run_to_end(*system, *formulation, s).velocities[0].x == Approx(2).margin(1e-7));
    }
}

TEST_CASE("a table of many rows costs some evaluations per row") {
  std::string table = "{table: [";
  constexpr int rows = 2000;
  for (int i = 0; i < rows; ++i) table += fmt::format("{}[{}, {}]", i ? ", " : "", 0.01 * i, std::sin(0.05 * i));
  for (const char* kind : {"linear", "cubic"}) {
    const auto system = system_from_text(braked(table + "], interpolation: " + kind + "}"));
    for (const host::RunSettings& s : settings_of_all_integrators(20, 1e-2)) {
      const auto solver = solver_for(*system, *formulations_for(*system).front());
      const host::RunRecord record = host::simulate(*system, *solver, s, {}, {});
      INFO(s.integrator.name() << " " << kind);
      CHECK(record.end == host::End::done);
      CHECK(record.stops == rows - 1);
      CHECK(record.evaluations < 100 * rows);
    }
  }
}

TEST_CASE("no step is longer than max_step") {
  const auto system = system_from_text(disc(""));
  for (host::RunSettings s : settings_of_all_integrators(10, 0.5)) {
    s.max_step = 0.03;
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    const host::RunRecord record = host::simulate(*system, *solver, s, {}, {});
    INFO(s.integrator.name());
    CHECK(record.longest_step <= 0.03 * (1 + 1e-12));
    CHECK(record.steps >= 333);
  }
}

TEST_CASE("fixed steps that are long beside the period of a force are told by the force's name") {
  const auto system = system_from_text(braked("{sine: {amplitude: 1.0e-9, frequency: 1000}}"));
  host::RunSettings s = settings_of_all_integrators(10, 1e-2)[0];
  REQUIRE(s.integrator.name() == "rk4");
  const auto warnings = [&] {
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    return host::simulate(*system, *solver, s, {}, {}).warnings;
  };
  const auto said = warnings();
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("brake") != std::string::npos);
  CHECK(said[0].find("0.001 s") != std::string::npos);
  s.max_step = 1e-4;
  CHECK(warnings().empty());
}

TEST_CASE("a prescribed motion whose velocity jumps is told with time, joint and amount; a smooth one is not") {
  const auto warnings = [](const std::string& motion) {
    const auto system = system_from_text(
        disc("constraints:\n  - {name: drive, type: prescribed-motion, joint: axle, motion: " + motion + "}\n"));
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    host::RunSettings s = test::run_settings();
    s.duration = 5;
    s.output_interval = 1;
    const host::RunRecord record = host::simulate(*system, *solver, s, {}, {});
    INFO(record.failure);
    CHECK(record.end == host::End::done);
    return record.warnings;
  };
  const auto said = warnings("{table: [[-1, -7], [2.5, 17.5], [6, 24.5]]}");
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("`drive` prescribes in axle jumps at t = 2.5 s, in its velocity by up to 5 ") !=
        std::string::npos);
  CHECK(warnings("{polynomial: [0, 7, 0.1]}").empty());
}

// A rod of 1 kg with its centre at 0.5 m, 0.75 kg m² about the pin. Turned by 1 rad at once it is lifted by 0.5 sin 1
// m; from 0.5 to 2 rad/s its energy grows by 0.375 (4 - 0.25) J.
TEST_CASE("the impulse of a prescribed motion that jumps does work, and the run is not called conservative") {
  const auto driven = [](const std::string& motion) {
    return system_from_text(
        "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.5, yy: 0.5, zz: 0.5}}\njoints:\n"
        "  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}\n"
        "constraints:\n  - {name: drive, type: prescribed-motion, joint: pin, motion: {expression: \"" +
        motion + "\"}}\n");
  };
  const auto record = [](const host::System& system, const Formulation& formulation, double& work) {
    class Work final : public host::RowSink {
     public:
      explicit Work(double& of) : of_(of) {}
      void work(double done) override { of_ = done; }
      void row(double, const Observation&) override {}

     private:
      double& of_;
    } sink(work);
    host::RowSink* sinks[] = {&sink};
    const auto solver = solver_for(system, formulation);
    host::RunSettings s = test::run_settings();
    s.duration = 2;
    s.output_interval = 0.1;
    return host::simulate(system, *solver, s, sinks, {});
  };
  const auto placed = driven("if(t<1, 0, 1)"), turned = driven("if(t<1, 0.5*t, 2*t-1.5)");
  for (const Formulation* formulation : formulations_for(*placed)) {
    INFO(formulation->name());
    double work = 0;
    const host::RunRecord lifted = record(*placed, *formulation, work);
    CHECK_FALSE(lifted.conservative);
    CHECK(lifted.energy_drift < 1e-12);
    CHECK(work == Approx(9.81 * 0.5 * std::sin(1.0)).epsilon(1e-9));
    const host::RunRecord sped = record(*turned, *formulation, work);
    CHECK_FALSE(sped.conservative);
    CHECK(sped.energy_drift < 1e-6);
    CHECK(work == Approx(0.375 * (4 - 0.25) + 9.81 * 0.5 * std::sin(2.5)).epsilon(1e-6));
  }
}

// A pendulum of 1 m with a step of 0.5 s loses nearly all of its energy; with 1 ms it keeps it.
TEST_CASE("a fixed step that is plainly too long is told with its size") {
  const auto system = system_from_text(
      "polyform: 1\nbodies: [{name: bob, mass: 1, center_of_mass: [0, 0, -1], inertia: {xx: 0.01, yy: 0.01, zz: "
      "0.01}}]\n"
      "joints: [{name: pin, type: revolute, base: ground, moving: bob, position: [0, 0, 0], axis: [0, 1, 0], "
      "initial: {position: 1}}]\n");
  host::RunSettings s = settings_of_all_integrators(30, 0.5)[0];
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto too_long = run_to_end(*system, *formulation, s).record;
    REQUIRE(too_long.warnings.size() == 1);
    CHECK(too_long.warnings[0].find("the step of 0.5 s is too long") != std::string::npos);
    s.step = 1e-3;
    CHECK(run_to_end(*system, *formulation, s).record.warnings.empty());
    s.step = 0.5;
  }
}

// 1 N on 1 kg at rest, sin(2 π f t): the speed is never negative, and the way after 1 s, a number of whole periods, is
// 1/(2 π f). The first step is a whole period of 1000 Hz, the second could be a thousand of them.
TEST_CASE("no integrator takes a sine for rest because its steps are whole periods") {
  for (const int frequency : {500, 1000, 2000}) {
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}]\n"
        "joints: [{{name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}}]\n"
        "forces: [{{name: f, type: joint-force, joint: j, effort: {{sine: {{amplitude: 1, frequency: {}}}}}}}]\n",
        frequency));
    for (const host::RunSettings& s : settings_of_all_integrators(1, 1e-3)) {
      if (s.integrator.name() == "rk4") continue;
      INFO(s.integrator.name() << " " << frequency);
      const Ended ended = run_to_end(*system, *formulations_for(*system).front(), s);
      CHECK(ended.positions[0].x == Approx(1 / (2 * M_PI * frequency)).epsilon(2e-3));
    }
  }
}

// 2^10 N for 2^-20 s on 2 kg make 2^-11 m/s, here to some fifty tolerances. The last digit of the time is 1.8e-12 s: an
// error of sixteen such digits at each end of the pulse would be 1.4e-8 m/s.
TEST_CASE("a pulse late in a run is delivered in full") {
  const auto system = system_with_switches(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
      "forces:\n  - {name: g, type: gust, body: b, start: 8192, length: 9.5367431640625e-07, force: 1024}\n");
  for (const host::RunSettings& s : settings_of_all_integrators(8200, 1))
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(s.integrator.name() << " " << formulation->name());
      CHECK(run_to_end(*system, *formulation, s).velocities[0].x == Approx(std::ldexp(1, -11)).margin(5e-9));
    }
}
