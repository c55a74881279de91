// Flexible bodies that their tension stiffens, through every formulation that carries them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/mode_limits.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A hub that spins freely with two blades; one carries a hinged rod at its tip, the other is bent already.
std::string rotor(const std::string& joint) {
  return R"(
polyform: 1
gravity: [0.5, -0.3, -2]
bodies:
  - {name: hub, mass: 2, center_of_mass: [0.01, 0, 0], inertia: {xx: 0.3, yy: 0.2, zz: 0.4}, angular_velocity: [0, 0, 9]}
  - {name: one, type: flexible-beam, position: [0.1, 0, 0], orientation: {axis: [1, 0, 0], angle: 0.5}, length: 1.5, linear_density: 0.8, bending_stiffness: 30, modes: 3, boundary: clamped-free, damping_ratio: 0, modal_position: [0.05, 0.01, 0], modal_velocity: [0.4, -1, 0.2]}
  - {name: two, type: flexible-beam, position: [-0.1, 0, 0], orientation: {axis: [0, 0, 1], angle: 3.1}, length: 1.2, linear_density: 1, bending_stiffness: 40, modes: 2, boundary: pinned-pinned, modal_position: [0.03, -0.02]}
  - {name: rod, position: [1.6, 0, 0], mass: 0.3, center_of_mass: [0.2, 0.02, 0], inertia: {xx: 0.001, yy: 0.004, zz: 0.004}}
joints:
  - {name: shaft, )" +
         joint + R"(}
  - {name: root1, type: fixed, base: hub, moving: one, position: [0.1, 0, 0]}
  - {name: root2, type: revolute, base: hub, moving: two, position: [-0.1, 0, 0], axis: [0, 1, 0.2]}
  - {name: hinge, type: universal, base: one, moving: rod, position: [1.6, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1], initial: {position: [0.2, -0.1], velocity: [1, 2]}}
forces:
  - {name: stay, type: spring-damper, a: {body: two, point: [1.2, 0, 0]}, b: {body: hub, point: [0, 0, 1]}, stiffness: 20}
)";
}

bool stiffened(const host::System& system, std::string_view body) {
  const SystemView& view = system.view();
  return std::any_of(view.nodes.begin(), view.nodes.end(), [&](const FlexibleNode& n) {
    return view.bodies[at(n.body)].name == body && !n.second_order.empty();
  });
}

}  // namespace

TEST_CASE("formulations agree on bodies that their tension stiffens") {
  for (const char* joint : {"type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]",
                            "type: free, base: ground, moving: hub"}) {
    const auto system = system_from_text(rotor(joint));
    REQUIRE(stiffened(*system, "one"));
    REQUIRE(stiffened(*system, "two"));
    const auto all = formulations_for(*system);
    REQUIRE(all.size() >= 4);
    host::ObservationStore first(system->view()), store(system->view());
    for (const Formulation* formulation : all) {
      INFO("formulation " << formulation->name());
      const bool reference = formulation == all[0];
      host::ObservationStore& into = reference ? first : store;
      const auto solver = solver_for(*system, *formulation);
      const std::vector<double> y = initial_vector(*system, *solver);
      REQUIRE(solver->observe(0, y, into.now()) == Status::ok);
      if (reference) continue;
      const Observation &a = first.now(), &b = store.now();
      for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        CHECK(norm(a.bodies[i].acceleration - b.bodies[i].acceleration) <
              1e-11 * (100 + norm(a.bodies[i].acceleration)));
        CHECK(norm(a.bodies[i].angular_acceleration - b.bodies[i].angular_acceleration) <
              1e-11 * (100 + norm(a.bodies[i].angular_acceleration)));
      }
      for (std::size_t k = 0; k < a.modal_acceleration.size(); ++k)
        CHECK(b.modal_acceleration[k] == Approx(a.modal_acceleration[k]).epsilon(1e-11).margin(1e-9));
      for (std::size_t j = 0; j < a.reactions.size(); ++j)
        CHECK(norm(a.reactions[j].linear - b.reactions[j].linear) < 1e-10 * (10 + norm(a.reactions[j].linear)));
      CHECK(b.kinetic_energy == Approx(a.kinetic_energy).epsilon(1e-13));
      CHECK(b.potential_energy == Approx(a.potential_energy).epsilon(1e-12));
    }
  }
}

TEST_CASE("bodies that their tension stiffens conserve energy") {
  const auto system =
      system_from_text(rotor("type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double start = 0, drift = 0, size = 0;
    bool begun = false;
    run_rows(*system, *solver, 0.5, [&](double, const Observation& o) {
      const double energy = o.kinetic_energy + o.potential_energy;
      if (!begun) start = energy;
      begun = true;
      size = std::max(size, o.kinetic_energy);
      drift = std::max(drift, std::abs(energy - start));
    });
    CHECK(drift < 1e-9 * size);
  }
}

TEST_CASE("a free blade that bends and spins keeps momentum and angular momentum") {
  // With mean axes and without loads the mass centre goes straight on. The rigid part has no mass.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 4, modes: 2, boundary: free-free, mass: 0, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, modal_position: [0.05, 0.02], modal_velocity: [-0.3, 0.4], velocity: [0.3, 0.1, -0.2], angular_velocity: [2, -1, 3]}
joints:
  - {name: free, type: free, base: ground, moving: beam}
)");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    Vec3 start, velocity;
    double worst = 0;
    run_rows(*system, *solver, 1, [&](double t, const Observation& o) {
      // The mass centre stays at the middle of the x axis of the frame.
      const Vec3 arm = rotation_matrix(o.bodies[0].pose.orientation) * Vec3{0.5, 0, 0};
      const Vec3 center = o.bodies[0].pose.position + arm;
      if (t == 0) {
        start = center;
        velocity = o.bodies[0].velocity + cross(o.bodies[0].angular_velocity, arm);
      }
      worst = std::max(worst, norm(center - start - t * velocity));
    });
    CHECK(worst < 1e-9);
  }
}

TEST_CASE("a pendulum that swings keeps linear bending, one that goes round is stiffened") {
  const auto model = [](double speed, const std::string& more = {}) {
    return fmt::format(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: beam, type: flexible-beam, length: 1, linear_density: 0.5, bending_stiffness: 300, modes: 2, boundary: clamped-free, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}}}
  - {{name: ball, position: [1, 0, 0], mass: 0.1, center_of_mass: [0, 0, 0], inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: {}}}}}
  - {{name: tip, type: fixed, base: beam, moving: ball, position: [1, 0, 0]}}
{})",
                       speed, more);
  };
  // From the horizontal to the top: (0.5 · 0.5 + 0.1 · 1) g = 3.4335 J; I = 0.02 + 1/6 + 0.1 + 0.001 = 0.28767 kg m².
  CHECK_FALSE(stiffened(*system_from_text(model(4.8)), "beam"));
  CHECK(stiffened(*system_from_text(model(4.95)), "beam"));
  CHECK(stiffened(*system_from_text(model(0, "forces:\n  - {name: m, type: joint-force, joint: pin, effort: 2}\n")),
                  "beam"));
}

TEST_CASE("a body that bends or spins beyond what its modes carry is named once, with the time") {
  const auto text = [](double spin, double bent, const char* stiffening) {
    return fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: boom, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 4, modes: 2, boundary: clamped-free, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}, geometric_stiffening: {}, modal_position: [{}, 0], angular_velocity: [0, 0, {}]}}
joints:
  - {{name: free, type: free, base: ground, moving: boom}}
)",
                       stiffening, bent, spin);
  };
  const auto warnings = [&](double spin, double bent, const char* stiffening) {
    const auto system = system_from_text(text(spin, bent, stiffening));
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    host::ModeLimits limits(system->view());
    host::RowSink* sinks[] = {&limits};
    host::RunSettings settings = test::run_settings();
    settings.duration = 0.1;
    settings.output_interval = 0.01;
    REQUIRE(host::simulate(*system, *solver, settings, sinks, {}).end == host::End::done);
    return limits.warnings();
  };
  CHECK(warnings(0.5, 0.01, "false").empty());
  CHECK(warnings(5, 0.01, "true").empty());
  const auto fast = warnings(5, 0.01, "false");
  REQUIRE(fast.size() == 1);
  CHECK_THAT(fast[0].message, Catch::Contains("body `boom` spins and is not stiffened") && Catch::Contains("t = 0 s"));
  const auto bent = warnings(0.5, 0.4, "true");  // slope at the tip 1.3765 × 0.4
  REQUIRE(bent.size() == 1);
  CHECK_THAT(bent[0].message, Catch::Contains("body `boom` bends beyond") && Catch::Contains("0.551 rad"));
}

TEST_CASE("a moment on the hub, and a crank that turns a rocker, drive what they carry") {
  const auto hub = [](const std::string& force) {
    return R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: blade, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 1, modes: 1, boundary: clamped-free}
joints:
  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: clamp, type: fixed, base: hub, moving: blade, position: [0, 0, 0]}
  - {name: tip, type: fixed, base: blade, moving: ball, position: [1, 0, 0]}
forces: [{name: m, type: )" +
           force + "}]\n";
  };
  const auto with_ball = [&](const std::string& force) {
    std::string text = hub(force);
    text.insert(text.find("joints:"),
                "  - {name: ball, position: [1, 0, 0], mass: 0.1, center_of_mass: [0, 0, 0], inertia: {xx: 0.001, yy: "
                "0.001, zz: 0.001}}\n");
    return system_from_text(text);
  };
  CHECK(stiffened(*with_ball("joint-force, joint: shaft, effort: 2"), "blade"));
  CHECK(stiffened(*with_ball("point-force, body: hub, moment: [0, 0, 2]"), "blade"));
  CHECK(stiffened(*with_ball("point-force, body: hub, moment: [0, 0, {sine: {amplitude: 2, frequency: 1}}]"), "blade"));
  CHECK_FALSE(stiffened(*with_ball("point-force, body: hub, moment: [0, 0, 0]"), "blade"));
  // A parallelogram: crank of 1 m, coupler of 2 m, and the beam of 1 m as the rocker.
  const auto four_bar = [](const char* drive) {
    return system_from_text(std::string(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: coupler, position: [0, 1, 0], mass: 1, center_of_mass: [1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: rocker, type: flexible-beam, position: [2, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}, length: 1, linear_density: 1, bending_stiffness: 100, modes: 1, boundary: pinned-pinned, mass: 0.1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: b, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: c, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1]}
  - {name: d, type: revolute, base: coupler, moving: rocker, position: [2, 1, 0], axis: [0, 0, 1]}
)") + drive);
  };
  CHECK_FALSE(stiffened(*four_bar(""), "rocker"));
  CHECK(stiffened(*four_bar("forces: [{name: m, type: joint-force, joint: a, effort: 2}]\n"), "rocker"));
}

// η swings as sin ω t with η̇ = 2 1/s at the start: the beam is straight in every row, half a period apart.
TEST_CASE("a beam that bends too far between rows is told") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 4, modes: 1, boundary: clamped-free, modal_velocity: [2]}
joints:
  - {name: clamp, type: fixed, base: ground, moving: beam, position: [0, 0, 0]}
)");
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  host::ModeLimits limits(system->view());
  host::RowSink* sinks[] = {&limits};
  host::RunSettings settings = test::run_settings();
  const double omega = 1.8751040687119611 * 1.8751040687119611 * 2;
  settings.duration = 20 * M_PI / omega;
  settings.output_interval = M_PI / omega;
  REQUIRE(host::simulate(*system, *solver, settings, sinks, {}).end == host::End::done);
  REQUIRE(limits.warnings().size() == 1);
  CHECK_THAT(limits.warnings()[0].message, Catch::Contains("bends beyond"));
}

TEST_CASE("the remedy for a missing stiffening is one that the body takes") {
  const auto remedies = [](const std::string& blade) {
    const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: blade, )" + blade + R"(}
joints:
  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 6}}
  - {name: clamp, type: fixed, base: hub, moving: blade, position: [0, 0, 0]}
)");
    const auto solver = solver_for(*system, *formulations_for(*system).front());
    host::ModeLimits limits(system->view());
    host::RowSink* sinks[] = {&limits};
    host::RunSettings settings = test::run_settings();
    settings.duration = 0.01;
    REQUIRE(host::simulate(*system, *solver, settings, sinks, {}).end == host::End::done);
    REQUIRE(limits.warnings().size() == 1);
    return limits.warnings()[0].remedy;
  };
  CHECK(remedies("type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 1, modes: 1, boundary: "
                 "clamped-free, geometric_stiffening: false") == "Give the body `geometric_stiffening: true`.");
  CHECK(remedies("type: modal-body, nodes: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]], node_masses: [0.1, 0.5, 0.4], "
                 "mode_displacements: [[0, 0, 0, 0, 0.34, 0, 0, 1, 0]], modal_stiffness: [5]") ==
        "Give second_order_displacements, or divide the body into flexible-beams.");
}
