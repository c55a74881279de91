// Power and work of what has no potential, against closed forms.
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A rod of 2 kg and 1.2 m, hinged at its end; q = 0 along x, weight along -y.
std::string rod(const std::string& gravity, const std::string& speed, const std::string& more) {
  return R"(
polyform: 1
gravity: )" +
         gravity + R"(
bodies:
  - {name: rod, mass: 2, center_of_mass: [0.6, 0, 0], inertia: {xx: 0.01, yy: 0.24, zz: 0.24}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: )" +
         speed + "}}\n" + more;
}
constexpr double inertia = 0.24 + 2 * 0.6 * 0.6, weight = 2 * 9.81 * 0.6;
// q = 1.5 t + 0.8 t²
const std::string driven =
    rod("[0, -9.81, 0]", "1.5",
        "constraints:\n  - {name: drive, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 1.5, 0.8]}}\n");
double energy(double t) {
  const double q = 1.5 * t + 0.8 * t * t, v = 1.5 + 1.6 * t;
  return 0.5 * inertia * v * v + weight * std::sin(q);
}

class LastWork final : public host::RowSink {
 public:
  double value = 0, power = 0;
  void work(double w) override { value = w; }
  void row(double, const Observation& now) override { power = now.power; }
};

host::RunRecord run(const host::System& system, const Formulation& formulation, std::string_view integrator,
                    LastWork& last) {
  host::RunSettings settings = test::run_settings();
  settings.duration = 2;
  settings.relative_tolerance = 1e-9;  // for the mean of errors by which cvode-bdf steps
  settings.integrator = test::integrator(integrator);
  settings.step = 0.005;
  const auto solver = solver_for(system, formulation);
  host::RowSink* sinks[] = {&last};
  return host::simulate(system, *solver, settings, sinks, {});
}

}  // namespace

TEST_CASE("every formulation tells the power of a drive: torque times speed") {
  const auto system = system_from_text(driven);
  std::size_t count = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const std::vector<double> y = initial_vector(*system, *solver);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    CHECK(store.now().power == Approx((inertia * 1.6 + weight) * 1.5).epsilon(1e-10));
    ++count;
  }
  CHECK(count >= 4);
}

TEST_CASE("the work of a drive is the energy that the driven rod gains, with every solver and integrator") {
  const auto system = system_from_text(driven);
  for (const Formulation* formulation : formulations_for(*system))
    for (const IntegratorType* method : test::integrator_types()) {
      INFO(formulation->name() << " with " << method->name());
      LastWork last;
      const host::RunRecord record = run(*system, *formulation, method->name(), last);
      CHECK(record.end == host::End::done);
      CHECK(last.value == Approx(energy(2) - energy(0)).epsilon(1e-6));
      CHECK(record.energy_drift < 1e-6);
      CHECK_FALSE(record.conservative);
    }
}

TEST_CASE("the work of a damper is the energy lost, with every solver and integrator") {
  const auto system = system_from_text(rod(
      "[0, 0, 0]", "4", "forces:\n  - {name: d, type: joint-spring-damper, joint: pin, stiffness: 0, damping: 0.7}\n"));
  const double left = std::exp(-2 * 0.7 / inertia * 2);  // of the energy after 2 s
  for (const Formulation* formulation : formulations_for(*system))
    for (const IntegratorType* method : test::integrator_types()) {
      INFO(formulation->name() << " with " << method->name());
      LastWork last;
      const host::RunRecord record = run(*system, *formulation, method->name(), last);
      CHECK(last.value == Approx(-0.5 * inertia * 16 * (1 - left)).epsilon(1e-6));
      CHECK(record.energy_drift < 1e-6);
    }
}

TEST_CASE("nothing is lost by a spring, and by no constraint that rests") {
  const auto system = system_from_text(
      rod("[0, -9.81, 0]", "4",
          "forces:\n  - {name: s, type: joint-spring-damper, joint: pin, stiffness: 3, damping: 0}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    LastWork last;
    const host::RunRecord record = run(*system, *formulation, "dopri5", last);
    CHECK(last.value == 0);
    CHECK(record.conservative);
    CHECK(record.energy_drift < 1e-6);
  }
}

TEST_CASE("a motor's balance counts what its circuit takes in and loses") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/motor_arm.yaml");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    LastWork last;
    const host::RunRecord record = run(*system, *formulation, "dopri5", last);
    CHECK(record.energy_drift < 1e-6);
    CHECK_FALSE(record.conservative);
  }
}
