// Formulas with a narrow peak and no bend: no integrator steps over it, whether it comes by the clock or by the motion.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/events/elements.hpp"
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

// A pole that is passed has no value; a step that ends next to it tells the formula, its place and the time.
TEST_CASE("a run that ends next to a pole of a formula names it") {
  for (const char* const effort : {"1/(t-1)^2", "tan(t)", "1/(q(s)-1)", "(t-1)^-2", "log((t-1)^2)/(t-1)"}) {
    INFO(effort);
    const auto system = pushed(effort);
    host::RunSettings settings = settings_of_all_integrators(10, 1e-3)[1];
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::failed);
    CHECK(record.failure.find("A formula ") != std::string::npos);
    CHECK(record.failure.find("forces[0].effort.expression) at t = ") != std::string::npos);
  }
}
