// Runs in lanes are those of single runs, whatever else is in the lanes.
#include <cmath>
#include <memory>

#include "framework/host/simulation/lane_runs.hpp"
#include "lanes_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A run of a world with a tolerance and an end of its own.
struct World {
  World(const host::System& of, const Formulation& formulation, const host::RunSettings& given)
      : system(of), solver(solver_for(of, formulation)), settings(given) {}
  const host::System& system;
  host::SolverPointer solver;
  host::RunSettings settings;
  LastState last;
  host::RowSink* const sinks[1] = {&last};
  host::RunRecord record;
};

host::RunSettings settings_of(std::size_t k, std::string_view integrator) {
  host::RunSettings settings = run_settings(integrator);
  settings.duration = 0.2 + 0.01 * static_cast<double>(k);
  settings.output_interval = 0.033;
  settings.step = 1e-3;
  settings.relative_tolerance = 1e-8 * static_cast<double>(1 + k % 3);
  return settings;
}

/// Runs so many worlds, as many at a time as there are lanes in use.
std::vector<std::unique_ptr<World>> run(const host::System& system, const Formulation& formulation,
                                        std::string_view integrator, std::size_t count, std::size_t at_once) {
  const host::SolverPointer carrier = solver_for(system, formulation);
  auto* const batch = ask<BatchEvaluation>(*carrier);
  REQUIRE(batch != nullptr);
  host::LaneRuns runs(*batch, system.view(), run_settings(integrator).integrator);
  std::vector<std::unique_ptr<World>> worlds;
  std::vector<World*> in_lane(runs.lanes());
  for (std::size_t next = 0, ended = 0; ended < count;) {
    for (std::size_t k = 0; k < at_once; ++k) {
      if (!runs.is_free(k) || next == count) continue;
      worlds.push_back(std::make_unique<World>(system, formulation, settings_of(next++, integrator)));
      World& world = *worlds.back();
      in_lane[k] = &world;
      REQUIRE(runs.begin(k, system, *world.solver, world.settings, world.sinks, {}));
    }
    runs.step();
    for (std::size_t k = 0; k < at_once; ++k)
      if (auto record = runs.take(k)) {
        in_lane[k]->record = std::move(*record);
        ++ended;
      }
  }
  return worlds;
}

double difference(const LastState& a, const LastState& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  for (std::size_t i = 0; i < a.v.size(); ++i) largest = std::max(largest, std::abs(a.v[i] - b.v[i]));
  return largest;
}

}  // namespace

TEST_CASE("a run in a lane is the run alone, to rounding") {
  const auto [model, integrator] =
      GENERATE(Catch::Generators::table<std::string, std::string>({{"double_pendulum", "dopri5"},
                                                                   {"double_pendulum", "rk4"},
                                                                   {"triple_spherical_pendulum", "dopri5"},
                                                                   {"spring_damper_pendulum", "dopri5"},
                                                                   {"slider_crank", "dopri5"},
                                                                   {"planar_3rrr", "rk4"},
                                                                   {"vehicle", "dopri5"}}));
  INFO(model << " " << integrator);
  const auto system = system_from_file(model_file(model));
  const Formulation& riccati = *formulation_for(*system, "riccati");
  for (const auto& world : run(*system, riccati, integrator, 11, 8)) {
    INFO(world->record.failure);
    REQUIRE(world->record.end == host::End::done);
    World alone(*system, riccati, world->settings);
    const host::RunRecord record = host::simulate(*system, *alone.solver, alone.settings, alone.sinks, {});
    CHECK(record.steps == world->record.steps);
    CHECK(record.rejected_steps == world->record.rejected_steps);
    CHECK(record.rows == world->record.rows);
    CHECK(difference(alone.last, world->last) < 1e-9);
  }
}

TEST_CASE("what a run gives does not depend on what is in the other lanes, to the last bit") {
  const std::string model = GENERATE(as<std::string>(), "triple_spherical_pendulum", "slider_crank", "vehicle");
  INFO(model);
  const auto system = system_from_file(model_file(model));
  const Formulation& riccati = *formulation_for(*system, "riccati");
  const auto together = run(*system, riccati, "dopri5", 11, 8), by_three = run(*system, riccati, "dopri5", 11, 3),
             alone = run(*system, riccati, "dopri5", 11, 1);
  for (std::size_t k = 0; k < together.size(); ++k) {
    CHECK(difference(together[k]->last, by_three[k]->last) == 0);
    CHECK(difference(together[k]->last, alone[k]->last) == 0);
  }
}
