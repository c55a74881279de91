// What motion conserves, in every formulation.
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A chain of three spatial bodies on ball joints that flies freely, without gravity.
constexpr const char* flying_chain = R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, position: [0, 0, 0], mass: 1.3, center_of_mass: [0.4, 0.1, 0], inertia: {xx: 0.02, yy: 0.11, zz: 0.1, xy: 0.01}}
  - {name: b, position: [1, 0, 0], mass: 0.8, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.07, zz: 0.07}}
  - {name: c, position: [2, 0, 0], mass: 2.1, center_of_mass: [0.3, -0.1, 0], inertia: {xx: 0.05, yy: 0.2, zz: 0.18, yz: 0.02}}
joints:
  - {name: root, type: free, base: ground, moving: a, initial: {velocity: [0.1, -0.3, 0.2, 1, -2, 0.5]}}
  - {name: ab, type: spherical, base: b, moving: a, position: [1, 0, 0], initial: {velocity: [0.5, 1, -1]}}
  - {name: bc, type: spherical, base: b, moving: c, position: [2, 0, 0], initial: {velocity: [-2, 0.3, 1]}}
)";

/// Keeps the largest change of momentum about the ground origin and of energy.
class ConservationSink final : public host::RowSink {
 public:
  explicit ConservationSink(const SystemView& view) : view_(view) {}
  void row(double, const Observation& o) override {
    Spatial momentum;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const Mat3 R = rotation_matrix(o.bodies[i].pose.orientation);
      const Vec3 c = R * view_.bodies[i].center_of_mass, w = o.bodies[i].angular_velocity;
      const Vec3 p = view_.bodies[i].mass * (o.bodies[i].velocity + cross(w, c));
      momentum += Spatial{rotate(R, view_.bodies[i].inertia) * w + cross(o.bodies[i].pose.position + c, p), p};
    }
    const double energy = o.kinetic_energy + o.potential_energy;
    if (rows++ == 0) {
      momentum_ = momentum;
      energy_ = energy;
    }
    momentum_change = std::max(
        {momentum_change, norm(momentum.linear - momentum_.linear), norm(momentum.angular - momentum_.angular)});
    energy_change = std::max(energy_change, std::abs(energy - energy_));
  }
  double momentum_change = 0, energy_change = 0;
  std::size_t rows = 0;

 private:
  const SystemView& view_;
  Spatial momentum_;
  double energy_ = 0;
};

}  // namespace

TEST_CASE("a free spatial chain conserves momentum, angular momentum and energy") {
  const auto system = system_from_text(flying_chain);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    ConservationSink sink(system->view());
    host::RowSink* sinks[] = {&sink};
    host::RunSettings settings = test::run_settings();
    settings.duration = 5;
    settings.relative_tolerance = 1e-11;
    settings.absolute_tolerance = 1e-12;
    CHECK(host::simulate(*system, *solver, settings, sinks, {}).end == host::End::done);
    CHECK(sink.rows == 51);
    CHECK(sink.momentum_change < 1e-9);
    CHECK(sink.energy_change < 1e-9);
  }
}

TEST_CASE("the change of energy is the work of the forces without potential") {
  // dE/dt by central differences along the motion against the observed power, with springs, dampers and efforts.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 7}));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("seed " << seed << ", formulation " << formulation->name());
      require_power_balance(*system, *formulation);
    }
  }
}

TEST_CASE("two solvers of one formulation work side by side in two threads") {
  const auto system = system_from_text(random_model({.seed = 3, .bodies = 30}));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto one = solver_for(*system, *formulation), other = solver_for(*system, *formulation);
    const std::vector<double> y = initial_vector(*system, *one);
    std::vector<double> expected(y.size()), a(y.size()), b(y.size());
    REQUIRE(one->derivative(0, y, expected) == Status::ok);
    const auto work = [&y](Solver& solver, std::vector<double>& rate) {
      for (int i = 0; i < 200; ++i) static_cast<void>(solver.derivative(0, y, rate));
    };
    std::thread first([&] { work(*one, a); }), second([&] { work(*other, b); });
    first.join();
    second.join();
    CHECK(a == expected);
    CHECK(b == expected);
  }
}
