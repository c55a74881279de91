// Rates that are carried across a correction of quaternions' lengths, beside those that are evaluated anew.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/lane_runs.hpp"
#include "lanes_check.hpp"
#include "plugins/integrators/runge_kutta/runge_kutta.hpp"
#include "polyform/contract/batch_integration.hpp"
#include "polyform/contract/corrected_quaternions.hpp"
#include "polyform/contract/noted_corrections.hpp"
#include "polyform/contract/state_energies.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A body that turns without a moment: y = [ω, quaternion], Euler's equations in axes of the body.
class Turning final : public FirstOrderSystem, private CorrectedQuaternions, private NotedCorrections {
 public:
  Turning(double spin, bool tells) : spin_(spin), tells_(tells) {}
  std::size_t size() const noexcept override { return 7; }
  std::size_t integrals() const noexcept override { return 0; }
  Status derivative(double, std::span<const double> y, std::span<double> ydot) noexcept override {
    ++evaluations;
    constexpr double A = 1, B = 2, C = 2.5;
    ydot[0] = (B - C) / A * y[1] * y[2];
    ydot[1] = (C - A) / B * y[2] * y[0];
    ydot[2] = (A - B) / C * y[0] * y[1];
    const double w = y[3], a = y[4], b = y[5], c = y[6];
    ydot[3] = 0.5 * (-a * y[0] - b * y[1] - c * y[2]);
    ydot[4] = 0.5 * (w * y[0] + b * y[2] - c * y[1]);
    ydot[5] = 0.5 * (w * y[1] + c * y[0] - a * y[2]);
    ydot[6] = 0.5 * (w * y[2] + a * y[1] - b * y[0]);
    return Status::ok;
  }
  Status correct(double, std::span<double> y) noexcept override {
    ++corrections;
    const double length = std::sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6]);
    for (std::size_t i = 3; i < 7; ++i) y[i] /= length;
    return Status::ok;
  }
  std::string_view failure() const noexcept override { return {}; }
  void* query(std::string_view asked) noexcept override {
    if (asked == NotedCorrections::interface_name) return takes_notes ? static_cast<NotedCorrections*>(this) : nullptr;
    return tells_ && asked == CorrectedQuaternions::interface_name ? static_cast<CorrectedQuaternions*>(this) : nullptr;
  }
  std::vector<double> start() const { return {spin_, 1, 0.1, 1, 0, 0, 0}; }

  std::size_t evaluations = 0, corrections = 0, noted = 0;
  double largest_residual = 0;
  bool takes_notes = false;

 private:
  void note(double residual) noexcept override {
    ++noted;
    largest_residual = std::max(largest_residual, residual);
  }
  std::span<const std::uint32_t> places() const noexcept override { return first_; }

  double spin_;
  bool tells_;
  std::vector<std::uint32_t> first_{3};
};

class Turnings final : public BatchSystem {
 public:
  Turnings(std::size_t lanes, bool tells) {
    for (std::size_t k = 0; k < lanes; ++k) worlds.emplace_back(1 + 0.3 * static_cast<double>(k), tells);
  }
  std::size_t lanes() const noexcept override { return worlds.size(); }
  FirstOrderSystem& world(std::size_t lane) noexcept override { return worlds[lane]; }
  void derivatives(const BatchInput& in, BatchOutput& out) noexcept override {
    const std::size_t lanes = worlds.size();
    for (std::size_t k = 0; k < lanes; ++k) {
      double y[7], ydot[7];
      for (std::size_t i = 0; i < 7; ++i) y[i] = in.y[i * lanes + k], ydot[i] = NAN;
      if (in.active[k] != 0) worlds[k].derivative(in.t[k], y, ydot);
      for (std::size_t i = 0; i < 7; ++i) out.ydot[i * lanes + k] = ydot[i];
      out.done[k] = in.active[k];
    }
  }

  std::deque<Turning> worlds;
};

struct Way {
  std::vector<double> end, within;  ///< the state there, and just before, within the last step
  std::size_t steps = 0, tries = 0, evaluations = 0;
};

constexpr double duration = 3, just_before = 2.999;

StepSettings steps_to(double tolerance) {
  StepSettings settings;
  settings.step = 0.01;
  settings.relative_tolerance = settings.absolute_tolerance = tolerance;
  return settings;
}

void go(Integrator& integrator, Turning& system, Way& way) {
  REQUIRE(integrator.start(0, system.start()) == Status::ok);
  while (integrator.time() < duration) {
    REQUIRE(integrator.step(duration) == Status::ok);
    ++way.steps;
  }
  way.tries = way.steps + integrator.rejected();
  way.evaluations = system.evaluations;
  way.end.assign(integrator.state().begin(), integrator.state().end());
  way.within.resize(system.size());
  REQUIRE(integrator.previous_time() < just_before);
  REQUIRE(integrator.state_at(just_before, way.within) == Status::ok);
}

Way go_alone(const IntegratorType& type, double spin, bool tells, double tolerance) {
  Turning system(spin, tells);
  struct Ignore final : DiagnosticSink {
    void report(const Diagnostic&) noexcept override {}
  } ignore;
  Integrator* const integrator = type.create(system, steps_to(tolerance), {}, ignore);
  REQUIRE(integrator != nullptr);
  Way way;
  go(*integrator, system, way);
  integrator->destroy();
  return way;
}

double difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Dopri5 in lanes from the start of each world to the end. stepped(k): after each step of a lane. To be destroyed.
template <class Stepped>
BatchIntegrator* through_all_lanes(Turnings& system, const Stepped& stepped) {
  BatchIntegrator* const all = runge_kutta::lane_dopri5().create(system, {});
  REQUIRE(all != nullptr);
  const std::size_t lanes = system.worlds.size();
  const std::vector<double> limits(lanes, duration);
  std::vector<LaneStep> results(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    all->begin_world(k, steps_to(1e-7));
    REQUIRE(all->lane(k).start(0, system.worlds[k].start()) == Status::ok);
  }
  for (bool more = true; more;) {
    all->step(limits, results);
    more = false;
    for (std::size_t k = 0; k < lanes; ++k) {
      if (results[k] == LaneStep::done) {
        REQUIRE(all->lane(k).step(duration) == Status::ok);
        stepped(k);
      }
      more = more || all->lane(k).time() < duration;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the rate that is carried across a correction is the rate there") {
  const double tolerance = GENERATE(1e-4, 1e-9);
  const Way carried = go_alone(runge_kutta::dopri5(), 1.3, true, tolerance),
            anew = go_alone(runge_kutta::dopri5(), 1.3, false, tolerance);
  CHECK(carried.steps == anew.steps);
  CHECK(carried.tries == anew.tries);
  CHECK(difference(carried.end, anew.end) < 1e-13);
  CHECK(difference(carried.within, anew.within) < 1e-13);
  CHECK(carried.evaluations == 6 * carried.tries + 1);
  CHECK(anew.evaluations > carried.evaluations);
}

TEST_CASE("lanes carry rates across corrections as a single world does, whatever the others do") {
  const std::size_t lanes = GENERATE(3u, 8u);
  Turnings system(lanes, true), asks_anew(lanes, false);
  for (Turnings* const of : {&system, &asks_anew}) {
    BatchIntegrator* const all = through_all_lanes(*of, [](std::size_t) {});
    for (std::size_t k = 0; k < lanes; ++k) {
      INFO("lane " << k);
      const double spin = 1 + 0.3 * static_cast<double>(k);
      const Way alone = go_alone(runge_kutta::dopri5(), spin, true, 1e-7);
      CHECK(difference(all->lane(k).state(), alone.end) < 1e-12);
      if (of == &system) CHECK(of->worlds[k].evaluations == alone.evaluations);
    }
    all->destroy();
  }
}

TEST_CASE("lanes correct quaternions themselves where the world takes note, with the same results") {
  const std::size_t lanes = GENERATE(3u, 8u);
  // In the second of them one world among the others is corrected by itself.
  const std::size_t alone = GENERATE(100u, 1u);
  Turnings noting(lanes, true), correcting(lanes, true);
  for (std::size_t k = 0; k < lanes; ++k) noting.worlds[k].takes_notes = k != alone;
  std::vector<std::vector<double>> ends[2];
  std::vector<std::size_t> steps(lanes);
  for (Turnings* const of : {&noting, &correcting}) {
    BatchIntegrator* const all = through_all_lanes(*of, [&](std::size_t k) {
      if (of == &noting) ++steps[k];
    });
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::span<const double> end = all->lane(k).state();
      ends[of == &noting ? 0 : 1].emplace_back(end.begin(), end.end());
    }
    all->destroy();
  }
  for (std::size_t k = 0; k < lanes; ++k) {
    INFO("lane " << k);
    CHECK(difference(ends[0][k], ends[1][k]) < 1e-13);
    CHECK(noting.worlds[k].evaluations == correcting.worlds[k].evaluations);
    CHECK(noting.worlds[k].corrections == (k == alone ? steps[k] : 0));
    CHECK(noting.worlds[k].noted == (k == alone ? 0 : steps[k]));
    // A step of dopri5 changes the length by about its error.
    if (k != alone) CHECK((noting.worlds[k].largest_residual > 0 && noting.worlds[k].largest_residual < 1e-6));
    CHECK(correcting.worlds[k].corrections == steps[k]);
  }
}

TEST_CASE("the correction of a run in lanes is told as that of a single run") {
  const auto system = system_from_file(model_file("triple_spherical_pendulum"));
  const Formulation& formulation = *formulation_for(*system, "riccati");
  const auto single = solver_for(*system, formulation), carrier = solver_for(*system, formulation),
             world = solver_for(*system, formulation);
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = settings.output_interval = 0.5;
  const host::RunRecord alone = host::simulate(*system, *single, settings, {}, {});
  auto* const batch = ask<BatchEvaluation>(*carrier);
  REQUIRE(batch != nullptr);
  host::LaneRuns runs(*batch, system->view(), settings.integrator);
  REQUIRE(runs.begin(0, *system, *world, settings, {}, {}));
  std::optional<host::RunRecord> record;
  while (!(record = runs.take(0))) runs.step();
  CHECK(record->end == host::End::done);
  CHECK(alone.correction.position_residual > 0);
  CHECK(record->correction.position_residual == Approx(alone.correction.position_residual).epsilon(1e-3));
}

TEST_CASE("energies at a state are those of an observation, of welded bodies too") {
  const std::string welded = R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: post, mass: 3, position: [0, 0, 1], center_of_mass: [0.1, 0, 0.2], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: rod, position: [0, 0, 1], mass: 2, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
  - {name: tip, position: [0.6, 0, 1], mass: 1, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
joints:
  - {name: foot, type: fixed, base: ground, moving: post, position: [0, 0, 0]}
  - {name: top, type: revolute, base: post, moving: rod, position: [0, 0, 1], axis: [0, 1, 0], initial: {velocity: 3}}
  - {name: weld, type: fixed, base: rod, moving: tip, position: [0.6, 0, 1]}
)";
  const auto check = [](const host::System& system) {
    const auto solver = solver_for(system, *formulation_for(system, "riccati"));
    auto* const energies = ask<StateEnergies>(*solver);
    REQUIRE(energies != nullptr);
    const std::vector<double> y = moved(system, *solver, 0.2);
    host::ObservationStore store(system.view());
    REQUIRE(solver->observe(0.2, y, store.now()) == Status::ok);
    double kinetic = 0, potential = 0;
    REQUIRE(energies->energies(0.2, y, kinetic, potential) == Status::ok);
    CHECK(kinetic == store.now().kinetic_energy);
    CHECK(potential == store.now().potential_energy);
  };
  check(*system_from_text(welded));
  for (const char* model : {"triple_spherical_pendulum", "double_pendulum", "free_body"}) {
    INFO(model);
    check(*system_from_file(model_file(model)));
  }
  const auto closed = system_from_file(model_file("slider_crank"));
  CHECK(ask<StateEnergies>(*solver_for(*closed, *formulation_for(*closed, "riccati"))) == nullptr);
}

TEST_CASE("scaled quaternions scale their rates and change no other") {
  const std::string model = GENERATE(as<std::string>(), "triple_spherical_pendulum", "free_body", "heavy_top");
  INFO(model);
  const auto system = system_from_file(model_file(model));
  const auto solver = solver_for(*system, *formulation_for(*system, "riccati"));
  auto* const quaternions = ask<CorrectedQuaternions>(*solver);
  REQUIRE(quaternions != nullptr);
  REQUIRE_FALSE(quaternions->places().empty());
  std::vector<double> y = moved(*system, *solver, 0.2), rates(y.size()), scaled_rates(y.size());
  REQUIRE(solver->derivative(0, y, rates) == Status::ok);
  double largest = 0, factor = 1;
  for (const double rate : rates) largest = std::max(largest, std::abs(rate));
  for (const std::size_t q : quaternions->places()) {
    factor += 0.01;
    for (std::size_t i = q; i < q + 4; ++i) {
      y[i] *= factor;
      rates[i] *= factor;
    }
  }
  REQUIRE(solver->derivative(0, y, scaled_rates) == Status::ok);
  CHECK(difference(rates, scaled_rates) < 1e-13 * largest);
  // A correction takes the factors away, and changes nothing else.
  std::vector<double> corrected = y;
  Correction correction;
  REQUIRE(solver->correct(0, corrected, correction) == Status::ok);
  factor = 1;
  for (const std::size_t q : quaternions->places()) {
    factor += 0.01;
    for (std::size_t i = q; i < q + 4; ++i) y[i] /= factor;
  }
  CHECK(difference(corrected, y) < 1e-14);
}

TEST_CASE("a solver does not tell of quaternions where more depends on them, or more is corrected") {
  const std::string model = GENERATE(as<std::string>(), "bricard", "slider_crank", "flexible_pendulum");
  INFO(model);
  const auto system = system_from_file(model_file(model));
  const auto solver = solver_for(*system, *formulation_for(*system, "riccati"));
  CHECK(ask<CorrectedQuaternions>(*solver) == nullptr);
}
