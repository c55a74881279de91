// The equations of motion in particle coordinates, through the solver.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/particles/solving.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Rods on ball joints, released with turning; text for the model reader.
std::string chain(int count) {
  std::string text = "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n", joints = "joints:\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "  - {{name: b{0}, position: [{0}, 0, 0], mass: 1, center_of_mass: [0.5, 0.02, 0], inertia: {{xx: "
        "0.01, yy: 0.09, zz: 0.085, xy: 0.002}}}}\n",
        i);
    joints += fmt::format(
        "  - {{name: j{0}, type: spherical, base: {1}, moving: b{0}, position: [{0}, 0, 0], initial: "
        "{{velocity: [{2}, 1, -0.5]}}}}\n",
        i, i == 0 ? "ground" : fmt::format("b{}", i - 1), i % 2 == 0 ? 2 : -1);
  }
  return text + joints;
}

/// Largest difference between the derivatives of the initial state by the recursion and by the sparse system.
double difference_of_equations(const host::System& system) {
  const auto recursive = solver_with(system, {}), sparse = solver_with(system, {{"equations", "sparse"}});
  const std::vector<double> y = initial_vector(system, *recursive);
  std::vector<double> a(y.size()), b(y.size());
  REQUIRE(recursive->derivative(0, y, a) == Status::ok);
  REQUIRE(sparse->derivative(0, y, b) == Status::ok);
  return largest_difference(a, b);
}

}  // namespace

TEST_CASE("the recursion and the sparse system give the same accelerations on trees with every joint") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 4 + static_cast<int>(seed % 12)}));
    CHECK(difference_of_equations(*system) < 1e-10);
  }
}

TEST_CASE("the recursion and the sparse system give the same accelerations of loops, with massless bodies too") {
  for (const char* name : {"bennett", "cardan_shaft", "four_bar_rhombus", "ladder_40", "planar_3rrr", "vehicle"}) {
    INFO(name);
    const auto system = system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, name));
    CHECK(difference_of_equations(*system) < 1e-10);
  }
}

TEST_CASE("a massless coupler that only its loop keeps from turning is carried, by the sparse system") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 2, center_of_mass: [0.1, 0.2, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: coupler, position: [0.2, 0.5, 0], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: rocker, position: [1, 0, 0], mass: 1, center_of_mass: [0.1, 0.3, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: b, type: revolute, base: crank, moving: coupler, position: [0.2, 0.5, 0], axis: [0, 0, 1]}
  - {name: c, type: revolute, base: ground, moving: rocker, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: d, type: revolute, base: coupler, moving: rocker, position: [1.2, 0.7, 0], axis: [0, 0, 1], cut: true}
)");
  const auto solver = solver_with(*system, {});
  host::RunSettings settings = test::run_settings("rk4");
  settings.step = 1e-3;
  settings.duration = 1;
  settings.output_interval = 0.1;
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  CHECK(record.end == host::End::done);
  CHECK(record.energy_drift < 1e-8);
  CHECK(record.constraint_violation < 1e-10);
}

TEST_CASE("a rhombus passes its folded positions at a step of 0.01 s") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/four_bar_rhombus.yaml");
  const auto solver = solver_with(*system, {});
  host::RunSettings settings = test::run_settings("rk4");
  settings.step = 1e-2;
  settings.duration = 10;
  settings.output_interval = 0.1;
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  CHECK(record.end == host::End::done);
  CHECK(record.energy_drift < 1e-4);
}

TEST_CASE("both kinds of correction bring a disturbed tree back to 1e-10 and agree on where to") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 4 + static_cast<int>(seed % 12)}));
    std::vector<double> corrected[2];
    for (const int k : {0, 1}) {
      const auto solver = solver_with(*system, {{"equations", k == 0 ? "automatic" : "sparse"}});
      std::vector<double>& y = corrected[k] = initial_vector(*system, *solver);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-6 * std::sin(1.3 * static_cast<double>(i));
      Correction correction;
      REQUIRE(solver->correct(0, y, correction) == Status::ok);
      CHECK(correction.position_residual > 1e-7);
      CHECK(correction.velocity_residual > 1e-7);
      host::ObservationStore store(system->view());
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      CHECK(store.now().position_violation < 1e-13);
      CHECK(store.now().velocity_violation < 1e-12);
    }
    // The nearest state in the mass metric is one and the same, up to the square of the disturbance.
    CHECK(largest_difference(corrected[0], corrected[1]) < 1e-9);
  }
}

TEST_CASE("momenta of all bodies outboard of a ball joint balance about it, Eq 2.21, and give its reaction, Eq 2.17") {
  const auto system = system_from_text(chain(8));
  const SystemView& view = system->view();
  for (const char* equations : {"automatic", "sparse"}) {
    const auto solver = solver_with(*system, {{"equations", equations}});
    host::ObservationStore store(view);
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    const auto& bodies = store.now().bodies;
    for (std::size_t j = 0; j < view.bodies.size(); ++j) {
      const Vec3 pivot = bodies[j].pose.position;
      Vec3 moment, force;
      for (std::size_t k = j; k < view.bodies.size(); ++k) {
        const Mat3 R = rotation_matrix(bodies[k].pose.orientation);
        const Vec3 w = bodies[k].angular_velocity, alpha = bodies[k].angular_acceleration;
        const Vec3 c = R * view.bodies[k].center_of_mass;
        const Sym3 J = rotate(R, view.bodies[k].inertia);
        const Vec3 f =
            view.bodies[k].mass * (bodies[k].acceleration + cross(alpha, c) + cross(w, cross(w, c)) - view.gravity);
        force += f;
        moment += J * alpha + cross(w, J * w) + cross(bodies[k].pose.position + c - pivot, f);
      }
      CHECK(norm(moment) < 1e-10);
      CHECK(norm(store.now().reactions[j].angular) < 1e-10);
      CHECK(norm(store.now().reactions[j].linear - force) < 1e-10);
    }
  }
}

TEST_CASE("distances drift without correction and stay at round-off with it") {
  const auto system = system_from_text(chain(3));
  double violation[2];
  for (const int corrected : {0, 1}) {
    const auto solver = solver_with(*system, {{"correction", corrected == 1 ? "projection" : "none"}});
    std::vector<double> y = initial_vector(*system, *solver);
    double t = 0;
    REQUIRE(integrate(*solver, y, t, 5e-3, 400));
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(t, y, store.now()) == Status::ok);
    violation[corrected] = store.now().position_violation;
  }
  CHECK(violation[0] > 1e-8);
  CHECK(violation[1] < 1e-13);
}

TEST_CASE("Gear's method keeps the energy of a chain of three, and its constraints") {
  const auto system = system_from_text(chain(3));
  const auto solver = solver_with(*system, {});
  struct Energy final : host::RowSink {
    double first = 0, change = 0, violation = 0;
    std::size_t rows = 0;
    void row(double, const Observation& o) override {
      const double energy = o.kinetic_energy + o.potential_energy;
      if (rows++ == 0) first = energy;
      change = std::max(change, std::abs(energy - first));
      violation = std::max(violation, o.position_violation);
    }
  } sink;
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings = test::run_settings();
  settings.duration = 1;
  settings.integrator = test::integrator("cvode-bdf");
  settings.relative_tolerance = 1e-9;
  settings.absolute_tolerance = 1e-11;
  CHECK(host::simulate(*system, *solver, settings, sinks, {}).end == host::End::done);
  CHECK(sink.change < 1e-5);
  CHECK(sink.violation < 1e-10);
}

TEST_CASE("a body that nothing keeps from turning without inertia is refused by name") {
  for (const char* equations : {"automatic", "sparse"}) {
    const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: needle, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0, yy: 0.1, zz: 0.1}}
joints:
  - {name: ball, type: spherical, base: ground, moving: needle, position: [0, 0, 0]}
)");
    const auto solver = solver_with(*system, {{"equations", equations}});
    std::vector<double> y(solver->state_size());
    CHECK(solver->encode(system->initial_state(), y) == Status::failed);
    CHECK(std::string(solver->failure()).find("`needle` has no mass or inertia") != std::string::npos);
  }
}

TEST_CASE("the state holds two particles for each rod of a chain, and no angle in its equations") {
  const auto system = system_from_text(chain(5));
  const auto solver = solver_with(*system, {});
  CHECK(solver->state_size() == 5 * (12 + 4));  // positions and velocities, and the sign of what observers see
  // The hints have no influence on the accelerations.
  std::vector<double> y = initial_vector(*system, *solver), rate(y.size()), other(y.size());
  REQUIRE(solver->derivative(0, y, rate) == Status::ok);
  for (std::size_t i = 60; i < y.size(); ++i) y[i] = -y[i] + 0.3;
  REQUIRE(solver->derivative(0, y, other) == Status::ok);
  CHECK(std::equal(rate.begin(), rate.begin() + 60, other.begin()));
}

TEST_CASE("a spinning body keeps its rate when its radii are restored, with every integrator") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: wheel, mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
joints:
  - {name: pin, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 100}}
)");
  for (const char* equations : {"automatic", "sparse"}) {
    const auto solver = solver_with(*system, {{"equations", equations}});
    std::vector<double> y = initial_vector(*system, *solver);
    double t = 0;
    REQUIRE(integrate(*solver, y, t, 5e-3, 1000));  // half a radian per step
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(t, y, store.now()) == Status::ok);
    CHECK(std::abs(store.now().bodies[0].angular_velocity.z - 100) < 1e-8);
    CHECK(store.now().position_violation < 1e-13);
    // What is left is the error of the angle itself, ω t (ω h)⁴ / 120 of an undamped oscillation.
    CHECK(std::abs(store.now().q[0] - 500) < 0.3);
  }
}

TEST_CASE("a loop that drifts open without correction and passes a singular position fails by name") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/ladder_1.yaml");
  const auto solver = solver_with(*system, {{"correction", "none"}});
  std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
  double t = 0;
  CHECK(!integrate(*solver, y, t, 1e-3, 3000));
  CHECK(std::string(solver->failure()).find("not finite") != std::string::npos);
  CHECK(std::string(solver->failure()).find('`') != std::string::npos);
}

TEST_CASE("the sparse system refines long chains: 1000 sliders in line") {
  std::string text = "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n", joints = "joints:\n";
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format(
        "  - {{name: b{0}, position: [{0}, 0, 0], mass: 1, center_of_mass: [0.5, 0.02, 0], inertia: {{xx: "
        "0.01, yy: 0.09, zz: 0.085}}}}\n",
        i);
    joints += fmt::format(
        "  - {{name: j{0}, type: prismatic, base: {1}, moving: b{0}, position: [{0}, 0, 0], axis: [1, 1, 0]}}\n", i,
        i == 0 ? "ground" : fmt::format("b{}", i - 1));
  }
  const auto system = system_from_text(text + joints);
  CHECK(difference_of_equations(*system) < 1e-9);
}
