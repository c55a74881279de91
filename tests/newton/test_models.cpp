// The implicit methods on models that ship.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>

#include "framework/host/simulation/simulate.hpp"
#include "newton_check.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

struct Run {
  host::RunRecord record;
  std::vector<double> q;
};

Run run(const host::System& system, std::string_view formulation, std::string_view integrator, double duration,
        double tolerance = 1e-7) {
  struct Last final : host::RowSink {
    void row(double, const Observation& now) override { q.assign(now.q.begin(), now.q.end()); }
    std::vector<double> q;
  } last;
  for (const Formulation* f : formulations_for(system)) {
    if (f->name() != formulation) continue;
    const auto solver = solver_for(system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = settings.output_interval = duration;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerance = tolerance / 10;
    host::RowSink* const sinks[] = {&last};
    host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
    return {std::move(record), last.q};
  }
  return {};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("radau5 and auto move shipped models as dopri5 does") {
  // Trees and loops, balls, pins and slides, springs across the tree, spinning bodies, flexible bodies, modules.
  const auto [model, formulation] =
      GENERATE(Catch::Generators::table<std::string, std::string>({{"spring_damper_pendulum", "riccati"},
                                                                   {"vehicle", "riccati"},
                                                                   {"slider_crank", "riccati"},
                                                                   {"heavy_top", "riccati"},
                                                                   {"governor", "reduced"},
                                                                   {"planar_3rrr", "reduced"},
                                                                   {"elliptic_spring", "riccati"},
                                                                   {"random_tree", "riccati"},
                                                                   {"flexible_pendulum", "riccati"},
                                                                   {"rack_and_pinion", "cartesian"},
                                                                   {"free_body", "riccati"},
                                                                   {"wind_turbine", "riccati"},
                                                                   {"stiff_loop", "reduced"},
                                                                   {"vehicle_bushings", "riccati"},
                                                                   {"wind_turbine_flexible", "riccati"}}));
  INFO(model << " by " << formulation);
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
  const Run plain = run(*system, formulation, "dopri5", 0.3);
  REQUIRE(plain.record.end == host::End::done);
  for (const char* integrator : {"radau5", "auto"}) {
    INFO(integrator);
    const Run now = run(*system, formulation, integrator, 0.3);
    INFO(now.record.failure);
    CHECK(now.record.end == host::End::done);
    CHECK(distance(now.q, plain.q) < 2e-5);
    CHECK(now.record.evaluations < 8 * plain.record.evaluations + 3000);
  }
}

// The engine's law holds explicit steps at its 33 rad/s. The work begins with nothing, beside 300 kJ of the car.
TEST_CASE("the work of a steady turn holds no steps, and is as exact as the energy balance") {
  const auto system = system_from_file(POLYFORM_MODELS "/steady_turn.yaml");
  const Run exact = run(*system, "riccati", "radau5", 12, 1e-11);
  for (const char* integrator : {"dopri5", "dop853", "radau5", "auto"}) {
    INFO(integrator);
    const Run now = run(*system, "riccati", integrator, 12, 1e-9);
    CHECK(now.record.end == host::End::done);
    CHECK(now.record.evaluations < 4000);
    CHECK(now.record.energy_drift < 2e-8);
    CHECK(distance(now.q, exact.q) < 1e-6);
  }
}

// A car rolls on a flat road, at rest but for its speed, so that steps become seconds long, and meets a bump of 2 cm
// after 20 s. A step that ends on it finds the car at rest with the bump; beside 230 kJ of the car its 30 J are little.
TEST_CASE("a loose tolerance does not let radau5 step onto a bump in the road") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: carriage, position: [0, 0, 0.3], mass: 1000, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: wheel, position: [0, 0, 0.3], mass: 25, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: body, position: [0, 0, 0.7], mass: 127, inertia: {xx: 10, yy: 10, zz: 10}}
joints:
  - {name: way, type: prismatic, base: ground, moving: carriage, position: [0, 0, 0.3], axis: [1, 0, 0],
     initial: {velocity: 20}}
  - {name: hop, type: prismatic, base: carriage, moving: wheel, position: [0, 0, 0.3], axis: [0, 0, 1]}
  - {name: heave, type: prismatic, base: carriage, moving: body, position: [0, 0, 0.7], axis: [0, 0, 1]}
forces:
  - {name: strut, type: spring-damper, a: {body: wheel}, b: {body: body}, stiffness: 20000, damping: 1500,
     free_length: "0.4 + 127*9.81/20000"}
  - {name: tyre, type: brush-tyre, wheel: {body: wheel}, axis: [0, 1, 0], radius: "0.3 + 152*9.81/120000",
     stiffness: 120000, free_rolling: true, slip_stiffness: 0, cornering_stiffness: 0, road_grid_spacing: 0.1,
     road_grid_origin: [400, -0.2],
     road_grid: [[0, 0, 0, 0, 0], [0.002, 0.002, 0.002, 0.002, 0.002], [0.015, 0.015, 0.015, 0.015, 0.015],
                 [0.02, 0.02, 0.02, 0.02, 0.02], [0.015, 0.015, 0.015, 0.015, 0.015],
                 [0.002, 0.002, 0.002, 0.002, 0.002], [0, 0, 0, 0, 0]]}
)");
  const Run exact = run(*system, "riccati", "dop853", 20.03, 1e-11),
            now = run(*system, "riccati", "radau5", 20.03, 1e-4);
  CHECK(now.record.end == host::End::done);
  CHECK(exact.q.back() > 1e-3);  // the bump has begun
  CHECK(distance(now.q, exact.q) < 1e-5);
}

// Newton's matrix knows the motions that time leaves free. With the rotor still at its place of the start the stages
// would be far from them: the iteration failed down to steps of 1e-6 s.
TEST_CASE("the first step of radau5 is long where time drives a rotor") {
  const auto system = system_from_file(POLYFORM_MODELS "/ground_resonance.yaml");
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != "riccati") continue;
    const auto solver = solver_for(*system, *f);
    host::RunSettings settings = run_settings("radau5");
    settings.duration = settings.output_interval = 0.2;
    settings.step = 0.05;
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    CHECK(record.end == host::End::done);
    CHECK(record.rejected_steps == 0);
    CHECK(record.evaluations < 20);
  }
}

TEST_CASE("radau5 moves a beam of 40 modes to its tolerance") {
  const auto system = system_from_file(POLYFORM_MODELS "/stiff_beam.yaml");
  const Run now = run(*system, "riccati", "radau5", 0.05, 1e-6), exact = run(*system, "riccati", "radau5", 0.05, 1e-8);
  CHECK(now.record.end == host::End::done);
  CHECK(distance(now.q, exact.q) < 1e-6);
}

TEST_CASE("a loop with stiff couplings moves alike in every formulation") {
  const auto system = system_from_file(POLYFORM_MODELS "/stiff_loop.yaml");
  const Run one = run(*system, "riccati", "radau5", 0.3, 1e-9);
  REQUIRE(one.record.end == host::End::done);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(std::string(formulation->name()));
    const Run other = run(*system, formulation->name(), "radau5", 0.3, 1e-9);
    CHECK(other.record.end == host::End::done);
    CHECK(distance(other.q, one.q) < 1e-6);
  }
}

TEST_CASE("radau5 moves stiff models with a small part of the evaluations of an explicit method") {
  const auto [model, duration, part] = GENERATE(Catch::Generators::table<std::string, double, std::size_t>(
      {{"vehicle_bushings", 5, 20}, {"stiff_loop", 5, 20}, {"wind_turbine_flexible", 20, 20}}));
  INFO(model);
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
  const Run plain = run(*system, "riccati", "dopri5", duration, 1e-6),
            now = run(*system, "riccati", "radau5", duration, 1e-6);
  CHECK(now.record.end == host::End::done);
  CHECK(distance(now.q, plain.q) < 1e-6);
  CHECK(part * now.record.evaluations < plain.record.evaluations);
}

TEST_CASE("auto does not try full matrices that cost more than the explicit steps so far") {
  const auto system = system_from_file(POLYFORM_MODELS "/vehicle.yaml");
  const Run plain = run(*system, "particles", "dopri5", 1), automatic = run(*system, "particles", "auto", 1);
  CHECK(automatic.record.end == host::End::done);
  CHECK(automatic.record.evaluations < 5 * plain.record.evaluations / 4);
}

TEST_CASE("measure the stiff models", "[.measure]") {
  const auto [model, duration] = GENERATE(Catch::Generators::table<std::string, double>(
      {{"stiff_beam", 0.5}, {"vehicle_bushings", 5}, {"stiff_loop", 5}, {"wind_turbine_flexible", 20}}));
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
  const std::vector<double> exact = run(*system, "riccati", "radau5", duration, 1e-9).q;
  for (const std::string formulation : {"riccati", "cartesian"})
    for (const char* integrator : {"dopri5", "dop853", "radau5", "cvode-bdf", "auto"}) {
      if (formulation == "cartesian" && std::string(integrator) != "radau5") continue;
      const std::clock_t start = std::clock();
      const Run now = run(*system, formulation, integrator, duration, 1e-6);
      fmt::print("{:22} {:10} {:10} {:7} evaluations {:6} steps {:5} rejected {:.3f} s ({:.1e}) {} {}\n", model,
                 formulation, integrator, now.record.evaluations, now.record.steps, now.record.rejected_steps,
                 static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, distance(now.q, exact), now.record.choices,
                 now.record.failure);
      std::fflush(stdout);
    }
}

TEST_CASE("measure the shipped models", "[.measure]") {
  for (const auto& entry : std::filesystem::directory_iterator(POLYFORM_MODELS)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".yaml" || name.find("00") != std::string::npos) continue;
    const auto system = system_from_file(entry.path());
    for (const std::string formulation : {"riccati", "cartesian"}) {
      const Run plain = run(*system, formulation, "dopri5", 0.3);
      if (plain.q.empty()) continue;
      fmt::print("{:28} {:10} dopri5 {}", name, formulation, plain.record.evaluations);
      for (const char* integrator : {"radau5", "auto"}) {
        const Run now = run(*system, formulation, integrator, 0.3);
        fmt::print("  {} {} ({:.0e}){}{}", integrator, now.record.evaluations, distance(now.q, plain.q),
                   now.record.end == host::End::done ? "" : " FAILED: ", now.record.failure.substr(0, 120));
        if (now.record.choices.find("radau5") == 0) fmt::print(" [radau5]");
      }
      fmt::print("\n");
      std::fflush(stdout);
      break;
    }
  }
}
