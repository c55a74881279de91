#include "tests/benchmark/headline.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "framework/simulation/run_statistics.hpp"
#include "framework/simulation/simulate.hpp"
#include "tests/benchmark/formulation_engine.hpp"

namespace polyform::benchmark {
namespace {

struct Case {
  std::string title, text;
  double duration;
  int repetitions;  ///< of which the fastest counts
};

/// An output chain, at its end a body that carries two input chains: Rui et al. 2020, Fig. 1. Horizontal, at rest.
std::string branch_system(std::size_t bodies) {
  constexpr std::size_t left = 2, right = 3;
  const std::size_t output = bodies - 1 - left - right;
  const std::string rod =
      "body: {mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08333333333333333, "
      "zz: 0.08333333333333333}}, joint: {type: spherical}, step: [1, 0, 0]";
  return fmt::format(
      "polyform: 1\nname: branch system of {0} bodies\ngravity: [0, -9.81, 0]\n"
      "bodies:\n  - {{name: multi, position: [{1}, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 0.001, "
      "yy: 0.08333333333333333, zz: 0.08333333333333333}}}}\n"
      "joints:\n  - {{name: hang, type: spherical, base: \"output[{2}]\", moving: multi, position: [{1}, 0, 0]}}\n"
      "chains:\n"
      "  - {{name: output, count: {1}, base: ground, start: [0, 0, 0], {3}}}\n"
      "  - {{name: left, count: {4}, base: multi, start: [{1}, 0, -0.5], {3}}}\n"
      "  - {{name: right, count: {5}, base: multi, start: [{1}, 0, 0.5], {3}}}\n",
      bodies, output, output - 1, rod, left, right);
}

Run run(const Case& item, const Formulation& formulation, const host::Registry& registry) {
  using Clock = std::chrono::steady_clock;
  Run result;
  const MemoryCount memory;
  const auto system = assembled(item.text, registry, result.read_seconds, result.assemble_seconds);
  const auto start = Clock::now();
  const host::SolverPointer solver = solver_for(*system, formulation);
  std::vector<double> y(solver->state_size());
  if (solver->encode(system->initial_state(), y) != Status::ok) throw Cannot(std::string(solver->failure()));
  result.compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  host::RunSettings settings;
  settings.integrator = "rk4";
  settings.duration = item.duration;
  settings.output_interval = item.duration;
  for (int i = 0; i < item.repetitions; ++i) {
    host::RunStatistics statistics;
    host::RowSink* const sinks[] = {&statistics};
    host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    if (record.end != host::End::done) throw Cannot(record.failure);
    statistics.store(record);
    result.energy_drift = record.energy_drift;
    if (i > 0 && record.wall_seconds > result.run_seconds) continue;
    result.run_seconds = record.wall_seconds;
    result.seconds_per_evaluation = record.seconds_per_evaluation;
  }
  result.bodies = system->view().bodies.size();
  result.simulated = item.duration;
  result.step = settings.step;
  result.memory = memory.bytes();
  return result;
}

}  // namespace

std::vector<Run> headline_runs(std::span<const Formulation* const> formulations, const host::Registry& registry,
                               const Limits& limits) {
  const Case cases[] = {{"branch system of 500 bodies", content_of(POLYFORM_MODELS "/branch_500.yaml"), 0.05, 5},
                        {"branch system of 33334 bodies, spatial", branch_system(33334), 0.1, 1}};
  std::vector<Run> runs;
  for (const Case& item : cases)
    for (const Formulation* formulation : formulations) {
      const ProcessResult result =
          run_in_process([&] { return nlohmann::json(run(item, *formulation, registry)).dump(); },
                         {10 * limits.seconds, limits.gibibytes});
      Run done;
      if (result.good) {
        done = nlohmann::json::parse(result.text).get<Run>();
      } else {
        done.failure = result.text;
      }
      done.model = item.title;
      done.solver = formulation->name();
      runs.push_back(std::move(done));
    }
  return runs;
}

}  // namespace polyform::benchmark
