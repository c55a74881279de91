// Friction by the load of a joint, against closed forms and a separate integration, in every formulation.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;

host::RunSettings bearing_settings(double duration) {
  host::RunSettings s = run_settings("dop853");
  s.duration = duration;
  s.output_interval = duration / 10;
  s.step = duration / 100;
  s.relative_tolerance = 1e-11;
  s.absolute_tolerance = 1e-13;
  return s;
}

/// A mass of 2 kg on a guide along x.
std::unique_ptr<host::System> mass_on_guide(const Vec3& gravity, double speed, const std::string& forces) {
  return system_from_text(fmt::format(
      "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nbodies:\n"
      "  - {{name: mass, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n"
      "joints:\n  - {{name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: {}}}}}\nforces:\n{}",
      gravity.x, gravity.z, speed, forces));
}

/// A rod of 3 kg with its mass centre 0.4 m from a bearing of a radius of 0.1 m about y, at an angle from hanging.
constexpr double rod_mass = 3, rod_arm = 0.4, rod_inertia = 0.2, bearing_radius = 0.1;
std::unique_ptr<host::System> pendulum(double angle, double speed, double coefficient) {
  return system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {{name: rod, mass: 3, center_of_mass: [0, 0, -0.4], inertia: {{xx: 0.2, yy: 0.2, zz: 0.01}}}}\n"
      "joints:\n  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0],\n"
      "     initial: {{position: {:.17g}, velocity: {}}}}}\n"
      "forces:\n  - {{name: bearing, type: dry-friction, joint: pin, coefficient: {}, radius: 0.1}}\n",
      angle, speed, coefficient));
}

/// ω̇ of the pendulum while it slides: iterates the load and the friction that depends on it to the last digit.
double pendulum_acceleration(double angle, double speed, double coefficient) {
  const double inertia = rod_inertia + rod_mass * rod_arm * rod_arm;
  double acceleration = 0;
  for (int i = 0; i < 200; ++i) {
    // Along the rod and across it: m (a − g).
    const double along = rod_mass * (rod_arm * speed * speed + earth * std::cos(angle));
    const double across = rod_mass * (rod_arm * acceleration + earth * std::sin(angle));
    const double friction = coefficient * bearing_radius * std::hypot(along, across);
    acceleration = (-rod_mass * earth * rod_arm * std::sin(angle) - std::copysign(friction, speed)) / inertia;
  }
  return acceleration;
}

}  // namespace

TEST_CASE("a mass on a guide slides to rest by its weight, and stays or turns back as the weight says") {
  const char* const friction = "  - {name: f, type: dry-friction, joint: guide, coefficient: 0.3}\n";
  const auto level = mass_on_guide({0, 0, -earth}, 2, friction);
  const auto below = mass_on_guide({earth * std::sin(0.28), 0, -earth * std::cos(0.28)}, 0, friction);
  const auto above = mass_on_guide({earth * std::sin(0.31), 0, -earth * std::cos(0.31)}, 0, friction);
  for (const Formulation* formulation : formulations_for(*level)) {
    INFO(formulation->name());
    const Ended rested = run_to_end(*level, *formulation, bearing_settings(2));
    CHECK(rested.positions[0].x == Approx(4 / (2 * 0.3 * earth)).epsilon(1e-10));
    CHECK(std::abs(rested.velocities[0].x) < 1e-12);
    CHECK(rested.record.energy_drift < 1e-10);
    CHECK(std::abs(run_to_end(*below, *formulation, bearing_settings(3600)).positions[0].x) < 1e-12);
    const double a = earth * (std::sin(0.31) - 0.3 * std::cos(0.31));
    CHECK(run_to_end(*above, *formulation, bearing_settings(1)).positions[0].x == Approx(0.5 * a).epsilon(1e-10));
  }
}

TEST_CASE("a preload rubs without a load") {
  const auto system =
      mass_on_guide({0, 0, 0}, 2, "  - {name: f, type: dry-friction, joint: guide, coefficient: 0.3, preload: 10}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    CHECK(run_to_end(*system, *formulation, bearing_settings(2)).positions[0].x ==
          Approx(4 / (2 * 1.5)).epsilon(1e-10));
  }
}

// It rests where the friction at rest, μ r m g, holds m g l sin φ.
TEST_CASE("a pendulum in a dry bearing rests out of the vertical up to its angle of friction") {
  const double limit = std::asin(0.2 * bearing_radius / rod_arm);
  const auto below = pendulum(0.99 * limit, 0, 0.2), above = pendulum(1.01 * limit, 0, 0.2);
  for (const Formulation* formulation : formulations_for(*below)) {
    INFO(formulation->name());
    CHECK(std::abs(run_to_end(*below, *formulation, bearing_settings(100)).velocities[0].x) < 1e-12);
    // A hundredth of the torque is left; it becomes a little less as the pendulum turns.
    const double rate =
        -0.01 * rod_mass * earth * rod_arm * std::sin(limit) / (rod_inertia + rod_mass * rod_arm * rod_arm);
    const Ended ended = run_to_end(*above, *formulation, bearing_settings(0.1));
    CHECK(ended.angular_velocities[0].y == Approx(0.1 * rate).epsilon(0.05));
  }
}

TEST_CASE("a bearing rubs by the load that its own friction changes") {
  const double mu = 0.5;
  double angle = 0.5, speed = 3;
  constexpr double h = 1e-4;
  for (int i = 0; i < 2000; ++i) {
    const auto rate = [&](double q, double v) { return pendulum_acceleration(q, v, mu); };
    const double a1 = rate(angle, speed), v2 = speed + 0.5 * h * a1, a2 = rate(angle + 0.5 * h * speed, v2),
                 v3 = speed + 0.5 * h * a2, a3 = rate(angle + 0.5 * h * v2, v3), v4 = speed + h * a3,
                 a4 = rate(angle + h * v3, v4);
    angle += h / 6 * (speed + 2 * v2 + 2 * v3 + v4);
    speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const auto system = pendulum(0.5, 3, mu);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, bearing_settings(0.2));
    CHECK(ended.angular_velocities[0].y == Approx(speed).epsilon(1e-9));
    CHECK(ended.record.energy_drift < 1e-9);
  }
}

// The sleeve holds the moment F a with two forces F a/L, which rub, and jams beyond a = L (W + F)/(2 μ F).
TEST_CASE("a bracket on a pole jams when its load hangs far enough out") {
  const auto slides = system_from_file(POLYFORM_MODELS "/bracket.yaml");
  const auto jams = system_from_text(
      "polyform: 1\nbodies:\n  - {name: bracket, mass: 0.1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}\n"
      "joints:\n  - {name: pole, type: prismatic, base: ground, moving: bracket, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n  - {name: load, type: point-force, body: bracket, point: [0.7, 0, 0], force: [0, 0, -6]}\n"
      "  - {name: rubbing, type: dry-friction, joint: pole, coefficient: 0.25, length: 0.3}\n");
  for (const Formulation* formulation : formulations_for(*slides)) {
    INFO(formulation->name());
    CHECK(run_to_end(*slides, *formulation, bearing_settings(1)).positions[0].z == Approx(-0.5 * 6.81).epsilon(1e-9));
    CHECK(std::abs(run_to_end(*jams, *formulation, bearing_settings(10)).positions[0].z) < 1e-12);
  }
}

// A mass of 2 kg whose centre lies 0.3 m beside its guide of a length of 0.2 m: an acceleration a presses the ends of
// the guide with 3 m |a| in all, and they rub with k m |a|, k = 3 μ. Pushed along its motion by what the preload leaves
// of a force, it has m a = F/(1 + k), with any k; braked by F it has m a = −F/(1 − k), and no acceleration from k = 1
// on.
namespace {

struct Slide {
  double k, force, speed, preload;
};

std::unique_ptr<host::System> slide_beside_guide(const Slide& of) {
  return system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: mass, mass: 2, center_of_mass: [0, 0.3, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n"
      "joints:\n  - {{name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: {}}}}}\n"
      "forces:\n  - {{name: f, type: dry-friction, joint: guide, coefficient: {:.17g}, length: 0.2, preload: {}}}\n"
      "  - {{name: push, type: joint-force, joint: guide, effort: {}}}\n",
      of.speed, of.k / 3, of.preload, of.force));
}

bool tells_of_other_friction(const Ended& ended) {
  return ended.record.warnings.size() == 1 &&
         ended.record.warnings[0].find("has more than one solution") != std::string::npos;
}

}  // namespace

TEST_CASE("a slide beside its guide has the acceleration that its own friction leaves, however large that is") {
  constexpr double duration = 0.01;
  const Slide all[] = {{1, -1, 0, 0},    {1, -8, 0, 10},    {0.9, 1, 0, 0},   {1.2, 1, 0, 0},
                       {5, 1, 0, 0},     {2, 8, 1, 10},     {2, 1, 1, 0},     {5, 9, 1, 0.2},
                       {0.95, -1, 1, 0}, {0.997, -1, 5, 0}, {0.9, -1, 1, 0.5}};
  for (const Slide& slide : all) {
    INFO(slide.k << ", " << slide.force << ", " << slide.speed);
    const auto system = slide_beside_guide(slide);
    const double way = slide.speed != 0 ? 1 : std::copysign(1, slide.force);
    const double along = way * slide.force - slide.k / 3 * slide.preload;
    const double a = way * along / (along > 0 ? 1 + slide.k : 1 - slide.k) / 2;
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name());
      const Ended ended = run_to_end(*system, *formulation, bearing_settings(duration));
      CHECK(ended.velocities[0].x == Approx(slide.speed + a * duration).epsilon(1e-10));
      CHECK(ended.record.energy_drift < 1e-9);
      CHECK(tells_of_other_friction(ended) == (slide.k > 1 && along > 0));
    }
  }
}

TEST_CASE("a slide that jams by its own friction has no acceleration, which is told") {
  for (const double k : {1.0, 1.2, 2.0}) {
    const auto system = slide_beside_guide({k, -1, 1, 0});
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", " << k);
      const auto solver = solver_for(*system, *formulation);
      const host::RunRecord record = host::simulate(*system, *solver, bearing_settings(0.1), {}, {});
      CHECK(record.end == host::End::failed);
      CHECK(record.failure.find("friction by the load of `f` has no solution") != std::string::npos);
    }
  }
}
