// Impacts, sliding and rolling against closed forms, in every formulation.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "contact_law.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::RunSettings settings(double duration) {
  host::RunSettings s = run_settings();
  s.duration = duration;
  s.output_interval = duration / 4;
  s.step = duration / 20;
  s.relative_tolerance = 1e-9;
  s.absolute_tolerance = 1e-11;
  return s;
}

/// A ball of 2 kg and a radius of 0.1 m, 0.3 m above a plane.
std::string ball_on_plane(const char* gravity, const std::string& velocity, const std::string& contact,
                          const char* height = "0.4") {
  return fmt::format(
      "polyform: 1\ngravity: {}\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, position: [0, 0, {}],\n"
      "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: ball, initial: {{velocity: {}}}}}\n"
      "forces:\n  - {{name: c, type: contact, a: ball, b: ground, {}}}\n",
      gravity, height, velocity, contact);
}

/// The time that a contact without damping lasts: 2 δ_m/v ∫ dx/√(1 − xⁿ⁺¹) over 0 to 1.
double duration_of_contact(double mass, double k, double n, double speed) {
  const double depth = std::pow(0.5 * mass * speed * speed * (n + 1) / k, 1 / (n + 1));
  return 2 * depth / speed * std::sqrt(std::numbers::pi) * std::tgamma(1 + 1 / (n + 1)) /
         std::tgamma(0.5 + 1 / (n + 1));
}

}  // namespace

TEST_CASE("the damping number solves its equation and is 3(1 − e)/2 for small losses") {
  for (const double e : {0.1, 0.5, 0.9, 0.999}) {
    const double x = contact::damping_number(e);
    CHECK(x - std::log1p(x) == Approx(-e * x - std::log1p(-e * x)).epsilon(1e-9));
  }
  CHECK(contact::damping_number(1) == 0);
  CHECK(contact::damping_number(0.9999) == Approx(1.5 * 1e-4).epsilon(1e-3));
}

TEST_CASE("a ball comes back with the restitution that was asked for, whatever the law's exponent") {
  for (const double e : {0.1, 0.5, 0.8, 1.0})
    for (const double n : {1.0, 1.5, 3.0}) {
      const auto system = system_from_text(ball_on_plane(
          "[0, 0, 0]", "[0, 0, -2, 0, 0, 0]", fmt::format("stiffness: 1.0e+8, exponent: {}, restitution: {}", n, e)));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " e " << e << " n " << n);
        const Ended ended = run_to_end(*system, *formulation, settings(0.5));
        CHECK(ended.velocities[0].z == Approx(2 * e).epsilon(1e-6));
        CHECK(ended.record.energy_drift < 1e-7);
      }
    }
}

TEST_CASE("what lands on many points at once comes back with its restitution each time") {
  constexpr double e = 0.6;
  for (const char* shape : {"{type: box, size: [0.2, 0.2, 0.2]}", "{type: cylinder, radius: 0.1, length: 0.2}"}) {
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, 0]\nground: {{geometry: [{{type: plane}}, {{type: plane, normal: [0, 0, -1], "
        "position: [0, 0, 1]}}]}}\nbodies:\n  - {{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, "
        "position: [0, 0, 0.5], geometry: [{}]}}\n"
        "joints:\n  - {{name: j, type: free, base: ground, moving: block, initial: {{velocity: [0, 0, -2, 0, 0, 0]}}}}\n"
        "forces:\n  - {{name: c, type: contact, a: block, b: ground, stiffness: 1.0e+8, restitution: {}}}\n",
        shape, e));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << shape);
      const Ended ended = run_to_end(*system, *formulation, settings(2.1));  // impacts at 0.2, 0.87 and 1.98 s
      CHECK(ended.velocities[0].z == Approx(2 * e * e * e).margin(2e-6));
    }
  }
}

TEST_CASE("an elastic contact lasts as long as Hertz's law says") {
  const double T = duration_of_contact(2, 1e8, 1.5, 2);
  CHECK(T == Approx(2.94328 * std::pow(5 * 2 * 4 / (4 * 1e8), 0.4) / 2).epsilon(1e-4));
  const auto system =
      system_from_text(ball_on_plane("[0, 0, 0]", "[0, 0, -2, 0, 0, 0]", "stiffness: 1.0e+8, exponent: 1.5"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, settings(0.5));
    CHECK(ended.positions[0].z == Approx(0.1 + 2 * (0.5 - 0.15 - T)).epsilon(1e-8));
  }
}

// Friction slows the sliding ball and turns it until it rolls: what is left of the speed, 5/7, does not depend on the
// law of friction.
TEST_CASE("a ball that is thrown without spin rolls at five sevenths of its speed") {
  const auto system = system_from_text(ball_on_plane(
      "[0, 0, -9.81]", "[3, 0, 0, 0, 0, 0]",
      "stiffness: 1.0e+7, exponent: 1, restitution: 0.5, friction: {static: 0.4, dynamic: 0.3, velocity: 0.01}",
      "0.1"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, settings(1));
    // The ball sinks in by 2e-6 m, which shortens the lever of friction by half of that.
    CHECK(ended.velocities[0].x == Approx(15.0 / 7).epsilon(2e-5));
  }
}

// It slides v²/(2 μ g) far; the law's last centimetre per second adds little.
TEST_CASE("a block slides to rest as far as Coulomb's law says") {
  const std::string text =
      "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n"
      "  - {name: block, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, position: [0, 0, 0.05],\n"
      "     geometry: [{type: box, size: [0.3, 0.3, 0.1]}]}\n"
      "joints:\n  - {name: j, type: free, base: ground, moving: block, initial: {velocity: [2, 0, 0, 0, 0, 0]}}\n"
      "forces:\n  - {name: c, type: contact, a: block, b: ground, stiffness: 1.0e+6, exponent: 1, restitution: 0.2,\n"
      "     friction: {dynamic: 0.4, velocity: 1.0e-4}}\n";
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, settings(1));
    CHECK(ended.positions[0].x == Approx(4 / (2 * 0.4 * 9.81)).epsilon(2e-4));
    CHECK(std::abs(ended.velocities[0].x) < 1e-6);
  }
}

TEST_CASE("momentum passes through a row of equal balls") {
  const auto system = system_from_file(POLYFORM_MODELS "/newtons_cradle.yaml");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings s = settings(0.75);
    const Ended ended = run_to_end(*system, *formulation, s);
    // A quarter of a period after the first ball was let go the last one moves, the others nearly rest.
    CHECK(ended.record.energy_drift < 1e-6);
    CHECK(std::abs(ended.velocities[4].x) > 20 * std::abs(ended.velocities[0].x));
  }
}

TEST_CASE("contacts of all bodies hold what a joint connects to ground") {
  std::string text = ball_on_plane("[0, 0, -9.81]", "[0, 0, 0, 0, 0, 0]", "");
  text = text.substr(0, text.find("forces:")) + "contacts: {all: true, stiffness: 1.0e+12, restitution: 0.8}\n";
  const auto system = system_from_text(text);
  REQUIRE(system->view().forces.size() == 1);
  CHECK(system->view().forces[0].names[0] == "contact.ball.ground");
  // It falls by 0.3 m and comes back with four fifths of the speed.
  const double speed = std::sqrt(2 * 9.81 * 0.3), rest = 0.5 - speed / 9.81;
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings(0.5));
  CHECK(ended.velocities[0].z == Approx(0.8 * speed - 9.81 * rest).epsilon(5e-3));
}

// While it slides, the ball loses μ times the impulse of the impact along the surface.
TEST_CASE("bristles of a ball that lands with a sliding speed rub as Coulomb's law says") {
  for (const char* bristles : {"1.0e+6", "1.0e+7"}) {
    const auto system = system_from_text(ball_on_plane(
        "[0, 0, 0]", "[10, 0, -2, 0, 0, 0]",
        fmt::format("stiffness: 1.0e+6, restitution: 0.5, friction: {{dynamic: 0.2, stiffness: {}}}", bristles)));
    for (const Formulation* formulation : formulations_for(*system))
      for (const char* method : {"dopri5", "radau5"}) {
        INFO(formulation->name() << " " << method << " " << bristles);
        host::RunSettings s = settings(0.4);
        s.integrator = integrator(method);
        s.relative_tolerance = 1e-7;
        const Ended ended = run_to_end(*system, *formulation, s);
        CHECK(ended.velocities[0].z == Approx(1).epsilon(1e-5));
        CHECK(ended.velocities[0].x == Approx(10 - 0.2 * 3).epsilon(1e-3));
      }
  }
}

// With bristles what sticks does not creep: after they have taken up the load the block stands still.
TEST_CASE("a block on an incline below the limit does not creep where its friction has bristles") {
  const auto text = [&](double tangent, const char* stiffness) {
    const double a = std::atan(tangent);
    return fmt::format(
        "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: block, mass: 2, inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}, position: [0, 0, 0.05],\n"
        "     geometry: [{{type: box, size: [0.3, 0.3, 0.1]}}]}}\n"
        "joints:\n  - {{name: j, type: free, base: ground, moving: block}}\n"
        "forces:\n  - {{name: c, type: contact, a: block, b: ground, stiffness: 1.0e+4, exponent: 1, restitution: 0.2,\n"
        "     friction: {{dynamic: 0.5{}}}}}\n",
        9.81 * std::sin(a), -9.81 * std::cos(a), stiffness);
  };
  const auto sticks = system_from_text(text(0.4, ", stiffness: 1.0e+4"));
  const auto creeps = system_from_text(text(0.4, ""));
  const auto slides = system_from_text(text(0.6, ", stiffness: 1.0e+4"));
  const Formulation& formulation = *formulations_for(*sticks).front();
  const auto at = [&](const host::System& system, double t) {
    return run_to_end(system, formulation, settings(t)).positions[0].x;
  };
  CHECK(std::abs(at(*sticks, 6) - at(*sticks, 4)) < 1e-7);
  CHECK(std::abs(at(*creeps, 6) - at(*creeps, 4)) > 1e-5);
  const double steep = std::atan(0.6);
  const auto speed = [&](double t) { return run_to_end(*slides, formulation, settings(t)).velocities[0].x; };
  CHECK(speed(2) - speed(1) == Approx(9.81 * (std::sin(steep) - 0.5 * std::cos(steep))).epsilon(1e-5));
}

// Its gap falls through the depth at which the contact begins by some 1e-15 m, in 1e-8 s, which takes many steps.
TEST_CASE("a ball that is laid down exactly at touch rolls without a warning") {
  const auto system = system_from_text(
      "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n"
      "  - {name: ball, mass: 0.5, inertia: {xx: 0.0005, yy: 0.0005, zz: 0.0005}, position: [0, 0, 0.05],\n"
      "     velocity: [3, 0.5, 0], angular_velocity: [0, -20, 5], geometry: [{type: sphere, radius: 0.05}]}\n"
      "joints: [{name: j, type: free, base: ground, moving: ball}]\n"
      "forces: [{name: c, type: contact, a: ball, b: ground, law: hunt-crossley, stiffness: 1.0e7, restitution: 0.01,\n"
      "  friction: {dynamic: 0.2, velocity: 1.0e-4}}]\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings s = run_settings("dop853");
    s.duration = 0.01;
    const Ended ended = run_to_end(*system, *formulation, s);
    CHECK(ended.record.warnings.empty());
    // Friction has the direction of the slip, and 0.2 of the impulse of the ground, which the balance along z tells.
    const double slip = std::hypot(4.0, 0.5), slower = 0.2 * (9.81 * 0.01 + ended.velocities[0].z);
    CHECK(ended.velocities[0].x == Approx(3 - slower * 4 / slip).epsilon(1e-5));
    CHECK(ended.velocities[0].y == Approx(0.5 - slower * 0.5 / slip).epsilon(1e-4));
  }
}
