// Joints whose motion depends on time, against closed forms and against bodies that are driven by constraints.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/rheonomic/models.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81;

/// The angle's acceleration when the hinge turns at ω and is accelerated upwards by a:
/// (Jy + m l²) θ̈ = ω² (Jx + m l² − Jz) sin θ cos θ − m l (g + a) sin θ.
double acceleration(double angle, double omega, double a) {
  const double inertia = Jy + mass * l * l;
  return (omega * omega * (Jx + mass * l * l - Jz) * std::sin(angle) * std::cos(angle) -
          mass * l * (g + a) * std::sin(angle)) /
         inertia;
}

/// θ and θ̇ at a time, by 20 000 steps of the classical Runge–Kutta method.
std::pair<double, double> closed_form(double until, const std::function<double(double)>& omega,
                                      const std::function<double(double)>& a) {
  constexpr int steps = 20000;
  const double h = until / steps;
  double q = 0.5, v = 0.3;
  const auto f = [&](double t, double angle) { return acceleration(angle, omega(t), a(t)); };
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const double k1 = f(t, q), k2 = f(t + h / 2, q + h / 2 * v), k3 = f(t + h / 2, q + h / 2 * v + h * h / 4 * k1),
                 k4 = f(t + h, q + h * v + h * h / 2 * k2);
    q += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return {q, v};
}

class Last final : public host::RowSink {
 public:
  void work(double w) override { done = w; }
  void row(double, const Observation& now) override {
    q.assign(now.q.begin(), now.q.end());
    v.assign(now.v.begin(), now.v.end());
    const double energy = now.kinetic_energy + now.potential_energy;
    if (!begun) start = energy;
    begun = true;
    drift = std::max(drift, std::abs(energy - start - done));
    bodies.clear();
    for (const Observation::Body& b : now.bodies)
      for (const double x :
           {b.pose.position.x, b.pose.position.y, b.pose.position.z, b.velocity.x, b.velocity.y, b.velocity.z})
        bodies.push_back(x);
  }
  std::vector<double> q, v, bodies;
  double done = 0, start = 0, drift = 0;
  bool begun = false;
};

Last run(const host::System& system, const Formulation& formulation, double duration,
         std::string_view integrator = "dop853") {
  host::RunSettings settings = run_settings(integrator);
  settings.duration = duration;
  settings.output_interval = duration / 20;
  settings.relative_tolerance = 1e-11;
  settings.absolute_tolerance = 1e-12;
  const auto solver = solver_for(system, formulation);
  Last last;
  host::RowSink* sinks[] = {&last};
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  REQUIRE(record.end == host::End::done);
  return last;
}

}  // namespace

TEST_CASE("a rod on a hinge that the clock turns and shakes moves as the closed form says, in every formulation") {
  const double w = 2 * M_PI * 2;
  const auto shake = [&](double t) { return -0.03 * w * w * std::sin(w * t + 0.4); };
  const auto spin = [](double t) { return 3 + 0.8 * t; };
  const auto system = system_from_text(whirling("{polynomial: [0.2, 3, 0.4]}", sine_shift));
  const auto [q, v] = closed_form(1.5, spin, shake);
  const auto formulations = formulations_for(*system);
  CHECK(formulations.size() == 6);
  for (const Formulation* formulation : formulations) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(store.now().acceleration[0] == Approx(acceleration(0.5, 3, shake(0))).epsilon(1e-11));
    const Last last = run(*system, *formulation, 1.5);
    CHECK(last.q[0] == Approx(q).margin(2e-9));
    CHECK(last.v[0] == Approx(v).margin(2e-8));
    CHECK(last.q[1] == Approx(1.5).epsilon(1e-14));
    CHECK(last.drift < 2e-8);
  }
}

TEST_CASE("a joint that depends on time does what a driven body between two joints does") {
  const std::string carrier =
      "  - {name: carrier, position: [0.6, 0, -0.2], mass: 0.3, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}\n";
  const std::string driven =
      "  - {name: lift, type: cylindrical, base: ground, moving: carrier, position: [0.6, 0, -0.2], axis: [0, 0, 1]}\n"
      "  - {name: d, type: revolute, base: carrier, moving: rocker, position: [0.6, 0, -0.2], axis: [0, 1, 0]}\n"
      "constraints:\n  - {name: drive, type: prescribed-motion, joint: lift, motion: [{sine: {amplitude: 0.02, "
      "frequency: 1.5, phase: 0.7}}, {polynomial: [0, 0.4, 0.3]}]}\n";
  const auto with_body = system_from_text(four_bar(carrier, driven));
  const auto moved_loop = system_from_text(spatial_loop("base: ground, moving: rocker, " + std::string(moved)));
  const auto formulations = formulations_for(*moved_loop);
  CHECK(formulations.size() == 6);
  const Last expected = run(*with_body, *formulations_for(*with_body).front(), 0.8);
  for (const Formulation* formulation : formulations) {
    INFO(formulation->name());
    const Last found = run(*moved_loop, *formulation, 0.8);
    for (const char* name : {"crank", "coupler", "rocker"}) {
      const auto place = [&](const host::System& system) {
        std::size_t i = 0;
        while (system.view().bodies[i].name != name) ++i;
        return i;
      };
      const std::size_t a = place(*moved_loop), b = place(*with_body);
      for (std::size_t k = 0; k < 6; ++k)
        CHECK(found.bodies[6 * a + k] == Approx(expected.bodies[6 * b + k]).margin(2e-7));
    }
    CHECK(found.drift < 1e-7);
  }
}

TEST_CASE("a given velocity that jumps ends a run with its place and time") {
  const auto system = system_from_text(whirling("{ramp: {rate: 2, start: 0.5}}", "0"));
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = 1;
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  CHECK(record.end == host::End::failed);
  CHECK_THAT(record.failure, Catch::Contains("the velocity that the clock gives to joint `hinge` jumps at t = 0.5 s"));
}
