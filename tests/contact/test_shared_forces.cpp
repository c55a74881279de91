// Bodies that rest on more points than it takes: rest to the last digit, the limit of friction, forces that are shared.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "exact_run.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double gravity = 9.81;

/// A flat box of 2 kg on a plane, turned about its normal. gravity: along the plane over across it.
std::string box_on_slope(double tangent, double turned, const std::string& friction, const std::string& more = "",
                         const std::string& bodies = "", const std::string& joints = "") {
  const double angle = std::atan(tangent);
  return fmt::format(
      "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0, 0.05],\n"
      "     orientation: {{axis: [0, 0, 1], angle: {}}}, geometry: [{{type: box, size: [0.3, 0.3, 0.1]}}]}}\n{}"
      "joints:\n  - {{name: j, type: free, base: ground, moving: block}}\n{}"
      "forces:\n  - {{name: floor, type: contact, a: block, b: ground, law: rigid, restitution: 0, friction: {}}}\n{}",
      gravity * std::sin(angle), -gravity * std::cos(angle), turned, bodies, joints, friction, more);
}

/// A state of the first force element of a model at the start.
constexpr std::size_t normal_sum = 6, friction_sum = 7;
std::vector<double> states_at_start(const host::System& system, const Formulation& formulation) {
  const auto solver = solver_for(system, formulation);
  host::ObservationStore store(system.view());
  host::evaluate(system, *solver, store);
  return {store.now().x.begin(), store.now().x.end()};
}

}  // namespace

TEST_CASE("a box on four corners just below the limit of friction rests for an hour, however it is turned") {
  for (const double tangent : {0.0, 0.49, 0.4999, 0.5})
    for (const double turned : {0.0, 0.7}) {
      const auto system = system_from_text(box_on_slope(tangent, turned, "{dynamic: 0.5}"));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " tangent " << tangent << " turned " << turned);
        const Ended ended = run_to_end(*system, *formulation, exact_run(3600));
        CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.05}) < 1e-12);
        CHECK(norm(ended.velocities[0]) < 1e-20);
        CHECK(norm(ended.angular_velocities[0]) < 1e-20);
      }
    }
}

namespace {

/// A force of 10 N/s · t along the plane: in a direction, and so high above the middle of the box.
std::string growing_pull(double direction, double height) {
  return fmt::format(
      "  - {{name: pull, type: point-force, body: block, point: [0, 0, {}], axes: ground,\n"
      "     force: [{{ramp: {{rate: {:.17g}, start: 0, end: 100}}}}, {{ramp: {{rate: {:.17g}, start: 0, end: 100}}}}, 0]}}\n",
      height, 10 * std::cos(direction), 10 * std::sin(direction));
}

/// It breaks away at μ_s m g; then m v' = F − μ_d m g.
void check_breakaway(double turned, double static_friction, double direction, double height) {
  const auto system = system_from_text(box_on_slope(
      0, turned, fmt::format("{{static: {}, dynamic: 0.5}}", static_friction), growing_pull(direction, height)));
  const double away = static_friction * 2 * gravity / 10, t = 0.4;
  const double speed = (static_friction - 0.5) * gravity * t + 0.5 * 5 * t * t;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name() << " turned " << turned << " static " << static_friction << " direction " << direction
                             << " height " << height);
    const Ended held = run_to_end(*system, *formulation, exact_run(0.999 * away));
    CHECK(norm(held.positions[0] - Vec3{0, 0, 0.05}) < 1e-12);
    const Ended slid = run_to_end(*system, *formulation, exact_run(away + t));
    CHECK(slid.velocities[0].x == Approx(speed * std::cos(direction)).epsilon(1e-6));
    CHECK(std::abs(slid.velocities[0].y - speed * std::sin(direction)) < 1e-6 * speed);
    CHECK(norm(slid.angular_velocities[0]) < 1e-6);
    CHECK(slid.record.energy_drift < 1e-8);
  }
}

}  // namespace

TEST_CASE("a box on four corners breaks away at the limit of friction under a growing pull, however it is turned") {
  check_breakaway(0, 0.6, 0, -0.05);
  check_breakaway(0.7, 0.6, 0.5, 0);
  check_breakaway(0, 0.5, 0.5, 0);
  check_breakaway(0.7, 0.5, 0, -0.05);
}

// The acceleration is g cos α (tan α − μ). Wrong directions of what begins to slide would hold the box.
TEST_CASE("a box just above the limit of friction begins to slide from rest as Coulomb's law says, in few steps") {
  const double tangent = 0.5, across = gravity / std::sqrt(1 + tangent * tangent);
  for (const double turned : {0.0, 0.3})
    for (const double above : {1e-1, 1e-3, 1e-5, 1e-7}) {
      const auto system =
          system_from_text(box_on_slope(tangent, turned, fmt::format("{{dynamic: {:.17g}}}", tangent - above)));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << ", turned by " << turned << ", above by " << above);
        const Ended ended = run_to_end(*system, *formulation, exact_run(1));
        // Rounding of the forces, of what is left of them.
        CHECK(ended.velocities[0].x == Approx(across * above).epsilon(1e-10 + 1e-13 / above));
        CHECK(ended.positions[0].x == Approx(0.5 * across * above).epsilon(1e-10 + 1e-13 / above));
        CHECK(ended.record.steps < 100);
      }
    }
}

// Both go together until the friction between them cannot give the upper one the acceleration of both: at
// F = (μ_s + μ_d) (m + m) g, when the lower one has slid since F = μ_s (m + m) g. Then the upper one has μ_d g.
TEST_CASE("a box slides off the box that is pulled from below it") {
  const auto system = system_from_text(box_on_slope(
      0, 0, "{static: 0.6, dynamic: 0.5}",
      growing_pull(0, -0.05) + "  - {name: between, type: contact, a: upper, b: block, law: rigid, restitution: 0,\n"
                               "     friction: {static: 0.6, dynamic: 0.5}}\n",
      "  - {name: upper, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, position: [0, 0, 0.15],\n"
      "     geometry: [{type: box, size: [0.2, 0.2, 0.1]}]}\n",
      "  - {name: k, type: free, base: ground, moving: upper}\n"));
  const double first = 0.6 * 4 * gravity / 10, second = 1.1 * 4 * gravity / 10, t = 0.1;
  const double together = 0.1 * gravity * (second - first) + 0.5 * 2.5 * (second - first) * (second - first);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(second + t));
    // The lower one: 2 v' = F − μ_d 4 g − μ_d 2 g.
    CHECK(ended.velocities[1].x == Approx(together + 0.5 * gravity * t).epsilon(1e-6));
    CHECK(ended.velocities[0].x ==
          Approx(together + 0.5 * (1.1 * 4 - 3) * gravity * t + 0.5 * 5 * t * t).epsilon(1e-6));
  }
}

// In a groove with sides of slope 3 : 4 and 4 : 3 they carry 0.8 and 0.6 of the weight.
TEST_CASE("the normal forces of a ball on two surfaces at once add up, and nothing rubs") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\n"
      "ground: {geometry: [{type: plane, normal: [0.6, 0, 0.8]}, {type: plane, normal: [-0.8, 0, 0.6]}]}\nbodies:\n"
      "  - {name: ball, mass: 2, inertia: {xx: 0.008, yy: 0.008, zz: 0.008}, position: [-0.02, 0, 0.14],\n"
      "     geometry: [{type: sphere, radius: 0.1}]}\n"
      "joints:\n  - {name: j, type: free, base: ground, moving: ball}\n"
      "forces:\n  - {name: c, type: contact, a: ball, b: ground, law: rigid, restitution: 0}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const std::vector<double> x = states_at_start(*system, *formulation);
    CHECK(x[2] == Approx(2 * gravity).epsilon(1e-12));
    CHECK(x[normal_sum] == Approx(1.4 * 2 * gravity).epsilon(1e-12));
    CHECK(std::abs(x[friction_sum]) < 1e-12);
  }
}

TEST_CASE("a run and an evaluation tell which forces of contact are not unique") {
  // A board on three tables: how these share its weight is open. On one table it is not.
  const auto board = [](const char* tables) {
    return system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: board, mass: 2, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}, position: [0, 0, 0.05], geometry: [{}]}}\n"
        "joints:\n  - {{name: j, type: planar, base: ground, moving: board, position: [0, 0, 0], axis: [0, 1, 0],\n"
        "     axis2: [1, 0, 0]}}\n"
        "forces:\n{}",
        "{type: sphere, radius: 0.05}, {type: sphere, radius: 0.05, position: [0.4, 0, 0]}, "
        "{type: sphere, radius: 0.05, position: [-0.4, 0, 0]}",
        tables));
  };
  const auto one = board("  - {name: floor, type: contact, a: board, b: ground, law: rigid, restitution: 0}\n");
  for (const Formulation* formulation : formulations_for(*one)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*one, *formulation, exact_run(0.1));
    CHECK(ended.record.open_contacts.empty());
    REQUIRE(ended.record.notes.size() == 1);
    CHECK(ended.record.notes[0].find("the share of each is not unique") != std::string::npos);
    CHECK(states_at_start(*one, *formulation)[normal_sum] == Approx(2 * gravity).epsilon(1e-12));
  }
  // Two stops hold one joint: the first of them could carry all.
  const auto stops = system_from_text(
      "polyform: 1\ngravity: [-10, 0, 0]\nbodies:\n  - {name: mass, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "joints:\n  - {name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0]}\n"
      "forces:\n  - {name: left, type: joint-limit, joint: guide, lower: 0}\n"
      "  - {name: right, type: joint-limit, joint: guide, lower: 0}\n");
  const std::vector<std::string> both{"left", "right"};
  for (const Formulation* formulation : formulations_for(*stops)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*stops, *formulation, exact_run(0.1));
    CHECK(std::abs(ended.positions[0].x) < 1e-13);
    CHECK(ended.record.open_contacts == both);
    const auto solver = solver_for(*stops, *formulation);
    host::ObservationStore store(stops->view());
    CHECK(host::evaluate(*stops, *solver, store).open_contacts == both);
    CHECK(store.now().x[0] + store.now().x[4] == Approx(20).epsilon(1e-12));
  }
}
