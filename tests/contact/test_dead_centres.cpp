// Rows of joints in closed loops that pass a dead centre: their velocity is zero there, and the mechanism runs on.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "exact_run.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A slider-crank without gravity, whose piston rubs in its bore. The crank begins at an angle, rad, with a speed,
/// rad/s, and a torque drives it, N m.
std::string slider_crank(double angle, double speed, double rubbing, double torque) {
  return fmt::format(R"(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: crank, mass: 1, inertia: {{xx: 0.03, yy: 0.03, zz: 0.05}}}}
  - {{name: rod, mass: 0.3, center_of_mass: [0.15, 0, 0], inertia: {{xx: 0.001, yy: 0.003, zz: 0.003}},
     position: [0.1, 0, 0]}}
  - {{name: piston, mass: 0.5, inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}, position: [0.4, 0, 0]}}
joints:
  - {{name: main, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{position: {}, velocity: {}}}}}
  - {{name: pin, type: revolute, base: crank, moving: rod, position: [0.1, 0, 0], axis: [0, 0, 1]}}
  - {{name: bore, type: prismatic, base: ground, moving: piston, position: [0.4, 0, 0], axis: [1, 0, 0]}}
  - {{name: wrist, type: revolute, base: rod, moving: piston, position: [0.4, 0, 0], axis: [0, 0, 1], cut: true}}
forces:
  - {{name: rings, type: dry-friction, joint: bore, effort: {}}}
  - {{name: motor, type: joint-force, joint: main, effort: {}}}
)",
                     angle, speed, rubbing, torque);
}

/// The same mechanism in the crank's angle alone.
struct Crank {
  static constexpr double r = 0.1, l = 0.3, half = 0.15, pi = 3.14159265358979323846;
  double rubbing, torque, begin, speed;

  static double tilt(double a) { return std::asin(-r * std::sin(a) / l); }
  static double place(double a) { return r * std::cos(a) + l * std::cos(tilt(a)); }
  /// Twice the kinetic energy at 1 rad/s.
  static double inertia(double a) {
    const double b = tilt(a), turn = -r * std::cos(a) / (l * std::cos(b));
    const double x = -r * std::sin(a), y = r * std::cos(a);
    const double rod_x = x - half * std::sin(b) * turn, rod_y = y + half * std::cos(b) * turn;
    const double piston = x - l * std::sin(b) * turn;
    return 0.05 + 0.3 * (rod_x * rod_x + rod_y * rod_y) + 0.003 * turn * turn + 0.5 * piston * piston;
  }
  /// The way of the piston from the begin on; between dead centres it goes one way.
  double way(double a) const {
    double sum = 0, from = begin;
    for (double centre = pi * std::ceil(begin / pi); centre < a; centre += pi) {
      sum += std::abs(place(centre) - place(from));
      from = centre;
    }
    return sum + std::abs(place(a) - place(from));
  }
  double speed_at(double a) const {
    const double energy = 0.5 * inertia(begin) * speed * speed + torque * (a - begin) - rubbing * way(a);
    return std::sqrt(2 * energy / inertia(a));
  }
  /// The time to an angle, by Simpson's rule.
  double time_to(double a) const {
    constexpr int parts = 20000;
    double sum = 0;
    for (int i = 0; i <= parts; ++i)
      sum += (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2) / speed_at(begin + (a - begin) * i / parts);
    return sum * (a - begin) / (3 * parts);
  }
  double angle_at(double time) const {
    double a = begin;
    for (int round = 0; round < 30; ++round) a += (time - time_to(a)) * speed_at(a);
    return a;
  }
};

/// The crank's angle, which its orientation tells up to whole turns.
double angle_near(double near, const Ended& ended) {
  const Quat& q = ended.orientations[0];
  return near + std::remainder(2 * std::atan2(q.z, q.w) - near, 2 * Crank::pi);
}

host::RunSettings settings_of(const char* integrator, double duration, double tolerance) {
  host::RunSettings s = run_settings(integrator);
  s.duration = duration;
  s.output_interval = duration / 10;
  s.step = 1e-3;
  s.relative_tolerance = tolerance;
  s.absolute_tolerance = 1e-2 * tolerance;
  return s;
}

}  // namespace

// The crank turns seven times. At each dead centre the piston comes to rest and friction changes its sign, without
// anything that could stop the crank.
TEST_CASE("a piston that rubs passes its dead centres, with the energy that its way takes") {
  const Crank exact{.rubbing = 0.5, .torque = 0, .begin = 0.7, .speed = 10};
  const double exact_angle = exact.angle_at(5);
  const auto system = system_from_text(slider_crank(0.7, 10, 0.5, 0));
  for (const Formulation* formulation : formulations_for(*system))
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      INFO(formulation->name() << ", tolerance " << tolerance);
      const Ended ended = run_to_end(*system, *formulation, settings_of("dop853", 5, tolerance));
      REQUIRE(ended.record.end == host::End::done);
      const double angle = angle_near(exact_angle, ended);
      CHECK(angle == Approx(exact_angle).epsilon(20 * tolerance));
      CHECK(ended.angular_velocities[0].z == Approx(exact.speed_at(angle)).epsilon(20 * tolerance));
    }
}

// At rest at the dead centre friction holds nothing: no force along the bore turns the crank there. It rubs as soon as
// the crank turns.
TEST_CASE("a piston that begins at its dead centre rubs as soon as the crank turns") {
  const Crank exact{.rubbing = 0.5, .torque = 0.1, .begin = 0, .speed = 0};
  const auto system = system_from_text(slider_crank(0, 0, 0.5, 0.1));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, settings_of("dop853", 2, 1e-8));
    REQUIRE(ended.record.end == host::End::done);
    const double angle = angle_near(1.5, ended);
    CHECK(ended.angular_velocities[0].z == Approx(exact.speed_at(angle)).epsilon(1e-7));
  }
}

// What holds, holds: the energy is not enough for the way, and the crank stops within it.
TEST_CASE("a piston whose friction takes all the energy stops where it is gone") {
  const Crank exact{.rubbing = 20, .torque = 0, .begin = 0.7, .speed = 10};
  // Where the energy is gone, by bisection.
  double low = exact.begin, high = 2 * Crank::pi;
  while (high - low > 1e-14) {
    const double middle = 0.5 * (low + high);
    (std::isnan(exact.speed_at(middle)) ? high : low) = middle;
  }
  const auto system = system_from_text(slider_crank(0.7, 10, 20, 0));
  for (const Formulation* formulation : formulations_for(*system))
    for (const double tolerance : {1e-6, 1e-9}) {
      INFO(formulation->name() << ", tolerance " << tolerance);
      const Ended ended = run_to_end(*system, *formulation, settings_of("dop853", 3, tolerance));
      REQUIRE(ended.record.end == host::End::done);
      const double turn = angle_near(low, ended) - low;
      CHECK(std::abs(turn) < 100 * tolerance);
      CHECK(std::abs(ended.angular_velocities[0].z) < 1e-10);
    }
}

TEST_CASE("every integrator takes a rubbing piston through its dead centres") {
  const Crank exact{.rubbing = 0.5, .torque = 0, .begin = 0.7, .speed = 10};
  const double exact_angle = exact.angle_at(0.5);
  const auto system = system_from_text(slider_crank(0.7, 10, 0.5, 0));
  const Formulation* const formulation = formulations_for(*system).front();
  for (const char* integrator : {"dopri5", "radau5", "cvode-bdf", "generalized-alpha", "rk4"}) {
    INFO(integrator);
    const Ended ended = run_to_end(*system, *formulation, settings_of(integrator, 0.5, 1e-7));
    REQUIRE(ended.record.end == host::End::done);
    const double angle = angle_near(exact_angle, ended);
    CHECK(ended.angular_velocities[0].z == Approx(exact.speed_at(angle)).epsilon(2e-5));
    CHECK(angle == Approx(exact_angle).epsilon(2e-5));
  }
}

// A motor drives the crank from 10 to 72 rad/s. The piston rubs with its side force, which changes its sign at about
// the dead centres as well, under gravity. The speed at the end: riccati and cartesian at 1e-10 agree on eight digits.
TEST_CASE("a piston that rubs with its side force passes dead centres at any speed") {
  std::string text = slider_crank(3.141592330553224, 9.592814130159017, 0, 1.95924);
  const auto put = [&](std::string_view place, std::string_view words) {
    text.replace(text.find(place), place.size(), words);
  };
  put("gravity: [0, 0, 0]", "gravity: [0, -9.81, 0]");
  put("joint: bore, effort: 0", "joint: bore, coefficient: 0.169");
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    if (formulation->name() != "riccati" && formulation->name() != "cartesian") continue;
    for (const char* integrator : {"dop853", "radau5"})
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        INFO(formulation->name() << ", " << integrator << ", tolerance " << tolerance);
        const Ended ended = run_to_end(*system, *formulation, settings_of(integrator, 2, tolerance));
        REQUIRE(ended.record.end == host::End::done);
        CHECK(ended.angular_velocities[0].z == Approx(71.695132).epsilon(50 * tolerance));
      }
  }
}

// Two links of 0.5 m in one line between a pivot and a slide that is pressed, in the direction `turned`, rad. There the
// rows of the loop depend on each other, without contradiction, and a force along the slide moves nothing.
namespace {

std::string straight_toggle(double turned, double press, double rub, double torque) {
  const double c = std::cos(turned), s = std::sin(turned);
  const auto link = [&](const char* name, double from) {
    return fmt::format(
        "  - {{name: {}, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {{xx: 0.001, yy: 0.02, zz: 0.02}},\n"
        "     position: [{:.17g}, {:.17g}, 0], orientation: {{axis: [0, 0, 1], angle: {:.17g}}}}}\n",
        name, from * c, from * s, turned);
  };
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n{}{}"
      "  - {{name: p, mass: 0.5, inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}, position: [{:.17g}, {:.17g}, 0]}}\n"
      "joints:\n"
      "  - {{name: main, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1],\n"
      "     initial: {{position: 0, velocity: 0}}}}\n"
      "  - {{name: knee, type: revolute, base: a, moving: c, position: [{:.17g}, {:.17g}, 0], axis: [0, 0, 1],\n"
      "     initial: {{position: 0, velocity: 0}}}}\n"
      "  - {{name: bore, type: prismatic, base: ground, moving: p, position: [{:.17g}, {:.17g}, 0],\n"
      "     axis: [{:.17g}, {:.17g}, 0]}}\n"
      "  - {{name: wrist, type: revolute, base: c, moving: p, position: [{:.17g}, {:.17g}, 0], axis: [0, 0, 1],\n"
      "     cut: true}}\n"
      "forces:\n  - {{name: rub, type: dry-friction, joint: bore, effort: {}}}\n"
      "  - {{name: press, type: joint-force, joint: bore, effort: {}}}\n"
      "  - {{name: motor, type: joint-force, joint: main, effort: {}}}\n",
      link("a", 0), link("c", 0.5), c, s, 0.5 * c, 0.5 * s, c, s, c, s, c, s, rub, press, torque);
}

}  // namespace

TEST_CASE("a toggle that stands straight under its press rests, and says so") {
  for (const double turned : {0.0, 0.7})
    for (const auto& [press, rub] : {std::pair{-5.0, 2.0}, {-2.0, 5.0}, {5.0, 2.0}}) {
      const auto system = system_from_text(straight_toggle(turned, press, rub, 0));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " turned by " << turned << ", pressed by " << press << " against " << rub);
        const Ended ended = run_to_end(*system, *formulation, exact_run(0.3));
        const Vec3 end{std::cos(turned), std::sin(turned), 0};
        CHECK(norm(ended.positions[2] - end) < 1e-12);
        CHECK(norm(ended.velocities[1]) < 1e-12);
        CHECK(ended.record.events == 0);
      }
    }
}

// With the angle q the slide is at cos q, and ½ M q'² = τ q + (P − R)(1 − cos q) with
// M = 0.04 + 0.25² (1 + cos² q) + (0.75² + 0.5) sin² q, P being the press and R the friction.
TEST_CASE("a toggle that a motor bends out of its straight line keeps its balance of energy") {
  constexpr double press = 5, rub = 2, torque = 0.3;
  const auto system = system_from_text(straight_toggle(0.7, -press, rub, torque));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(0.5));
    const double w = ended.angular_velocities[0].z, along = std::hypot(ended.positions[2].x, ended.positions[2].y);
    const double q = std::acos(along), c = along, s = std::sin(q);
    const double M = 0.04 + 0.25 * 0.25 * (1 + c * c) + (0.75 * 0.75 + 0.5) * s * s;
    CHECK(q > 0.2);
    CHECK(0.5 * M * w * w == Approx(torque * q + (press - rub) * (1 - c)).epsilon(1e-7));
  }
}
