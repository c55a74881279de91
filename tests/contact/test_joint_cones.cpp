// Limits of ball joints, by the angle of an axis and by that of the whole rotation, against closed forms.
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

constexpr double pi = std::numbers::pi;

/// A rod of 1 m and 2 kg that hangs on a joint at the origin; it turns with 6 rad/s about y.
std::string hanging_rod(const std::string& joint, const std::string& forces) {
  return "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  - {name: rod, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.17, yy: 0.17, zz: 0.01}}\n"
         "joints:\n  - {name: j, base: ground, moving: rod, position: [0, 0, 0], " +
         joint + "}\nforces:\n  - {name: stop, type: joint-limit, joint: j, " + forces + "}\n";
}

const std::string ball = "type: spherical, initial: {velocity: [0, 6, 0]}";
const std::string hinge = "type: revolute, axis: [0, 1, 0], initial: {velocity: 6}";

/// A ball of 2 kg with the same inertia about all axes, on a massless bar of 0.5 m below a joint at the origin. The
/// ball begins turned about y by `angle`. velocity: of the joint.
std::string ball_on_bar(double angle, const std::string& velocity, const std::string& forces) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {{name: ball, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n"
      "joints:\n  - {{name: j, type: spherical, base: ground, moving: ball, position: [0, 0, 0],\n"
      "     initial: {{position: [{:.17g}, 0, {:.17g}, 0], velocity: {}}}}}\n"
      "forces:\n  - {{name: stop, type: joint-limit, joint: j, {}}}\n",
      std::cos(angle / 2), std::sin(angle / 2), velocity, forces);
}

/// Angular momentum about the joint, of a body with the moment of inertia J about all axes through its mass centre.
Vec3 momentum(const Observation& now, double m, const Vec3& center, double J) {
  const Observation::Body& body = now.bodies[0];
  const Vec3 arm = rotation_matrix(body.pose.orientation) * center, w = body.angular_velocity;
  return m * cross(body.pose.position + arm, body.velocity + cross(w, arm)) + J * w;
}

}  // namespace

// It begins in the middle of the cone, where no direction leads out, and passes there again after each impact.
TEST_CASE("a ball joint that swings in a plane strikes its cone as a hinge strikes its limits") {
  for (const double angle : {0.5, 2.5}) {
    const std::string cone = fmt::format("cone: {0}, axis: [0, 0, 1], ", angle),
                      limits = fmt::format("lower: -{0}, upper: {0}, ", angle);
    const double speed = angle > 1 ? 2 : 1;  // enough to come up there
    for (const char* law : {"restitution: 0.8", "restitution: 0", "restitution: 0.5, impact: poisson",
                            "law: compliant, stiffness: 4000, damping: 20"}) {
      std::string with_ball = hanging_rod(ball, cone + law), with_hinge = hanging_rod(hinge, limits + law);
      if (speed > 1) {
        with_ball.replace(with_ball.find("[0, 6, 0]"), 9, "[0, 9, 0]");
        with_hinge.replace(with_hinge.find("velocity: 6"), 11, "velocity: 9");
      }
      const auto one = system_from_text(with_ball), other = system_from_text(with_hinge);
      for (const Formulation* formulation : formulations_for(*one)) {
        INFO(formulation->name() << " " << angle << " " << law);
        host::RunSettings s = exact_run(1.2);
        s.relative_tolerance = 1e-12;
        s.absolute_tolerance = 1e-14;
        const Ended a = run_to_end(*one, *formulation, s), b = run_to_end(*other, *formulation, s);
        CHECK(norm(a.angular_velocities[0] - b.angular_velocities[0]) < 1e-10);
        CHECK(std::abs(a.orientations[0].y - b.orientations[0].y) < 1e-10);
        CHECK(a.record.energy_drift < 1e-9);
      }
    }
  }
}

TEST_CASE("a pendulum that bounces within an upright cone keeps its energy and its momentum about the axis") {
  for (const double restitution : {1.0, 0.6, 0.0}) {
    const auto system = system_from_text(
        ball_on_bar(0.2, "[4, 2.5, 1.5]", fmt::format("cone: 0.7, axis: [0, 0, -1], restitution: {}", restitution)));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << restitution);
      const auto solver = solver_for(*system, *formulation);
      double first = 0, widest = 0, impacts = 0;
      EachRow rows([&](double t, const Observation& now) {
        const Vec3 whole = momentum(now, 2, {0, 0, -0.5}, 0.1);
        if (t == 0) first = whole.z;
        CHECK(std::abs(whole.z - first) < 1e-9 * norm(whole));
        widest = std::max(widest, std::acos(rotation_matrix(now.bodies[0].pose.orientation)(2, 2)));
        impacts = now.x[2];
      });
      host::RowSink* sinks[] = {&rows};
      const host::RunRecord record = host::simulate(*system, *solver, exact_run(2), sinks, {});
      INFO(record.failure);
      REQUIRE(record.end == host::End::done);
      CHECK(record.energy_drift < 1e-9);
      CHECK(widest < 0.7 + 1e-9);
      CHECK(impacts > 0);
    }
  }
}

// A ball that turns about the vertical as a whole stays on its cone: the moment that keeps it there is m r² Ω² sin cos
// less that of gravity, and its angular momentum is that of a point, since its own stays upright.
TEST_CASE("a conical pendulum slides along its cone at its speed, pressed by what the closed form says") {
  const double angle = 0.4, speed = 7, r = 0.5, m = 2;
  const auto system = system_from_text(
      ball_on_bar(angle, fmt::format("[0, 0, {}]", speed), fmt::format("cone: {}, axis: [0, 0, 1]", angle)));
  const double effort = m * r * r * speed * speed * std::sin(angle) * std::cos(angle) - m * 9.81 * r * std::sin(angle);
  REQUIRE(effort > 0);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    EachRow rows([&](double t, const Observation& now) {
      const Vec3 down = rotation_matrix(now.bodies[0].pose.orientation) * Vec3{0, 0, -1};
      CHECK(down.x == Approx(-std::sin(angle) * std::cos(speed * t)).margin(1e-8));
      CHECK(down.y == Approx(-std::sin(angle) * std::sin(speed * t)).margin(1e-8));
      CHECK(down.z == Approx(-std::cos(angle)).epsilon(1e-11));
      if (t > 0) CHECK(now.x[0] == Approx(-effort).epsilon(1e-8));
    });
    host::RowSink* sinks[] = {&rows};
    host::RunSettings s = exact_run(3);
    const host::RunRecord record = host::simulate(*system, *solver, s, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    CHECK(record.energy_drift < 1e-9);
  }
}

// A ball of one moment of inertia about all axes turns evenly about any: by ω t, until it strikes; then back with e ω.
TEST_CASE("a limit of the whole rotation sends a ball back from whatever axis it turns about") {
  const Vec3 axis = (1 / norm(Vec3{1, -2, 0.5})) * Vec3{1, -2, 0.5};
  const double speed = 2, most = 2.2, e = 0.75;
  for (const char* joint : {"spherical", "free"}) {
    const std::string velocity =
        fmt::format("{:.17g}, {:.17g}, {:.17g}]", speed * axis.x, speed * axis.y, speed * axis.z);
    const auto system = system_from_text(
        fmt::format("polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
                    "  - {{name: ball, mass: 1, inertia: {{xx: 0.2, yy: 0.2, zz: 0.2}}}}\n"
                    "joints:\n  - {{name: j, type: {}, base: ground, moving: ball, position: [0, 0, 0],\n"
                    "     initial: {{velocity: {}{}}}}}\n"
                    "forces:\n  - {{name: stop, type: joint-limit, joint: j, turn: {}, restitution: {}}}\n",
                    joint, std::string(joint) == "free" ? "[0, 0, 0, " : "[", velocity, most, e));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << joint);
      const double after = 0.3;
      const Ended ended = run_to_end(*system, *formulation, exact_run(most / speed + after));
      CHECK(norm(ended.angular_velocities[0] + e * speed * axis) < 1e-10);
      const double angle = most - e * speed * after;
      CHECK(std::abs(ended.orientations[0].w) == Approx(std::cos(angle / 2)).epsilon(1e-10));
      CHECK(ended.record.energy_drift < 1e-10);
    }
  }
}

// Half a wave of √(k/J) in the spring, about whatever axis.
TEST_CASE("a compliant cone throws a ball back as its spring says") {
  const double speed = 3, angle = 0.6, J = 0.2, k = 500, wave = std::sqrt(k / J);
  const auto system = system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: ball, mass: 1, inertia: {{xx: {0}, yy: {0}, zz: {0}}}}}\n"
      "joints:\n  - {{name: j, type: spherical, base: ground, moving: ball, position: [0, 0, 0],\n"
      "     initial: {{velocity: [{1}, 0, {2}]}}}}\n"
      "forces:\n  - {{name: stop, type: joint-limit, joint: j, cone: {3}, axis: [0, 1, 0], law: compliant, stiffness: "
      "{4}}}\n",
      J, speed * 0.6, speed * 0.8, angle, k));
  const double back = angle / speed + pi / wave + 0.1;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(back));
    CHECK(norm(ended.angular_velocities[0] + speed * Vec3{0.6, 0, 0.8}) < 1e-8);
    CHECK(std::abs(ended.orientations[0].w) == Approx(std::cos((angle - 0.1 * speed) / 2)).epsilon(1e-9));
    CHECK(ended.record.energy_drift < 1e-8);
  }
}

// The cone stands on a body that is drawn turned and moves itself: its axis is one of that body's frame.
TEST_CASE("a cone on a moving body keeps the energy, and all formulations agree") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: arm, mass: 1, orientation: {rpy: [0.4, -0.3, 1.1]}, center_of_mass: [0, 0, -0.4],\n"
      "     inertia: {xx: 0.1, yy: 0.12, zz: 0.03, xy: 0.01}}\n"
      "  - {name: hand, mass: 0.7, position: [0.2, 0, -0.8], orientation: {rpy: [0.1, 0.2, 0.3]},\n"
      "     center_of_mass: [0.1, 0, -0.2], inertia: {xx: 0.05, yy: 0.04, zz: 0.02}}\n"
      "joints:\n"
      "  - {name: shoulder, type: spherical, base: ground, moving: arm, position: [0, 0, 0],\n"
      "     initial: {velocity: [1, 2, 0.5]}}\n"
      "  - {name: wrist, type: spherical, base: arm, moving: hand, position: [0.2, 0, -0.8],\n"
      "     initial: {velocity: [-3, 2, 4]}}\n"
      "forces:\n"
      "  - {name: s, type: joint-limit, joint: shoulder, cone: 0.8, axis: [0, 0.3, 1], restitution: 0.7}\n"
      "  - {name: w, type: joint-limit, joint: wrist, cone: 0.4, axis: [0.5, 0, 1], restitution: 0.5}\n");
  std::vector<Ended> all;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    all.push_back(run_to_end(*system, *formulation, exact_run(1)));
    CHECK(all.back().record.energy_drift < 1e-9);
    for (std::size_t b = 0; b < 2; ++b)
      CHECK(norm(all.back().angular_velocities[b] - all.front().angular_velocities[b]) < 1e-6);
  }
}

TEST_CASE("time stepping holds a pendulum within its cone") {
  host::RunSettings s = run_settings("moreau-jean");
  s.duration = 1.2;
  s.output_interval = 0.12;
  const auto one = system_from_text(hanging_rod(ball, "cone: 0.5, axis: [0, 0, 1], restitution: 0.5")),
             other = system_from_text(hanging_rod(hinge, "lower: -0.5, upper: 0.5, restitution: 0.5"));
  for (const Formulation* formulation : formulations_for(*one)) {
    INFO(formulation->name());
    const Ended exact = run_to_end(*other, *formulation, exact_run(1.2));
    for (const double step : {2e-3, 2.5e-4}) {
      s.step = step;
      const Ended stepped = run_to_end(*one, *formulation, s);
      CHECK(norm(stepped.angular_velocities[0] - exact.angular_velocities[0]) < 40 * step);
      CHECK(std::abs(stepped.orientations[0].y - exact.orientations[0].y) < 5 * step);
    }
  }
}
