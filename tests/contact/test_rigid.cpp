// Rigid contact against closed forms, in every formulation.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "exact_run.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;

/// A ball of 2 kg and a radius of 0.1 m on or above a plane.
std::string rigid_ball_on_plane(double height, const std::string& velocity, const std::string& contact) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, position: [0, 0, {}],\n"
      "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: ball, initial: {{velocity: {}}}}}\n"
      "forces:\n  - {{name: floor, type: contact, a: ball, b: ground, law: rigid, {}}}\n",
      0.1 + height, velocity, contact);
}

/// A block on a plane, in a frame that is tilted about y by an angle: gravity is.
std::string block_on_incline(double tangent, const std::string& velocity, const std::string& friction) {
  const double angle = std::atan(tangent);
  return fmt::format(
      "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0, 0.05],\n"
      "     geometry: [{{type: box, size: [0.3, 0.3, 0.1]}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: block, initial: {{velocity: {}}}}}\n"
      "forces:\n  - {{name: floor, type: contact, a: block, b: ground, law: rigid, restitution: 0, friction: {}}}\n",
      earth * std::sin(angle), -earth * std::cos(angle), velocity, friction);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

}  // namespace

// The times between impacts fall as eⁿ: the last one is at t₁ (1 + e)/(1 − e), t₁ being that of the first.
TEST_CASE("a rigid ball bounces to its last bounce and rests") {
  const double h = 0.5, e = 0.8, first = std::sqrt(2 * h / earth), last = first * (1 + e) / (1 - e);
  const auto system = system_from_text(rigid_ball_on_plane(h, "[0, 0, 0, 0, 0, 0]", "restitution: 0.8"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    // In the third flight.
    const double speed = earth * first, third = first + 2 * first * e + 2 * first * e * e, now = third + 0.1;
    const Ended flying = run_to_end(*system, *formulation, exact_run(now));
    CHECK(flying.positions[0].z - 0.1 == Approx(std::pow(e, 3) * speed * 0.1 - earth * 0.005).margin(1e-9));
    const Ended resting = run_to_end(*system, *formulation, exact_run(last * 1.01));
    CHECK(std::abs(resting.positions[0].z - 0.1) < 1e-12);
    CHECK(resting.velocities[0].z == Approx(0).margin(1e-12));
    CHECK(resting.record.energy_drift < 1e-9);
    const std::string notes = joined(resting.record.notes);
    INFO(notes);
    CHECK(notes.find("impacts") != std::string::npos);
    CHECK(notes.find("bounces too low to follow ended") != std::string::npos);
    // The last one that was followed is within a millionth of the sum of all.
    const double told = std::stod(notes.substr(notes.find("last at t = ") + 12));
    CHECK(told == Approx(last).epsilon(2e-6));
  }
}

TEST_CASE("what rests beside an impact that does not reach it counts none") {
  const auto system = system_from_text(
      "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n"
      "  - {name: a, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, position: [0, 0, 0.6], "
      "geometry: [{type: sphere, radius: 0.1}]}\n"
      "  - {name: b, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, position: [1, 0, 0.1], "
      "geometry: [{type: sphere, radius: 0.1}]}\n"
      "joints:\n  - {name: fall, type: free, base: ground, moving: a}\n"
      "  - {name: rest, type: free, base: ground, moving: b}\n"
      "contacts: {all: true, law: rigid, restitution: 0}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1));
    const std::string notes = joined(ended.record.notes);
    INFO(notes);
    const auto impact = notes.find("`contact.a.ground`: 1 impact took 9.8");
    CHECK(impact != std::string::npos);
    CHECK(notes.find("impact", impact + 30) == std::string::npos);
    CHECK(notes.find("`contact.b.ground`: closed for 1 s") != std::string::npos);
  }
}

TEST_CASE("a block on an incline below the limit of friction does not creep in an hour") {
  const auto system = system_from_text(block_on_incline(0.4, "[0, 0, 0, 0, 0, 0]", "{dynamic: 0.5}"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(3600));
    CHECK(std::abs(ended.positions[0].x) < 1e-12);
    CHECK(std::abs(ended.positions[0].z - 0.05) < 1e-12);
  }
}

TEST_CASE("a block on an incline above the limit of friction slides as Coulomb's law says") {
  const double angle = std::atan(0.6), a = earth * (std::sin(angle) - 0.5 * std::cos(angle));
  const auto system = system_from_text(block_on_incline(0.6, "[0, 0, 0, 0, 0, 0]", "{dynamic: 0.5}"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1));
    CHECK(ended.positions[0].x == Approx(0.5 * a).epsilon(1e-9));
    CHECK(ended.record.energy_drift < 1e-9);
  }
}

// Up the incline against friction, then back where it cannot hold, or not where it can.
TEST_CASE("a block slides to rest and stays, or turns back, as its friction says") {
  const double angle = std::atan(0.3), up = earth * (std::sin(angle) + 0.4 * std::cos(angle));
  const auto holds = system_from_text(block_on_incline(0.3, "[-2, 0, 0, 0, 0, 0]", "{dynamic: 0.4}"));
  const double steep = std::atan(0.6), rise = earth * (std::sin(steep) + 0.4 * std::cos(steep)),
               fall = earth * (std::sin(steep) - 0.4 * std::cos(steep));
  const auto turns = system_from_text(block_on_incline(0.6, "[-2, 0, 0, 0, 0, 0]", "{dynamic: 0.4}"));
  for (const Formulation* formulation : formulations_for(*holds)) {
    INFO(formulation->name());
    const Ended held = run_to_end(*holds, *formulation, exact_run(1));
    CHECK(held.positions[0].x == Approx(-2 / up).epsilon(1e-9));
    CHECK(std::abs(held.velocities[0].x) < 1e-12);
    const Ended turned = run_to_end(*turns, *formulation, exact_run(1));
    CHECK(turned.velocities[0].x == Approx(fall * (1 - 2 / rise)).epsilon(1e-9));
    CHECK(turned.record.energy_drift < 1e-9);
  }
}

TEST_CASE("a rigid ball that is thrown without spin rolls at five sevenths of its speed") {
  const auto system = system_from_text(
      rigid_ball_on_plane(0, "[3, 0, 0, 0, 0, 0]", "restitution: 0.5, friction: {static: 0.4, dynamic: 0.3}"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1));
    const double v = 15.0 / 7, slid = (3 - v) / (0.3 * earth);
    CHECK(ended.velocities[0].x == Approx(v).epsilon(1e-9));
    CHECK(ended.positions[0].x == Approx(3 * slid - 0.5 * 0.3 * earth * slid * slid + v * (1 - slid)).epsilon(1e-9));
    CHECK(std::abs(ended.positions[0].z - 0.1) < 1e-11);
    CHECK(ended.record.energy_drift < 1e-9);
  }
}

// A ball without spin that hits a floor obliquely: friction turns it until it rolls, or slides all through.
TEST_CASE("an oblique impact changes speed and spin as Coulomb's law of impulses says") {
  for (const char* law : {"newton", "poisson"})
    for (const double mu : {0.05, 0.5}) {
      const auto system = system_from_text(rigid_ball_on_plane(
          0.2, "[1, 0, 0, 0, 0, 0]", fmt::format("restitution: 0.6, impact: {}, friction: {{dynamic: {}}}", law, mu)));
      const double down = std::sqrt(2 * earth * 0.2), fallen = down / earth, normal = 1.6 * down;
      const double forward = 1 - std::min(mu * normal, 2.0 / 7);
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << law << " " << mu);
        const Ended ended = run_to_end(*system, *formulation, exact_run(fallen + 0.05));
        CHECK(ended.velocities[0].x == Approx(forward).epsilon(1e-9));
        CHECK(ended.velocities[0].z == Approx(0.6 * down - earth * 0.05).epsilon(1e-9));
      }
    }
}

// The ball would roll after an impulse of friction of (2/7) m v. Where static friction could give it and dynamic
// friction cannot, both rolling and sliding satisfy Coulomb's law: it slides on, with all the impulse that dynamic
// friction has.
TEST_CASE("what slides into an impact goes on where only static friction could stop it") {
  const double down = std::sqrt(2 * earth * 0.2), fallen = down / earth, normal = 1.6 * down;
  const double needed = 2.0 / 7 / normal;
  for (const double part : {0.8, 1.2}) {
    const auto system = system_from_text(rigid_ball_on_plane(
        0.2, "[1, 0, 0, 0, 0, 0]",
        fmt::format("restitution: 0.6, friction: {{static: {}, dynamic: {}}}", 2 * needed, part * needed)));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << part);
      const Ended ended = run_to_end(*system, *formulation, exact_run(fallen + 0.05));
      CHECK(ended.velocities[0].x == Approx(1 - std::min(part, 1.0) * 2 / 7).epsilon(1e-9));
    }
  }
}

TEST_CASE("momentum passes through a row of equal rigid balls that touch") {
  std::string text = "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n";
  for (int i = 0; i < 5; ++i)
    text += fmt::format(
        "  - {{name: b{}, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [{}, 0, 0],\n"
        "     geometry: [{{type: sphere, radius: 0.1}}]}}\n",
        i, i == 0 ? -0.5 : 0.2 * i);
  text += "joints:\n";
  for (int i = 0; i < 5; ++i)
    text += fmt::format(
        "  - {{name: j{}, type: prismatic, base: ground, moving: b{}, position: [0, 0, 0], axis: [1, 0, 0],\n"
        "     initial: {{velocity: {}}}}}\n",
        i, i, i == 0 ? 1 : 0);
  text += "contacts: {all: true, law: rigid}\n";
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1));
    double fastest = 0, momentum = 0;
    for (const Vec3& v : ended.velocities) fastest = std::max(fastest, v.x), momentum += v.x;
    CHECK(fastest == Approx(1).epsilon(1e-12));
    CHECK(momentum == Approx(1).epsilon(1e-12));
    CHECK(ended.record.energy_drift < 1e-12);
  }
}

// A uniform rod slides on its tip, inclined by 45°; with μ = 2 the tip has 1 + 3 cos θ (cos θ − μ sin θ) < 0 of the
// inverse of its mass along the normal.
TEST_CASE("Painlevé's rod is named") {
  const double c = std::sqrt(0.5);
  const auto system = system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: rod, mass: 1, inertia: {{xx: 0.0001, yy: {:.17g}, zz: {:.17g}}}, position: [{:.17g}, 0, {:.17g}],\n"
      "     orientation: {{axis: [0, 1, 0], angle: {:.17g}}},\n"
      "     geometry: [{{type: sphere, radius: 0.001, position: [-0.5, 0, 0]}}]}}\n"
      "joints:\n  - {{name: j, type: planar, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0],\n"
      "     axis2: [1, 0, 0], initial: {{velocity: [-1, 0, 0]}}}}\n"
      "forces:\n  - {{name: tip, type: contact, a: rod, b: ground, law: rigid, restitution: 0, friction: {{dynamic: "
      "2}}}}\n",
      1.0 / 12, 1.0 / 12, 0.5 * c, 0.5 * c + 0.001, -std::numbers::pi / 4));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(0.1));
    INFO(joined(ended.record.warnings));
    CHECK(joined(ended.record.warnings).find("Painlevé") != std::string::npos);
    CHECK(ended.record.energy_drift < 1e-6);
  }
}

TEST_CASE("what rests on a floor has no acceleration, and bodies that overlap are refused") {
  const auto system = system_from_text(rigid_ball_on_plane(0, "[0, 0, 0, 0, 0, 0]", "friction: {dynamic: 0.3}"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    host::evaluate(*system, *solver, store);
    CHECK(std::abs(store.now().bodies[0].acceleration.z) < 1e-12);
  }
  const auto sunk = system_from_text(rigid_ball_on_plane(-0.01, "[0, 0, 0, 0, 0, 0]", "restitution: 0"));
  CHECK_THROWS_AS(run_to_end(*sunk, *formulations_for(*sunk).front(), exact_run(1)), host::Failure);
}

// One corner after the other would hand the impact on to the next: thousands of impacts within a nanosecond.
TEST_CASE("what lands flat and off its centre on others without restitution rests at once") {
  const std::string box = "{type: box, size: [0.2, 0.2, 0.4]}", cylinder = "{type: cylinder, radius: 0.1, length: 0.4}";
  for (const std::string& shape : {box, cylinder})
    for (const double aside : {0.01, 0.03}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
          "  - {{name: low, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [0, 0, 0.21], geometry: "
          "[{0}]}}\n"
          "  - {{name: high, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [{1}, 0, 0.62], geometry: "
          "[{0}]}}\n"
          "joints:\n  - {{name: j, type: free, base: ground, moving: low}}\n"
          "  - {{name: k, type: free, base: ground, moving: high}}\n"
          "contacts: {{all: true, law: rigid, restitution: 0, friction: {{dynamic: 0.3}}}}\n",
          shape, aside));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << shape << " " << aside);
        const Ended ended = run_to_end(*system, *formulation, exact_run(0.2));
        CHECK(ended.record.failure == "");
        CHECK(ended.record.events < 20);
        CHECK(ended.record.energy_drift < 1e-9);
        CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.2}) < 1e-11);
        CHECK(norm(ended.positions[1] - Vec3{aside, 0, 0.6}) < 1e-11);
        CHECK(norm(ended.velocities[0]) + norm(ended.velocities[1]) < 1e-10);
      }
    }
}

// The corners land in turn, ever faster, until their flights are lower than what is followed.
TEST_CASE("a box dropped on an edge rocks to rest flat in finitely many impacts, which take all that it fell") {
  constexpr double m = 2, fall = 0.05;
  for (const double inertia : {0.03, 0.1}) {
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, -{}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: b, mass: {}, inertia: {{xx: {}, yy: {}, zz: 0.01}}, position: [0, 0, {:.17g}], orientation: "
        "{{axis: [0, 1, 0], angle: 0.05}}, geometry: [{{type: box, size: [0.2, 0.2, 0.4]}}]}}\n"
        "joints:\n  - {{name: j, type: free, base: ground, moving: b}}\n"
        "contacts: {{all: true, law: rigid, restitution: 0.5}}\n",
        earth, m, inertia, inertia, 0.2 + fall));
    double rested = 0;
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << inertia);
      const Ended ended = run_to_end(*system, *formulation, exact_run(1.5));
      CHECK(ended.record.failure == "");
      CHECK(ended.record.warnings.empty());
      CHECK(ended.record.events < 500);
      CHECK(ended.record.energy_drift < 1e-8);
      CHECK(std::abs(ended.positions[0].z - 0.2) < 1e-11);
      CHECK(norm(ended.velocities[0]) < 1e-10);
      const std::string notes = joined(ended.record.notes);
      INFO(notes);
      CHECK(std::abs(std::stod(notes.substr(notes.find(" took ") + 6)) - m * earth * fall) < 1e-5);
      // The last flights are not followed: what is left of them lasts some millionths of a second.
      const double last = std::stod(notes.substr(notes.find("last at t = ") + 12));
      if (rested == 0) rested = last;
      CHECK(std::abs(last - rested) < 1e-5);
    }
  }
}

// All corners let go at once: their forces and accelerations vanish together, and what is left of them is rounding.
TEST_CASE("a box that is lifted off a floor rises as the force says, by a steady force and by one that turns round") {
  constexpr double steady = 12, turning = 3, end = 1.3;
  const auto lifted_by = [](double gravity, const std::string& force) {
    return system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, {}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: a, mass: 1, inertia: {{xx: 0.0167, yy: 0.0267, zz: 0.0367}}, position: [0.2, 0, 0.1],\n"
        "     geometry: [{{type: box, size: [0.2, 0.4, 0.2]}}]}}\n"
        "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
        "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 0}}\n"
        "  - {{name: f, type: point-force, body: a, force: [0, 0, {{expression: \"{}\"}}]}}\n",
        gravity, force));
  };
  // z'' = 12 t - g from 12 t = g on.
  const auto weight = lifted_by(-earth, "12*t");
  const double since = end - earth / steady, risen = steady * since * since * since / 6;
  for (const Formulation* formulation : formulations_for(*weight)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*weight, *formulation, exact_run(end));
    CHECK(norm(ended.positions[0] - Vec3{0.2, 0, 0.1 + risen}) < 1e-10);
    CHECK(ended.record.events < 10);
  }
  // z'' = -F cos(w t) from the quarter of a turn on, without gravity.
  for (const double size : {1e-3, 1.0, 1e3}) {
    const auto pressed = lifted_by(0, fmt::format("-{:.17g}*cos(3*t)", size));
    const double quarter = std::numbers::pi / 2,
                 height = size / turning * (std::cos(turning * end) / turning + end - quarter / turning);
    for (const Formulation* formulation : formulations_for(*pressed)) {
      INFO(formulation->name() << " by " << size << " N");
      const Ended ended = run_to_end(*pressed, *formulation, exact_run(end));
      CHECK(norm(ended.positions[0] - Vec3{0.2, 0, 0.1 + height}) < 1e-9 * std::max(1.0, size));
      CHECK(ended.record.events < 10);
    }
  }
}
