// Runs on a device, done by the processor, beside those of the host.
#pragma once

#include <fmt/format.h>

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
/// Mechanisms whose loops joints with one degree of freedom close, and the pace that their steps need.
struct Mechanism {
  const char* name;
  double pace;
};
inline const std::vector<Mechanism> closed_mechanisms{
    {"slider_crank", 1}, {"planar_3rrr", 1}, {"andrews", 0.02}, {"ladder_1", 1}};

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

/// What the host makes of the rows of world w.
inline host::RunRecord followed(const host::System& system, Solver& solver, const host::RunSettings& settings,
                                const std::vector<double>& times, const std::vector<double>& found, std::size_t worlds,
                                std::size_t w) {
  std::vector<double> rows(found.size() / worlds);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = found[i * worlds + w];
  host::RunRecord record = host::follow(system, solver, settings, {}, times, rows);
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  return record;
}

/// Puts the start and the numbers of world w among those of all.
inline void put_world(const host::System& system, Solver& solver, std::size_t w, std::size_t worlds,
                      std::vector<double>& starts, std::vector<double>& numbers) {
  std::vector<double> y(solver.state_size() + host::integrals_of(system));
  host::begin_world(system, solver, y);
  const std::vector<double> own = numbers_of_world(solver);
  starts.resize(y.size() * worlds);
  numbers.resize(own.size() * worlds);
  for (std::size_t i = 0; i < y.size(); ++i) starts[i * worlds + w] = y[i];
  for (std::size_t i = 0; i < own.size(); ++i) numbers[i * worlds + w] = own[i];
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
      put_world(*systems[w], *solvers[w], w, worlds, starts, numbers);
      host::RowSink* const sinks[] = {&rows};
      const host::SolverPointer running = solver_for(*systems[w], riccati_for(*systems[w]));
      REQUIRE(host::simulate(*systems[w], *running, settings, sinks, {}).end == host::End::done);
    }
    const std::vector<double>& times = expected[0].times;
    const std::size_t states = solvers[0]->state_size(), row = starts.size() / worlds;
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
      const host::RunRecord record = followed(*systems[w], *solvers[w], settings, times, found, worlds, w);
      CHECK(record.constraint_violation <= 1e-10);
    }
  }
}

/// A bar that swings down and up again, with two wheels: the lower tyre comes by this much below the road where the bar
/// hangs, m, and the other stays 0.4 m above it.
inline std::string swinging_wheels(double depth, double speed, double angle = 0.5) {
  return fmt::format(R"(polyform: 1
bodies:
  - {{name: a, mass: 2, center_of_mass: [0, 0, -0.6], inertia: {{xx: 0.1, yy: 0.1, zz: 0.01}}}}
joints:
  - {{name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0],
     initial: {{position: {2}, velocity: {1}}}}}
forces:
  - {{name: low, type: tyre, wheel: {{body: a, point: [0, 0, -1]}}, axis: [0, 1, 0], radius: 0.1, stiffness: 2e4,
     damping: 10, road_height: {0}}}
  - {{name: high, type: tyre, wheel: {{body: a, point: [0, 0, -0.6]}}, axis: [0, 1, 0], radius: 0.1, stiffness: 2e4,
     road_height: {0}}}
)",
                     -1.1 + depth, speed, angle);
}
/// A block on a tyre, pressed in as its weight does, that begins upwards: it leaves the road from 0.0981 m/s on.
inline std::string block_on_tyre(double speed) {
  return fmt::format(R"(polyform: 1
bodies:
  - {{name: a, position: [0, 0, 0.299019], mass: 10, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{velocity: {0}}}}}
forces:
  - {{name: t, type: tyre, wheel: {{body: a}}, axis: [0, 1, 0], radius: 0.3, stiffness: 1e5}}
)",
                     speed);
}

/// A block over a road or in it, which is pulled away from it.
inline std::string block_over_road(double gap, double speed) {
  return fmt::format(R"(polyform: 1
gravity: [0, 0, 10]
bodies:
  - {{name: a, position: [0, 0, 0.3], mass: 10, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{position: {0}, velocity: {1}}}}}
forces:
  - {{name: t, type: tyre, wheel: {{body: a}}, axis: [0, 1, 0], radius: 0.3, stiffness: 1e6}}
)",
                     gap, speed);
}

/// How many events the host finds in the run, at a tight tolerance.
inline std::size_t events_in(const host::System& system, double duration) {
  host::RunSettings settings = run_settings("dop853");
  settings.duration = settings.output_interval = duration;
  settings.relative_tolerance = settings.absolute_tolerance = 1e-11;
  const host::SolverPointer solver = solver_for(system, riccati_for(system));
  const host::RunRecord record = host::simulate(system, *solver, settings, {}, {});
  REQUIRE(record.end == host::End::done);
  return record.events;
}

/// Worlds after a run whose only row is its end. Their numbers are those of the first.
struct WorldsAtEnd {
  std::vector<unsigned char> marks;
  std::vector<double> states;  ///< number i of world w at i · worlds + w
};
inline WorldsAtEnd run_worlds(std::span<const std::unique_ptr<host::System>> systems, const DeviceFunctions& functions,
                              const std::string& method, double step, double duration) {
  const std::size_t worlds = systems.size();
  std::vector<double> starts, numbers;
  std::vector<host::SolverPointer> solvers;
  for (std::size_t w = 0; w < worlds; ++w) {
    solvers.push_back(solver_for(*systems[w], riccati_for(*systems[w])));
    put_world(*systems[w], *solvers[w], w, worlds, starts, numbers);
  }
  const std::size_t row = starts.size() / worlds;
  std::vector<double> found(row * worlds);
  std::vector<unsigned char> marks(worlds, 7);
  functions.run(method, *solvers[0],
                {worlds, 1, step, duration, 1e-8, 1e-8, &duration, numbers.data(), starts.data(), found.data(),
                 marks.data(), nullptr, nullptr, 0});
  return {marks, found};
}

/// Laws on welded bodies: as in the host, and the thruster's way as it follows from its mass and its force.
/// of: the functions for a model and variants of it.
template <class Functions>
void check_welds(const Functions& of) {
  const auto runs = [&](std::span<const std::string> models) {
    std::vector<std::unique_ptr<host::System>> systems;
    for (const std::string& model : models) systems.push_back(system_from_text(model));
    check_runs(systems, *of(systems));
  };
  const std::string chains[] = {welded_chain(4), welded_chain(-7)}, wheels[] = {welded_wheel(0.29)};
  runs(chains);
  runs(wheels);
  std::vector<std::unique_ptr<host::System>> thrusters;
  for (const double force : {1.0, 3.0}) thrusters.push_back(system_from_text(welded_thruster(force)));
  const auto functions = of(thrusters);
  for (const std::string method : {"rk4", "dopri5"}) {
    const WorldsAtEnd found = run_worlds(thrusters, *functions, method, 0.1, 1);
    CHECK(found.states[0] == Approx(0.25).epsilon(1e-13));
    CHECK(found.states[1] == Approx(0.75).epsilon(1e-13));
  }
}

/// No world in which the host finds an event comes to its end on a device, however long the steps are beside the
/// contact; those that stay clear of events do. make: a world at this speed.
template <class Make>
void check_marks(const DeviceFunctions& functions, const Make& make, std::span<const double> speeds, double step,
                 double duration, bool may_come_near) {
  std::vector<std::unique_ptr<host::System>> systems;
  for (const double speed : speeds) systems.push_back(system_from_text(make(speed)));
  for (const std::string method : {"rk4", "dopri5"}) {
    const std::vector<unsigned char> marks = run_worlds(systems, functions, method, step, duration).marks;
    for (std::size_t w = 0; w < systems.size(); ++w) {
      INFO(method << ", steps of " << step << " s, speed " << speeds[w]);
      const bool has_event = events_in(*systems[w], duration) > 0;
      if (has_event) CHECK(marks[w] == 1);
      if (!has_event && !may_come_near) CHECK(marks[w] == 0);
    }
  }
}

/// Wheels that touch and leave, or do not, between two rows and within one step.
inline void check_touching(double depth, const DeviceFunctions& functions) {
  const std::vector<double> speeds{-3, -2.6, -2.3, -1.9, -1.4, -1.1, -0.7, -0.3, 0, 0.4};
  for (const double step : {0.002, 0.02, 0.05})
    check_marks(
        functions, [&](double speed) { return swinging_wheels(depth, speed); }, speeds, step, 0.9, depth > -0.1);
  // Within the first step, of which nothing was seen before.
  const std::vector<double> fast{-4, -5, -6, -7, -8, -9};
  for (const double step : {0.02, 0.05})
    check_marks(
        functions, [&](double speed) { return swinging_wheels(depth, speed, 0.05); }, fast, step, 0.1, depth > -0.1);
}
/// A tyre that lifts for a few milliseconds, or does not.
inline void check_lifting(const DeviceFunctions& functions) {
  const std::vector<double> lifting{0.0983, 0.0985, 0.099, 0.1, 0.105, 0.12, 0.2}, standing{0.001, 0.01, 0.03, 0.05};
  for (const double step : {0.0005, 0.002, 0.005}) check_marks(functions, block_on_tyre, lifting, step, 0.05, true);
  for (const double step : {0.0005, 0.002}) check_marks(functions, block_on_tyre, standing, step, 0.05, false);
}

/// A wheel on an arm of 1 m about a bearing at a height of 1.15 m: it comes to 5 cm below the road, once in each turn.
inline std::string wheel_on_arm(double speed, double height) {
  return fmt::format(R"(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, position: [0, 0, {1}], mass: 5, inertia: {{xx: 0.5, yy: 1, zz: 0.55}}}}
joints:
  - {{name: j, type: revolute, base: ground, moving: a, position: [0, 0, {1}], axis: [0, 1, 0],
     initial: {{velocity: {0}}}}}
forces:
  - {{name: t, type: tyre, wheel: {{body: a, point: [1, 0, 0]}}, axis: [0, 1, 0], radius: 0.2,
     stiffness: 2e3, damping: 5}}
)",
                     speed, height);
}

/// However long steps are beside a turn, and also where all looks see the wheel at one place: what touches the road is
/// marked. On an arm that is higher by 0.2 m it never does, and looks that are near enough tell so.
inline void check_turning(const DeviceFunctions& functions) {
  constexpr double pi = 3.14159265358979324;
  const auto marks = [&](const std::string& method, double height, double speed, double step) {
    std::vector<std::unique_ptr<host::System>> systems;
    systems.push_back(system_from_text(wheel_on_arm(speed, height)));
    return run_worlds(systems, functions, method, step, 6 * pi / speed).marks[0];
  };
  for (const std::string method : {"rk4", "dopri5"})
    for (const double speed : {3.0, 10.0, 11.7})
      for (const double turn : {0.1, 0.5 * pi, 0.7 * pi, pi, 1.3 * pi, 2 * pi, 4 * pi}) {
        INFO(method << ", " << speed << " rad/s, steps of " << turn << " rad");
        CHECK(marks(method, 1.15, speed, turn / speed) == 1);
        if (turn < 1 && method == "rk4") CHECK(marks(method, 1.35, speed, turn / speed) == 0);
      }
}

/// What a device does not mark ends as in the host, whose steps are shorter where an event comes near: whatever a run
/// begins near, in or on the way to or from, and however long its steps are.
inline void check_beginnings(const DeviceFunctions& functions) {
  std::vector<std::unique_ptr<host::System>> systems;
  for (const double gap : {0.0, 1e-17, 1e-15, 1e-12, 1e-7, 2.7e-4, 2e-3, 0.0208, 0.3})
    for (const double sign : {1, -1})
      for (const double speed : {-0.5, -0.1, -0.06, -0.015, -1e-4, 0.0, 1e-3, 0.05, 0.4}) {
        if (sign < 0 && gap > 2e-3) continue;
        systems.push_back(system_from_text(block_over_road(sign * gap, speed)));
      }
  for (const std::string method : {"rk4", "dopri5"})
    for (const double step : {1e-3, 1e-2, 0.1}) {
      host::RunSettings settings = run_settings(method);
      settings.step = step;
      settings.duration = settings.output_interval = 0.3;
      settings.max_step = settings.duration;
      settings.relative_tolerance = settings.absolute_tolerance = 1e-8;
      const WorldsAtEnd found = run_worlds(systems, functions, method, step, settings.duration);
      const std::size_t worlds = systems.size();
      std::size_t plain = 0;
      for (std::size_t w = 0; w < worlds; ++w) {
        if (found.marks[w] != 0) continue;
        ++plain;
        const host::SolverPointer solver = solver_for(*systems[w], riccati_for(*systems[w]));
        AllStates rows(*solver);
        host::RowSink* const sinks[] = {&rows};
        const host::RunRecord record = host::simulate(*systems[w], *solver, settings, sinks, {});
        REQUIRE(record.end == host::End::done);
        INFO(method << ", steps of " << step << " s, world " << w);
        CHECK(record.events == 0);
        for (std::size_t i = 0; i < 2; ++i)
          CHECK(std::abs(rows.states.back()[i] - found.states[i * worlds + w]) <= 1e-12);
      }
      CHECK(plain >= 5);
    }
}

}  // namespace polyform::test
