// Runs on a device, done by the processor, beside those of the host.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/file_content.hpp"
#include "framework/workbench/devices/followed_run.hpp"
#include "polyform/contract/device_world.hpp"
#include "polyform/solvers/device_worlds.hpp"
#include "tests/compiled/compiled_check.hpp"
#include "tests/lanes/lanes_check.hpp"

namespace polyform::test {

inline const Formulation& riccati_for(const host::System& system) {
  const Formulation* const found = formulation_for(system, "riccati");
  REQUIRE(found != nullptr);
  return *found;
}

/// What a launch on a device calls.
class DeviceFunctions {
 public:
  /// Runs the worlds by the integrator of that name; solver: of one of them, at its start.
  virtual void run(const std::string& method, Solver& solver, const DeviceWorlds&) const = 0;

 protected:
  ~DeviceFunctions() = default;
};

/// Seven joints, with forces of several kinds on joints and bodies.
inline std::unique_ptr<host::System> loaded_arm() {
  return system_from_text(
      host::file_content(model_file("seven_axis_arm")).value_or("") +
      "forces:\n"
      "  - {name: s, type: joint-spring-damper, joint: a4, stiffness: 30, damping: 2, rest: 0.4}\n"
      "  - {name: l, type: spring-damper, a: {body: base, point: [0.1, 0, 0]}, b: {body: fore}, stiffness: 200,\n"
      "     damping: 5}\n"
      "  - {name: p, type: point-force, body: hand, force: [1, 2, 3], axes: body}\n"
      "  - {name: m, type: joint-force, joint: a7, effort: [0.2]}\n"
      "  - {name: d, type: drag, at: {body: hand}, coefficient: 1, area: 0.02, wind: [1, 0, 0]}\n");
}

/// The vehicle, whose front suspensions are closed by balls, without its tyres: it falls, on springs of its own.
inline std::string vehicle_without_tyres() {
  const std::string all = host::file_content(model_file("vehicle")).value_or("");
  const std::size_t tyres = all.find("  - {name: right_front_tyre"), behind = all.find("simulation:");
  REQUIRE(behind > tyres);
  return all.substr(0, tyres) + all.substr(behind);
}
/// Slow enough for its steps: its dampers bring arms to rest in 1e-4 s.
inline constexpr double pace_of_vehicle = 0.02;

/// Keeps y of all rows but the first.
struct AllStates final : host::RowSink {
  explicit AllStates(Solver& of) : solver(of) {}
  void row(double time, const Observation& now) override {
    if (time == 0) return;
    std::vector<double> y(solver.state_size());
    REQUIRE(solver.encode(
                {.q = now.q, .v = now.v, .eta = now.eta, .etadot = now.etadot, .x = now.x, .discrete = now.discrete},
                y) == Status::ok);
    times.push_back(time);
    states.push_back(y);
  }
  Solver& solver;
  std::vector<double> times;
  std::vector<std::vector<double>> states;
};

inline std::vector<double> numbers_of_world(Solver& solver) {
  auto* const world = ask<DeviceWorld>(solver);
  REQUIRE(world != nullptr);
  CHECK(world->obstacle().empty());
  std::vector<double> numbers(world->number_count());
  REQUIRE(world->numbers(numbers) == Status::ok);
  return numbers;
}

/// Runs the systems, a world each, and compares each row with that of a run by the host. Some rows lie within steps.
/// pace: of the motion, in which steps and rows are measured.
inline void check_runs(std::span<const std::unique_ptr<host::System>> systems, const DeviceFunctions& functions,
                       double pace = 1) {
  for (const std::string method : {"rk4", "dopri5"}) {
    host::RunSettings settings = run_settings(method);
    settings.step = pace * 3e-3;
    settings.duration = pace * 0.35;
    settings.output_interval = pace * 0.02;
    const std::size_t worlds = systems.size();
    std::vector<host::SolverPointer> solvers;
    std::vector<AllStates> expected;
    std::vector<double> starts, numbers;
    for (std::size_t w = 0; w < worlds; ++w) {
      solvers.push_back(solver_for(*systems[w], riccati_for(*systems[w])));
      AllStates& rows = expected.emplace_back(*solvers[w]);
      std::vector<double> y(solvers[w]->state_size());
      REQUIRE(solvers[w]->encode(systems[w]->initial_state(), y) == Status::ok);
      const std::vector<double> own = numbers_of_world(*solvers[w]);
      starts.resize(y.size() * worlds);
      numbers.resize(own.size() * worlds);
      for (std::size_t i = 0; i < y.size(); ++i) starts[i * worlds + w] = y[i];
      for (std::size_t i = 0; i < own.size(); ++i) numbers[i * worlds + w] = own[i];
      host::RowSink* const sinks[] = {&rows};
      const host::SolverPointer running = solver_for(*systems[w], riccati_for(*systems[w]));
      REQUIRE(host::simulate(*systems[w], *running, settings, sinks, {}).end == host::End::done);
    }
    const std::vector<double>& times = expected[0].times;
    const std::size_t states = starts.size() / worlds, row = states + host::integrals_of(*systems[0]);
    std::vector<double> found(row * worlds * times.size());
    std::vector<unsigned char> marks(worlds, 7);
    functions.run(method, *solvers[0],
                  {worlds, times.size(), settings.step, settings.max_step, settings.absolute_tolerance,
                   settings.relative_tolerance, times.data(), numbers.data(), starts.data(), found.data(), marks.data(),
                   nullptr, nullptr, 0});
    for (std::size_t w = 0; w < worlds; ++w) {
      CHECK(marks[w] == 0);
      double largest = 0, off = 0;
      for (std::size_t r = 0; r < times.size(); ++r)
        for (std::size_t i = 0; i < states; ++i) {
          const double y = expected[w].states[r][i];
          largest = std::max(largest, std::abs(y));
          off = std::max(off, std::abs(y - found[(r * row + i) * worlds + w]));
        }
      INFO(method << ", world " << w);
      CHECK(off < 1e-12 * largest);
    }
  }
}

}  // namespace polyform::test
