// The integrator moreau-jean against closed forms, the exact law by events, and what no heap may do.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "exact_run.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;

host::RunSettings stepped_run(double duration, double step) {
  host::RunSettings s = run_settings("moreau-jean");
  s.duration = duration;
  s.output_interval = duration / 4;
  s.step = step;
  return s;
}

std::string ball_above_floor(double height, const std::string& contact) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, position: [0, 0, {}],\n"
      "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: ball}}\n"
      "forces:\n  - {{name: floor, type: contact, a: ball, b: ground, law: rigid, {}}}\n",
      0.1 + height, contact);
}

/// A block on a plane, in a frame that is tilted about y by an angle: gravity is.
std::string block_on_slope(double tangent, double speed, const std::string& friction) {
  const double angle = std::atan(tangent);
  return fmt::format(
      "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
      "  - {{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0, 0.05],\n"
      "     geometry: [{{type: box, size: [0.3, 0.3, 0.1]}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: block, initial: {{velocity: [{}, 0, 0, 0, 0, 0]}}}}\n"
      "forces:\n  - {{name: floor, type: contact, a: block, b: ground, law: rigid, restitution: 0, friction: {}}}\n",
      earth * std::sin(angle), -earth * std::cos(angle), speed, friction);
}

/// Balls of 1 kg and a radius of 0.1 m on a line without gravity; the first comes with 1 m/s.
std::string row_of_balls(std::size_t count, double gap) {
  std::string text = "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n", joints = "joints:\n";
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format(
        "  - {{name: b{}, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}, position: [{:.17g}, 0, 0],\n"
        "     geometry: [{{type: sphere, radius: 0.1}}]}}\n",
        k, (0.2 + gap) * static_cast<double>(k) - (k == 0 ? 0.05 : 0));
    joints += fmt::format(
        "  - {{name: j{0}, type: prismatic, base: ground, moving: b{0}, position: [0, 0, 0], axis: [1, 0, 0]{1}}}\n", k,
        k == 0 ? ", initial: {velocity: 1}" : "");
  }
  return text + joints + "contacts: {all: true, law: rigid, restitution: 1}\n";
}

/// The energy, the lowest gap of balls and the first-order states at each row.
struct Watched final : host::RowSink {
  void row(double, const Observation& now) override {
    energies.push_back(now.kinetic_energy + now.potential_energy);
    states.emplace_back(now.x.begin(), now.x.end());
    positions.clear();
    velocities.clear();
    for (const Observation::Body& body : now.bodies) {
      positions.push_back(body.pose.position);
      velocities.push_back(body.velocity);
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t j = i + 1; j < positions.size(); ++j)
        deepest = std::max(deepest, 2 * radius - norm(positions[i] - positions[j]));
      deepest = std::max(deepest, radius - positions[i].z);
    }
  }
  /// The largest rise of the energy from one row to the next, J.
  double rise() const {
    double largest = -1;
    for (std::size_t r = 1; r < energies.size(); ++r) largest = std::max(largest, energies[r] - energies[r - 1]);
    return largest;
  }
  double radius = 0.05, deepest = -1;
  std::vector<double> energies;
  std::vector<std::vector<double>> states;
  std::vector<Vec3> positions, velocities;
};

host::RunRecord watch(const host::System& system, const Formulation& formulation, const host::RunSettings& settings,
                      Watched& rows) {
  const auto solver = solver_for(system, formulation);
  host::RowSink* sinks[] = {&rows};
  return host::simulate(system, *solver, settings, sinks, {});
}

std::string refusal(const std::string& text, const host::RunSettings& settings) {
  const auto system = system_from_text(text);
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  try {
    host::simulate(*system, *solver, settings, {}, {});
  } catch (const host::Failure& problem) {
    CHECK(problem.code() == host::Exit::bad_input);
    return problem.message();
  }
  return "none";
}

}  // namespace

// The times between impacts fall as eⁿ: the last one is at t₁ (1 + e)/(1 − e), t₁ being that of the first.
TEST_CASE("in time stepping a ball bounces to its last bounce and rests, with an error as the step") {
  const double h = 0.5, e = 0.8, first = std::sqrt(2 * h / earth), last = first * (1 + e) / (1 - e);
  const auto system = system_from_text(ball_above_floor(h, "restitution: 0.8"));
  const double speed = earth * first, third = first + 2 * first * e + 2 * first * e * e, now = third + 0.1;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended resting = run_to_end(*system, *formulation, stepped_run(last + 0.05, 1e-3));
    CHECK(std::abs(resting.positions[0].z - 0.1) < 1e-10);
    CHECK(resting.velocities[0].z == 0);
    // Moving overlaps apart lifts the ball; the work of that is counted to the first order.
    CHECK(resting.record.energy_drift < 1e-5);
    for (const double step : {4e-3, 1e-3, 2.5e-4}) {
      INFO(step);
      const Ended flying = run_to_end(*system, *formulation, stepped_run(now, step));
      CHECK(std::abs(flying.positions[0].z - 0.1 - (std::pow(e, 3) * speed * 0.1 - earth * 0.005)) < 2 * speed * step);
    }
  }
}

// Without loss each row has the energy of the start, also where a step of the grid has an impact and would pass the
// row.
TEST_CASE("in time stepping rows are ends of steps, so that an impact takes nothing away before it is over") {
  const auto system = system_from_text(ball_above_floor(0.5, "restitution: 1"));
  for (const double step : {8e-3, 3.3e-3, 0.05}) {
    INFO(step);
    host::RunSettings settings = stepped_run(2, step);
    settings.output_interval = 0.02;
    Watched rows;
    const host::RunRecord record = watch(*system, *formulations_for(*system).front(), settings, rows);
    CHECK(record.rows == 101);
    CHECK(record.energy_drift < 1e-12);
    CHECK(rows.rise() < 1e-12);
  }
}

TEST_CASE("in time stepping a block below the limit of friction does not move at all") {
  const auto system = system_from_text(block_on_slope(0.4, 0, "{dynamic: 0.5}"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, stepped_run(200, 0.1));
    CHECK(std::abs(ended.positions[0].x) < 1e-15);
    CHECK(std::abs(ended.positions[0].z - 0.05) < 1e-12);
  }
}

// On the level v²/(2 μ g); on a slope above the limit of sliding friction, that of rest holds what has stopped.
TEST_CASE("in time stepping a block slides as far as Coulomb's law says, and stays") {
  const auto level = system_from_text(block_on_slope(0, 2, "{dynamic: 0.3}"));
  const double angle = std::atan(0.4), up = earth * (std::sin(angle) + 0.3 * std::cos(angle));
  const auto slope = system_from_text(block_on_slope(0.4, -2, "{static: 0.5, dynamic: 0.3}"));
  for (const Formulation* formulation : formulations_for(*level)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*level, *formulation, stepped_run(1, 1e-3));
    CHECK(ended.positions[0].x == Approx(4 / (2 * 0.3 * earth)).margin(1e-5));
    CHECK(ended.velocities[0].x == 0);
    CHECK(ended.record.energy_drift < 1e-9);
    const Ended held = run_to_end(*slope, *formulation, stepped_run(1, 1e-3));
    CHECK(held.positions[0].x == Approx(-2 / up).margin(1e-5));
    CHECK(held.velocities[0].x == 0);
  }
}

// Newton's law for all contacts at once: the first goes back with (n − 2)/n, the others on with 2/n.
TEST_CASE("in time stepping touching balls share an impact, and balls apart pass it on") {
  for (const std::size_t count : {2U, 3U, 5U}) {
    const auto n = static_cast<double>(count);
    const auto touching = system_from_text(row_of_balls(count, 0)), apart = system_from_text(row_of_balls(count, 0.01));
    for (const Formulation* formulation : formulations_for(*touching)) {
      INFO(formulation->name());
      const Ended shared = run_to_end(*touching, *formulation, stepped_run(0.2, 1e-3));
      CHECK(shared.velocities[0].x == Approx(-(n - 2) / n).margin(1e-10));
      for (std::size_t k = 1; k < count; ++k) CHECK(shared.velocities[k].x == Approx(2 / n).margin(1e-10));
      const Ended passed = run_to_end(*apart, *formulation, stepped_run(0.2, 1e-3));
      for (std::size_t k = 0; k < count; ++k)
        CHECK(passed.velocities[k].x == Approx(k + 1 == count ? 1 : 0).margin(1e-10));
    }
  }
}

TEST_CASE("in time stepping a heap never gains energy, does not overlap, and the floor carries its weight") {
  const auto system = system_from_file(POLYFORM_MODELS "/marbles_in_a_box.yaml");
  REQUIRE(system->view().forces[0].names.size() == 1);
  for (const Formulation* formulation : formulations_for(*system)) {
    if (formulation->name() != "riccati") continue;
    INFO(formulation->name());
    host::RunSettings s = stepped_run(2, 2e-3);
    s.output_interval = 2e-3;
    host::Diagnostics diagnostics;
    s.integrator = host::with_options(*s.integrator.type, {{"tolerance", "1e-6"}, {"iterations", "100"}}, diagnostics);
    Watched rows;
    const host::RunRecord record = watch(*system, *formulation, s, rows);
    REQUIRE(record.end == host::End::done);
    CHECK(rows.deepest < 1e-6 * rows.radius);
    // A step in which sliding turns round may gain what weight gives in one step.
    CHECK(rows.rise() < 1e-7 * rows.energies.front());
    CHECK(record.energy_drift < 1e-6);
    double fastest = 0;
    for (const Vec3& v : rows.velocities) fastest = std::max(fastest, norm(v));
    CHECK(fastest < 0.05);
    // Ground is the first of the bodies: after five sums come fx, fy, fz.
    CHECK(rows.states.back()[7] == Approx(-27 * 0.5 * 9.80665).epsilon(1e-3));
  }
}

TEST_CASE("one element of rigid contacts and one for each pair move alike") {
  const auto balls = [](const std::string& results) {
    std::string text = "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n", joints = "joints:\n";
    for (int k = 0; k < 4; ++k) {
      text += fmt::format(
          "  - {{name: b{}, mass: 0.5, inertia: {{xx: 5.0e-4, yy: 5.0e-4, zz: 5.0e-4}}, position: [{}, {}, "
          "{}],\n     geometry: [{{type: sphere, radius: 0.05}}]}}\n",
          k, 0.01 * k, 0.004 * k * k, 0.06 + 0.105 * k);
      joints += fmt::format("  - {{name: j{0}, type: free, base: ground, moving: b{0}}}\n", k);
    }
    return text + joints +
           "contacts: {all: true, law: rigid, restitution: 0.3, friction: {dynamic: 0.4}, results: " + results + "}\n";
  };
  const auto one = system_from_text(balls("total")), each = system_from_text(balls("each"));
  for (const Formulation* formulation : formulations_for(*one)) {
    INFO(formulation->name());
    const Ended a = run_to_end(*one, *formulation, stepped_run(0.4, 1e-3)),
                b = run_to_end(*each, *formulation, stepped_run(0.4, 1e-3));
    for (std::size_t k = 0; k < 4; ++k) CHECK(norm(a.positions[k] - b.positions[k]) < 1e-8);
  }
}

// A rod that falls on a floor, slides and comes to rest, followed event by event; and a stop in a joint.
TEST_CASE("time stepping comes to the motion by events as its step shrinks") {
  const auto slope = system_from_text(block_on_slope(0.6, -2, "{dynamic: 0.4}"));
  const auto stop = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: rod, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.01}, center_of_mass: [0.5, 0, 0]}\n"
      "joints:\n  - {name: j, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "forces:\n  - {name: end, type: joint-limit, joint: j, upper: 1.2, law: hard, restitution: 0.5}\n");
  for (const auto* system : {slope.get(), stop.get()})
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name());
      const Ended exact = run_to_end(*system, *formulation, exact_run(1));
      double last = 0;
      for (const double step : {2e-3, 2.5e-4}) {
        const Ended stepped = run_to_end(*system, *formulation, stepped_run(1, step));
        last = norm(stepped.positions[0] - exact.positions[0]) + norm(stepped.velocities[0] - exact.velocities[0]) +
               norm(stepped.angular_velocities[0] - exact.angular_velocities[0]);
        CHECK(last < 20 * step);
      }
    }
}

// The velocities jump in the middle of a step, and each half of it has its own: their mean, squared, would give an
// error of the first order. The stop loses nothing, so that the energy is that of the start.
TEST_CASE("in time stepping a double pendulum keeps its energy at a stop to the second order") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.01}, center_of_mass: [0.5, 0, 0]}\n"
      "  - {name: hand, mass: 1, position: [1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}, center_of_mass: [0.5, 0, "
      "0]}\n"
      "joints:\n  - {name: shoulder, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  - {name: elbow, type: revolute, base: arm, moving: hand, position: [1, 0, 0], axis: [0, 1, 0],\n"
      "     initial: {velocity: 6}}\n"
      "forces:\n  - {name: end, type: joint-limit, joint: elbow, lower: -1, upper: 1, law: hard, restitution: 1}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    CHECK(run_to_end(*system, *formulation, stepped_run(2, 2e-3)).record.energy_drift < 3e-5);
    CHECK(run_to_end(*system, *formulation, stepped_run(2, 5e-4)).record.energy_drift < 2e-6);
  }
}

TEST_CASE("time stepping refuses by name what it cannot do, and events refuse a rigid group") {
  CHECK(refusal(ball_above_floor(0.1, "restitution: 0.5, impact: poisson"), stepped_run(1, 1e-3)) ==
        "`floor` gives 'impact: poisson', and the integrator carries contacts in its steps, with Newton's law of "
        "restitution");
  CHECK(refusal(ball_above_floor(-0.01, "restitution: 0.5"), stepped_run(1, 1e-3)) ==
        "what `floor` keeps apart overlaps by 0.01 (m or rad) at the start");
  std::string group = row_of_balls(3, 0.01);
  group.replace(group.find("law: rigid"), 10, "law: rigid, results: total");
  CHECK(refusal(group, exact_run(1)) ==
        "the contacts of `contact` are one element of the law rigid, which has no events");
}

TEST_CASE("time stepping says where the forces of contact are not found") {
  const auto system = system_from_file(POLYFORM_MODELS "/marbles_in_a_box.yaml");
  host::RunSettings s = stepped_run(0.4, 2e-3);
  host::Diagnostics diagnostics;
  s.integrator = host::with_options(*s.integrator.type, {{"iterations", "2"}}, diagnostics);
  REQUIRE_FALSE(diagnostics.failed());
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), s);
  REQUIRE(ended.record.warnings.size() == 1);
  CHECK(ended.record.warnings[0].find("steps the forces of contact were not found to the tolerance") !=
        std::string::npos);
}
