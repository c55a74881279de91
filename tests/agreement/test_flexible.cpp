// Flexible bodies in every formulation that carries them: closed forms, conservation, and the same accelerations.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A parallelogram of 1 m links, drawn at 60 degrees, whose coupler is a beam with attachments at both ends.
std::string four_bar(const std::string& more_of_coupler, const std::string& forces = "") {
  return R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: coupler, type: flexible-beam, position: [0.5, 0.8660254037844386, 0], length: 1, linear_density: 1, bending_stiffness: 20, )" +
         more_of_coupler + R"(}
  - {name: rocker, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [1, 0, 0], axis: [0, 0, 1]}
)" + forces;
}

/// A beam on a ball joint at its clamp, with a rod on a hinge in its middle, one on a ball at its tip and springs.
std::string loaded_beam() {
  return R"(
polyform: 1
gravity: [0.4, -9.81, 1]
bodies:
  - {name: beam, type: flexible-beam, position: [0, 0, 0], orientation: {axis: [1, 1, 0], angle: 0.3}, length: 1.2, linear_density: 0.8, bending_stiffness: 6, modes: 3, boundary: clamped-free, mass: 0.4, center_of_mass: [0.1, 0, 0.05], inertia: {xx: 0.02, yy: 0.03, zz: 0.03, xy: 0.001}, modal_position: [0.1, 0.03, -0.01], modal_velocity: [1, -0.5, 0.2], damping_ratio: 0.02}
  - {name: middle, position: [0.6, 0, 0], mass: 0.5, center_of_mass: [0.2, 0.1, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: tip, position: [1.2, 0, 0], mass: 0.3, center_of_mass: [0, 0.2, 0.1], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  - {name: root, type: spherical, base: ground, moving: beam, position: [0, 0, 0], initial: {velocity: [0.4, -1, 2]}}
  - {name: hinge, type: revolute, base: middle, moving: beam, position: {MIDDLE}, axis: [1, 2, 0.5], initial: {position: 0.3, velocity: -1}}
  - {name: ball, type: spherical, base: beam, moving: tip, position: {TIP}, initial: {velocity: [1, -0.7, 0.2]}}
forces:
  - {name: spring, type: spring-damper, a: {body: beam, point: [1.2, 0, 0]}, b: {body: ground, point: [1, 1, 0.3]}, stiffness: 30, damping: 0.7, free_length: 0.5}
  - {name: brace, type: spring-damper, a: {body: beam, point: [0.3, 0, 0]}, b: {body: tip, point: [0, 0.2, 0]}, stiffness: 12, damping: 0.2}
  - {name: wind, type: point-force, body: beam, point: [0.9, 0, 0], force: [1, -2, 0.5], moment: [0.1, 0.2, 0.3], axes: ground}
  - {name: motor, type: joint-force, joint: hinge, effort: 0.8}
  - {name: twist, type: joint-spring-damper, joint: hinge, stiffness: 3, damping: 0.1, rest: 0.1}
)";
}
/// A loop in space of a crank, a body of four nodes with spatial modes that displace and turn its attachments, and a
/// rocker on ball joints; a pendulum hangs on the body's fourth node.
constexpr const char* spatial_loop = R"(
polyform: 1
gravity: [0.5, -9.81, 1]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0, 0.4, 0], inertia: {xx: 0.1, yy: 0.02, zz: 0.1}}
  - name: frame
    type: modal-body
    position: [0, 0.8, 0]
    nodes: [[0, 0, 0], [1, 0, 0], [0.4, 0.3, 0.1], [0.5, -0.2, 0.3]]
    node_masses: [0.3, 0.4, 0.5, 0.2]
    mode_displacements:
      - [0.1, 0.2, -0.3, 0.2, 0.5, 0.1, -0.4, 0.1, 0.6, 0.3, -0.2, 0.4]
      - [-0.2, 0.1, 0.3, 0.3, -0.4, 0.2, 0.1, 0.5, -0.3, 0.6, 0.1, -0.1]
      - [0.3, -0.1, 0.1, -0.1, 0.2, 0.6, 0.2, -0.3, 0.2, -0.2, 0.4, 0.3]
    mode_rotations:
      - [0.4, -0.2, 0.9, -0.3, 0.5, 0.2, 0, 0, 0, 0.6, 0.3, -0.4]
      - [-0.5, 0.7, 0.1, 0.4, 0.2, -0.8, 0, 0, 0, -0.3, 0.8, 0.2]
      - [0.2, 0.3, -0.6, 0.5, -0.7, 0.3, 0, 0, 0, 0.2, -0.5, 0.7]
    modal_stiffness: [60, 90, 120]
    damping_ratio: DAMPING
    modal_position: [0.1, -0.05, 0.08]
    modal_velocity: [0.5, 1, -0.7]
    mass: 0.6
    center_of_mass: [0.5, 0.1, 0]
    inertia: {xx: 0.02, yy: 0.05, zz: 0.06, xy: 0.003}
  - {name: rocker, position: [1, 0, 0.2], mass: 0.8, center_of_mass: [0, 0.4, -0.1], inertia: {xx: 0.07, yy: 0.02, zz: 0.07}}
  - {name: weight, position: [0.5, 0.6, 0.3], mass: 0.4, center_of_mass: [0, -0.3, 0], inertia: {xx: 0.02, yy: 0.01, zz: 0.02}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1.5}}
  - {name: B, type: universal, base: frame, moving: crank, position: [0, 0.8, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}
  - {name: C, type: spherical, base: frame, moving: rocker, position: [1, 0.8, 0]}
  - {name: D, type: spherical, base: ground, moving: rocker, position: [1, 0, 0.2]}
  - {name: hinge, type: revolute, base: frame, moving: weight, position: [0.5, 0.6, 0.3], axis: [1, 0.2, 0.5], initial: {position: 0.4, velocity: 2}}
forces:
  - {name: spring, type: spring-damper, a: {body: frame, point: [0.4, 0.3, 0.1]}, b: {body: ground, point: [0, 2, 0]}, stiffness: 20}
)";
std::string spatial_loop_with(const std::string& damping) {
  std::string text = spatial_loop;
  return text.replace(text.find("DAMPING"), 7, damping);
}

std::string replaced(std::string text, const std::string& what, const Vec3& by) {
  return text.replace(text.find(what), what.size(), fmt::format("[{}, {}, {}]", by.x, by.y, by.z));
}
std::string placed_loaded_beam() {
  const Mat3 R = rotation_matrix(axis_angle((1 / std::sqrt(2.0)) * Vec3{1, 1, 0}, 0.3));
  return replaced(replaced(loaded_beam(), "{MIDDLE}", R * Vec3{0.6, 0, 0}), "{TIP}", R * Vec3{1.2, 0, 0});
}

std::unique_ptr<host::ObservationStore> observed(const host::System& system, Solver& solver) {
  auto store = std::make_unique<host::ObservationStore>(system.view());
  REQUIRE(solver.observe(0, initial_vector(system, solver), store->now()) == Status::ok);
  return store;
}

/// A sink that keeps the largest change of energy, and the numbers of the first and last observation.
class EnergySink final : public host::RowSink {
 public:
  void row(double, const Observation& o) override {
    const double energy = o.kinetic_energy + o.potential_energy;
    if (rows++ == 0) first = energy;
    change = std::max(change, std::abs(energy - first));
    violation = std::max(violation, o.position_violation);
    kinetic = std::max(kinetic, o.kinetic_energy);
  }
  double first = 0, change = 0, violation = 0, kinetic = 0;
  std::size_t rows = 0;
};

EnergySink run(const host::System& system, const Formulation& formulation, double duration) {
  const auto solver = solver_for(system, formulation);
  EnergySink sink;
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings = test::run_settings();
  settings.duration = duration;
  settings.relative_tolerance = 1e-11;
  settings.absolute_tolerance = 1e-12;
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  return sink;
}

}  // namespace

TEST_CASE("a force at the tip of a clamped beam starts its modes by four times its size over the beam's mass") {
  // Modes are scaled to +1 at the tip: φ_k(L) = 1, ∫ρ φ_k² = ρL/4.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, position: [0.2, 0.1, 0], length: 2, linear_density: 0.7, bending_stiffness: 5, modes: 4, boundary: clamped-free}
joints:
  - {name: wall, type: fixed, base: ground, moving: beam, position: [0.2, 0.1, 0]}
forces:
  - {name: pull, type: point-force, body: beam, point: [2, 0, 0], force: [0, 3, 0], moment: [0, 0, 0], axes: ground}
)");
  REQUIRE(system->view().nodes.size() == 1);
  const auto formulations = formulations_for(*system);
  REQUIRE(!formulations.empty());
  for (const Formulation* formulation : formulations) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const auto store = observed(*system, *solver);
    for (const double a : store->now().modal_acceleration) CHECK(a == Approx(4 * 3 / (0.7 * 2)).epsilon(1e-10));
    CHECK(norm(store->now().bodies[0].acceleration) < 1e-12);
  }
}

TEST_CASE("a beam pinned at one end and hung on a spring at the other moves as its power says") {
  // Forces on nodes, joints in the middle of the beam, modal damping.
  const auto system = system_from_text(placed_loaded_beam());
  REQUIRE(system->view().nodes.size() == 4);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    CHECK(std::abs(require_power_balance(*system, *formulation)) > 0.1);
  }
}

TEST_CASE("formulations agree on accelerations and reactions of systems with flexible bodies") {
  for (const std::string& text : {spatial_loop_with("0.03"), placed_loaded_beam(),
                                  four_bar("modes: 3, boundary: pinned-pinned, modal_position: [0.03, 0.01, 0]"),
                                  four_bar("modes: 2, boundary: clamped-free, modal_position: [0.03, 0.01]")})
    CHECK(require_agreement(text) > 0);
}

TEST_CASE("beams without a hub, held anywhere and with many modes, agree") {
  for (const std::string& joints :
       {std::string("{name: a, type: fixed, base: ground, moving: beam, position: [0.4, 0, 0]}"),
        std::string("{name: a, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1]}"),
        std::string("{name: a, type: revolute, base: ground, moving: beam, position: [1, 0, 0], axis: [0, 0, 1]}")})
    for (const int modes : {2, 5, 12}) {
      INFO(joints << " " << modes);
      CHECK(require_agreement(fmt::format(
                "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n  - {{name: beam, type: flexible-beam, length: 1, "
                "linear_density: 1, bending_stiffness: 100, modes: {}, boundary: clamped-free}}\njoints:\n  - {}\n",
                modes, joints)) >= 3);
    }
}

TEST_CASE("a beam that the same body holds twice at one point agrees, in either direction of the second pin") {
  for (const char* bodies : {"base: hub, moving: beam", "base: beam, moving: hub"})
    for (const double x : {0.3, 0.41, 0.8}) {
      INFO(bodies << " " << x);
      const Mat3 R = rotation_matrix(axis_angle((1 / std::sqrt(3.0)) * Vec3{1, 1, 1}, 0.7));
      const Vec3 p = Vec3{0.2, -0.8, -0.9} + R * Vec3{x, 0, 0};
      CHECK(require_agreement(fmt::format(R"(
polyform: 1
gravity: [0.3, -9.7, 1.1]
bodies:
  - {{name: hub, position: [-0.4, -0.5, 0.9], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
  - {{name: beam, type: flexible-beam, position: [0.2, -0.8, -0.9], orientation: {{axis: [1, 1, 1], angle: 0.7}}, length: 1, linear_density: 1, bending_stiffness: 100, modes: 2, boundary: clamped-free, mass: 0.5, inertia: {{xx: 0.05, yy: 0.05, zz: 0.05}}}}
joints:
  - {{name: slide, type: prismatic, base: ground, moving: hub, position: [0, 0.6, 0], axis: [-0.8, 0.5, 0.1]}}
  - {{name: pin, type: revolute, base: hub, moving: beam, position: [{0}, {1}, {2}], axis: [0.9, 0.4, -0.1]}}
  - {{name: second, type: revolute, {3}, position: [{0}, {1}, {2}], axis: [0.9, 0.1, -0.3]}}
)",
                                          p.x, p.y, p.z, bodies)) >= 3);
    }
}

TEST_CASE("a four-bar with a flexible coupler conserves energy and stays closed") {
  const auto system = system_from_text(four_bar("modes: 2, boundary: pinned-pinned, modal_position: [0.02, -0.01]"));
  const auto formulations = formulations_for(*system);
  REQUIRE(!formulations.empty());
  for (const Formulation* formulation : formulations) {
    INFO("formulation " << formulation->name());
    const EnergySink sink = run(*system, *formulation, 2);
    CHECK(sink.change < 1e-8 * (1 + sink.kinetic));
    CHECK(sink.violation < 1e-9);
    CHECK(sink.kinetic > 5);
  }
}

TEST_CASE("a loop in space through a body with spatial modes conserves energy and stays closed") {
  const auto system = system_from_text(spatial_loop_with("0"));
  REQUIRE(system->view().nodes.size() == 4);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const EnergySink sink = run(*system, *formulation, 2);
    CHECK(sink.change < 1e-8 * (1 + sink.kinetic));
    CHECK(sink.violation < 1e-9);
  }
}

TEST_CASE("a free beam that tumbles in space conserves energy") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 4, modes: 2, boundary: free-free, mass: 0.2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, modal_position: [0.05, 0.02], modal_velocity: [-0.3, 0.4], velocity: [0.3, 0.1, -0.2], angular_velocity: [2, -1, 3]}
joints:
  - {name: flight, type: free, base: ground, moving: beam, position: [0, 0, 0]}
)");
  REQUIRE(system->view().nodes.empty());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const EnergySink sink = run(*system, *formulation, 3);
    CHECK(sink.change < 1e-9 * (1 + sink.kinetic));
  }
}

TEST_CASE("the derivative depends on the values of the state alone, not on where they stood before") {
  const auto system = system_from_text(four_bar("modes: 2, boundary: pinned-pinned, modal_position: [0.02, -0.01]"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const std::vector<double> y = initial_vector(*system, *solver);
    std::vector<double> first = y, rate(y.size()), again(y.size());
    REQUIRE(solver->derivative(0, first, rate) == Status::ok);
    std::fill(first.begin(), first.end(), 1e3);
    REQUIRE(solver->derivative(0, y, again) == Status::ok);
    CHECK(again == rate);
  }
}
