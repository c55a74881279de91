// Formulas with a narrow peak and no bend: no integrator steps over it, whether it comes by the clock or by the motion.
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

const double root_of_pi = std::sqrt(std::numbers::pi);

/// 1 kg on a straight guide, 10 m/s at the start.
std::unique_ptr<host::System> pushed(const std::string& effort) {
  return system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {name: b, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: {velocity: 10}}\nforces:\n"
      "  - {name: push, type: joint-force, joint: s, effort: {expression: \"" +
      effort + "\"}}\n");
}

void check_end_speed(const std::string& effort, double speed) {
  INFO(effort);
  const auto system = pushed(effort);
  for (const host::RunSettings& settings : settings_of_all_integrators(10, 2e-4)) {
    INFO(std::string(settings.integrator.name()));
    const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
    CHECK(end.velocities[0].x == Approx(speed).epsilon(1e-5));
  }
}

}  // namespace

// The impulse of F exp(−((t − t₀)/w)²) is F w √π, that of F/(1 + ((t − t₀)/w)²) over all times F w π.
TEST_CASE("a peak of a formula of time takes its impulse in all integrators") {
  check_end_speed("-300*exp(-((t-5.03)/0.01)^2)", 10 - 3 * root_of_pi);
  check_end_speed("-150/cosh((t-5.03)/0.01)^2", 10 - 150 * 0.01 * 2);
  const double w = 0.01, before = std::atan(5.03 / w), behind = std::atan(4.97 / w);
  check_end_speed("-100/(1+((t-5.03)/0.01)^2)", 10 - 100 * w * (before + behind));
}

// The work along x is F w √π, whatever the speed: v² = 100 − 2 F w √π.
TEST_CASE("a peak of a formula of the position takes its work in all integrators") {
  check_end_speed("-300*exp(-((q(s)-50)/0.01)^2)", std::sqrt(100 - 6 * root_of_pi));
  check_end_speed("-150/cosh((x(b)-50)*100)^2", std::sqrt(100 - 2 * 150 * 0.01 * 2));
}

// A triangle of 1e4 N over 0.2 mm takes 1 J; its three bends lie within one step, between rows that are far apart.
TEST_CASE("a narrow triangle of a table over the position takes its work in all integrators") {
  const auto table = [](const std::string& rows) {
    return "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
           "  - {name: b, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
           "  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
           "initial: {velocity: 1}}\nforces:\n"
           "  - {name: push, type: joint-force, joint: s, effort: {table: [[0, 0], " +
           rows + ", [100, 0]], of: \"q(s)\"}}\n";
  };
  // The second is a trapezoid: an even number of bends.
  for (const char* const rows :
       {"[5, 0], [5.0001, 1e4], [5.0002, 0]", "[5, 0], [5.0001, 5e3], [5.0002, 5e3], [5.0003, 0]"}) {
    INFO(rows);
    const auto system = system_from_text(table(rows));
    for (const host::RunSettings& settings : settings_of_all_integrators(7, 1e-3)) {
      INFO(std::string(settings.integrator.name()));
      const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
      CHECK(end.velocities[0].x == Approx(std::sqrt(3)).epsilon(1e-5));
    }
  }
}

// cos(u)^(2n) has the integral 2 π (2n)! / (2^n n!)² over a period, and narrow peaks at all multiples of π.
TEST_CASE("a high power and a small divisor of a sine take the impulse of each peak in all integrators") {
  // π C(10 000, 5000)/2^10 000 per half a period of u = t + 1: three peaks are passed.
  const double n = 5000, binomial = std::exp(std::lgamma(2 * n + 1) - 2 * std::lgamma(n + 1) - 2 * n * std::log(2.0));
  check_end_speed("cos(t+1)^10000", 10 + 3 * std::numbers::pi * binomial);
  // ∫ dt/(a − cos t) over a period is 2π/√(a² − 1): one whole peak, and the rest.
  const double a = 1.00001, root = std::sqrt(a * a - 1);
  const auto integral = [&](double t) { return 2 / root * std::atan(std::sqrt((a + 1) / (a - 1)) * std::tan(t / 2)); };
  const double within = 4 * std::numbers::pi / root + integral(4) - integral(2 * std::numbers::pi - 6);
  check_end_speed("-0.01/(1.00001-cos(t-6))", 10 - 0.01 * within);
}

// The same peak, its exponent written out: it touches zero at 5.03 and changes no sign there.
TEST_CASE("a peak whose exponent is written out is found by its derivative") {
  check_end_speed("-300*exp(-(t^2-10.06*t+5.03^2)/1e-4)", 10 - 3 * root_of_pi);
  check_end_speed("-1200/(exp((t-5.03)*100)+exp(-(t-5.03)*100))^2", 10 - 1200 * 0.01 / 2);
}

namespace {

host::RunRecord record_of(const host::System& system, const host::RunSettings& settings) {
  const auto solver = solver_for(system, *formulations_for(system).front());
  return host::simulate(system, *solver, settings, {}, {});
}

}  // namespace

// There is no motion past a pole, whatever steps give: no integrator goes on, with or without error control.
TEST_CASE("no run goes past a pole of a formula, and the formula is named") {
  for (const char* const effort :
       {"1/(t-1.0003)^2", "tan(t)", "-1/(q(s)-7.0003)", "(t-1.0003)^-2", "v(s)*tan(t)", "log((t-2)^2)/(t-1.0003)",
        "1e-3/((q(s)-7.0003)*abs(t-20))", "q(s)/abs(t-1.0003)", "1e-3/(1-cos(q(s)-7.0003))", "-1e-3/abs(q(s)-7.0003)",
        "1e-3/hypot(x(b)-7.0003, z(b))", "1e-3/(q(s)*q(s) - 14*q(s) + 49)", "1e-3/max(q(s)-7, 7-q(s))"}) {
    INFO(effort);
    const auto system = pushed(effort);
    for (const host::RunSettings& settings : settings_of_all_integrators(10, 1e-2)) {
      INFO(std::string(settings.integrator.name()));
      const host::RunRecord record = record_of(*system, settings);
      INFO(record.failure);
      REQUIRE(record.end == host::End::failed);
      CHECK(record.time < 1.6);
      CHECK(record.failure.find("A formula ") != std::string::npos);
      CHECK(record.failure.find("forces[0].effort.expression) at t = ") != std::string::npos);
    }
  }
}

// sin(x)/x is bounded.
TEST_CASE("a quotient that stays bounded where its divisor is zero is passed") {
  for (const host::RunSettings& settings : settings_of_all_integrators(10, 1e-2)) {
    INFO(std::string(settings.integrator.name()));
    for (const char* const effort : {"sin(t-3.50001)/(t-3.50001)", "sin(q(s)-40.00001)/(q(s)-40.00001)"}) {
      INFO(effort);
      const auto system = pushed(effort);
      const host::RunRecord record = record_of(*system, settings);
      INFO(record.failure);
      CHECK(record.end == host::End::done);
    }
  }
}

// Each peak does the work 0.5 ∫ cos¹⁰⁰⁰ = 0.5 √π Γ(500.5)/Γ(501). From 0 to 10 rad there are 3.5 peaks, to 200
// rad 63.5.
TEST_CASE("the peaks of a high power of a coordinate are met one and all, at any speed") {
  const double work = 0.5 * root_of_pi * std::exp(std::lgamma(500.5) - std::lgamma(501));
  for (const auto& [speed, peaks] : {std::pair(5.0, 3.5), std::pair(100.0, 63.5)}) {
    const auto system = system_from_text(
        "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
        "joints: [{name: j, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1], "
        "initial: {velocity: " +
        std::to_string(speed) +
        "}}]\n"
        "forces: [{name: e, type: joint-force, joint: j, effort: {expression: \"0.5*cos(q(j))^1000\"}}]\n");
    for (const host::RunSettings& settings : settings_of_all_integrators(2, 1e-3)) {
      if (settings.integrator.fixed_step()) continue;
      INFO(std::string(settings.integrator.name()) << " " << speed);
      const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
      REQUIRE(end.record.end == host::End::done);
      CHECK(end.angular_velocities[0].z == Approx(std::sqrt(speed * speed + 2 * peaks * work)).epsilon(1e-5));
    }
  }
}

// v² = 1 − 2 F w π / m, but for what lies beyond the ends. A step of 0.1 s passes 1000 widths of the peak.
TEST_CASE("a run whose fixed steps are long beside a peak along the motion says so") {
  const auto system = pushed("-10/(1+((q(s)-50.5)/0.001)^2)");
  host::RunSettings settings = run_settings("rk4");
  settings.duration = 10;
  settings.output_interval = 1;
  settings.step = 0.1;
  const Ended coarse = run_to_end(*system, *formulations_for(*system).front(), settings);
  const double speed = std::sqrt(100 - 2 * 10 * 0.001 * std::numbers::pi);
  const bool right = std::abs(coarse.velocities[0].x - speed) < 1e-3;
  CHECK((right || !coarse.record.warnings.empty()));
  const Ended smooth = run_to_end(*pushed("-0.1"), *formulations_for(*system).front(), settings);
  CHECK(smooth.record.warnings.empty());
}
