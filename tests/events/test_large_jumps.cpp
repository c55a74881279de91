// Laws that jump by very much, and runs that cannot get on.
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/watches/pace_watch.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// 1 kg on a straight guide.
std::unique_ptr<host::System> slide(double speed, const std::string& elements) {
  return system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {name: b, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: {position: 1, velocity: " +
      std::to_string(speed) + "}}\n" + elements);
}

std::string push(const std::string& effort) {
  return "forces:\n  - {name: push, type: joint-force, joint: s, effort: {expression: \"" + effort + "\"}}\n";
}

}  // namespace

// A wall of constant force sends the body back after 2 v/a, with the speed with which it came. What jumps by a
// within the 1e-13 of the time to which an event is located leaves 1e-13 a t.
// Of fixed steps one ends by the clock where the wall begins, but for rounding. What those behind it miss is 1e-9.
TEST_CASE("a force that jumps by a million newtons is passed by all integrators") {
  for (const double a : {1e5, 1e6}) {
    const auto system = slide(10, push("if(q(s) > 5, -" + std::to_string(a) + ", 0)"));
    for (const host::RunSettings& settings : settings_of_all_integrators(2, 1e-3)) {
      const double error = std::max(1e-12 * a, settings.integrator.fixed_step() ? 1e-7 : 0.0);
      INFO(std::string(settings.integrator.name()) << " " << a);
      const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
      INFO(end.record.failure);
      REQUIRE(end.record.end == host::End::done);
      CHECK(end.velocities[0].x == Approx(-10).epsilon(error));
      CHECK(end.positions[0].x == Approx(5 - 10 * (1.6 - 20 / a)).epsilon(error));
    }
  }
}

// A spring of 1e26 N/m on 1 kg has 3e12 periods to come; one of 1e4 N/m makes an ordinary run.
TEST_CASE("a run whose end is out of reach at its pace fails with what holds its steps") {
  const auto spring = [](const char* stiffness) {
    return std::string("forces:\n  - {name: wrong_unit, type: joint-spring-damper, joint: s, rest: 0.999999, ") +
           "stiffness: " + stiffness + "}\n";
  };
  const auto system = slide(0, spring("1e26"));
  host::RunSettings settings = run_settings();
  settings.duration = 1;
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::failed);
  CHECK(record.failure.find("the run no longer gets on") != std::string::npos);
  CHECK(record.failure.find("wrong_unit") != std::string::npos);
}

// 2.5e17 rad/s, as of a damper of 1 N m s on a link that some program left without inertia.
TEST_CASE("a run that a damper beyond all scale holds ends after a thousand steps") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {name: b, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 4e-3}}\njoints:\n"
      "  - {name: turn, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n  - {name: grease, type: joint-spring-damper, joint: turn, stiffness: 0, damping: 1e15}\n"
      "  - {name: motor, type: joint-force, joint: turn, effort: 1}\n");
  host::RunSettings settings = run_settings();
  settings.duration = 1;
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::failed);
  CHECK(record.steps <= 1000);
  CHECK(record.failure.find("grease") != std::string::npos);
}

// Steps of 0.01 s are good for a pendulum-like motion of 1 rad/s; a sampler cuts them at other times.
TEST_CASE("fixed steps that events cut short are not told to be too long") {
  for (const char* const interval : {"0.037", "0.0101", "0.0049"}) {
    INFO(interval);
    const auto system = slide(0, std::string("signals:\n  - {name: held, type: sampler, interval: ") + interval +
                                     ", input: \"q(s)\"}\n" + push("-0.5*q(s) - 0.5*signal(held)"));
    host::RunSettings settings = run_settings("rk4");
    settings.duration = 10;
    settings.step = 0.01;
    const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
    INFO(end.record.failure);
    REQUIRE(end.record.end == host::End::done);
    for (const std::string& warning : end.record.warnings) CHECK(warning == "");
  }
}

// After a million steps 1e5 times as many to come are out of reach, 1e4 times as many are not.
TEST_CASE("a million steps tell that the end is out of reach of slow ones") {
  const auto system = slide(0, push("0"));
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  const host::SolverOde ode(*solver, system->view());
  for (const double part : {5e-6, 2e-4}) {
    host::PaceWatch pace(1);
    pace.begin_from(0);
    std::size_t told = 0;
    for (std::size_t k = 1; k <= 1000000 && told == 0; ++k) {
      pace.look(part * 1e-6 * static_cast<double>(k), 12 * k, ode);
      if (pace.out_of_reach(false)) told = k;
    }
    CHECK(told == (part < 1e-5 ? 1000000 : 0));
  }
}
