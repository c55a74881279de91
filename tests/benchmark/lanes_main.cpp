// Evaluations in lanes beside those of the scalar path, in one run: nanoseconds per body and evaluation, through the
// public interface. ninja lane_benchmark; ninja compiled_benchmark for models that are compiled; ninja device_benchmark
// for runs on a device beside both.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/registry.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/host/simulation/lane_runs.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"
#include "polyform/contract/batch_evaluation.hpp"
#include "tests/benchmark/formulation_engine.hpp"
#include "tests/benchmark/lane_device.hpp"
#include "tests/benchmark/lane_study.hpp"
#include "tests/benchmark/model_text.hpp"
#include "tests/benchmark/systems.hpp"

namespace {

using namespace polyform;
using Clock = std::chrono::steady_clock;

/// Of this thread: other programs have no part in it.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The least of several timings of one call, s of the processor.
double least_time(const std::function<void()>& call) {
  double least = 1e9;
  for (int round = 0; round < 15; ++round) {
    std::size_t calls = 1;
    for (;;) {
      const double start = processor_seconds();
      for (std::size_t i = 0; i < calls; ++i) call();
      const double seconds = processor_seconds() - start;
      if (seconds > 0.01) {
        least = std::min(least, seconds / static_cast<double>(calls));
        break;
      }
      calls *= 2;
    }
  }
  return least;
}

/// Worlds of one system in the lanes of a batch, each at a state of its own.
class Ensemble {
 public:
  Ensemble(const host::System& system, const Formulation& formulation)
      : carrier_(benchmark::solver_for(system, formulation)), batch_(ask<BatchEvaluation>(*carrier_)) {
    if (batch_ == nullptr) throw host::Failure(host::Exit::simulation_failed, "it has no lanes");
    const std::size_t lanes = batch_->lanes(), n = batch_->state_size();
    t_.resize(lanes);
    active_.assign(lanes, 1);
    done_.resize(lanes);
    y_.resize(n * lanes);
    ydot_.resize(n * lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      worlds_.push_back(benchmark::solver_for(system, formulation));
      if (batch_->set_world(k, *worlds_[k]) != Status::ok)
        throw host::Failure(host::Exit::simulation_failed, std::string(batch_->failure()));
      const std::vector<double> y = start(system, *worlds_[k]);
      for (std::size_t i = 0; i < n; ++i) y_[i * lanes + k] = y[i];
    }
  }
  std::size_t lanes() const { return batch_->lanes(); }
  void evaluate() {
    BatchOutput out{.ydot = ydot_, .done = done_};
    batch_->evaluate({.t = t_, .y = y_, .active = active_}, out);
  }
  std::size_t single_evaluations() const { return batch_->single_evaluations(); }
  /// One world by its own solver.
  void evaluate_alone(std::size_t lane) {
    for (std::size_t i = 0; i < alone_.size(); ++i) alone_[i] = y_[i * lanes() + lane];
    worlds_[lane]->derivative(0, alone_, rates_);
  }
  void prepare_alone() {
    alone_.resize(batch_->state_size());
    rates_.resize(alone_.size());
  }
  /// The largest difference of both, relative to the largest rate.
  double difference() {
    evaluate();
    double worst = 0;
    for (std::size_t k = 0; k < lanes(); ++k) {
      evaluate_alone(k);
      double largest = 0, off = 0;
      for (std::size_t i = 0; i < rates_.size(); ++i) {
        largest = std::max(largest, std::abs(rates_[i]));
        off = std::max(off, std::abs(rates_[i] - ydot_[i * lanes() + k]));
      }
      worst = std::max(worst, off / std::max(largest, 0.01));  // some are at rest
    }
    return worst;
  }
  /// The largest difference of both in lanes, beside the largest rate.
  double difference_from(Ensemble& other) {
    evaluate();
    other.evaluate();
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < ydot_.size(); ++i) {
      largest = std::max(largest, std::abs(ydot_[i]));
      off = std::max(off, std::abs(ydot_[i] - other.ydot_[i]));
    }
    return off / std::max(largest, 0.01);  // some are at rest
  }

 private:
  static std::vector<double> start(const host::System& system, Solver& solver) {
    std::vector<double> y(solver.state_size());
    if (solver.encode(system.initial_state(), y) != Status::ok)
      throw host::Failure(host::Exit::simulation_failed, std::string(solver.failure()));
    return y;
  }

  host::SolverPointer carrier_;
  BatchEvaluation* batch_;
  std::vector<host::SolverPointer> worlds_;
  std::vector<double> t_, y_, ydot_, alone_, rates_;
  std::vector<std::uint8_t> active_, done_;
};

/// Evaluations of two ensembles in two threads over those of one, in the same time.
double gain_of_two_threads(const host::System& system, const Formulation& formulation) {
  Ensemble first(system, formulation), second(system, formulation);
  constexpr double duration = 0.3;
  const auto count = [&](Ensemble& ensemble) {
    std::size_t evaluations = 0;
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < duration)
      for (int i = 0; i < 50; ++i, ++evaluations) ensemble.evaluate();
    return static_cast<double>(evaluations);
  };
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const double alone = count(first);
    double of_first = 0, of_second = 0;
    std::barrier together(2);
    std::thread other([&] {
      together.arrive_and_wait();
      of_second = count(second);
    });
    together.arrive_and_wait();
    of_first = count(first);
    other.join();
    best = std::max(best, (of_first + of_second) / alone);
  }
  return best;
}

/// A system's solver, compiled (polyform compile).
struct Compiled {
  Compiled(const std::string& title, const host::System& system, const Formulation& from) {
    const host::SolverPointer solver = benchmark::solver_for(system, from);
    std::vector<double> y(solver->state_size());
    solver->encode(system.initial_state(), y);
    const std::string name = host::compiled_name(title);
    plugin = std::make_unique<host::CompiledModelPlugin>(name, host::source_of(*solver, from.name(), {name, title, {}}),
                                                         "benchmark");
  }
  std::unique_ptr<host::CompiledModelPlugin> plugin;
};

void measure_compiled(const std::string& title, const host::System& system, const Formulation& from) {
  const auto bodies = static_cast<double>(system.view().bodies.size());
  const Compiled compiled(title, system, from);
  Ensemble by_tables(system, from), unrolled(system, compiled.plugin->formulation());
  by_tables.prepare_alone();
  unrolled.prepare_alone();
  const double difference = std::max(unrolled.difference(), unrolled.difference_from(by_tables));
  const auto nanoseconds = [&](const std::function<void()>& call, std::size_t lanes) {
    return 1e9 * least_time(call) / bodies / static_cast<double>(lanes);
  };
  const double alone = nanoseconds([&] { by_tables.evaluate_alone(0); }, 1);
  const double lanes = nanoseconds([&] { by_tables.evaluate(); }, by_tables.lanes());
  const double compiled_alone = nanoseconds([&] { unrolled.evaluate_alone(0); }, 1);
  const double compiled_lanes = nanoseconds([&] { unrolled.evaluate(); }, unrolled.lanes());
  fmt::print("{:<24} {:>6} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>6.2f} {:>8.1f} {:>10.1e}\n", title, bodies, alone,
             lanes, compiled_alone, compiled_lanes, lanes / compiled_lanes,
             compiled.plugin->made().kept ? 0.0 : compiled.plugin->made().seconds, difference);
  std::fflush(stdout);
}

void measure(const std::string& title, const host::System& system, const Formulation& formulation) {
  const auto bodies = static_cast<double>(system.view().bodies.size());
  Ensemble ensemble(system, formulation);
  ensemble.prepare_alone();
  const double difference = ensemble.difference();
  const double alone = 1e9 * least_time([&] { ensemble.evaluate_alone(0); }) / bodies;
  const std::size_t before = ensemble.single_evaluations();
  const double all = 1e9 * least_time([&] { ensemble.evaluate(); }) / bodies;
  const double lane = all / static_cast<double>(ensemble.lanes());
  fmt::print("{:<28} {:>6} {:>9.1f} {:>9.1f} {:>6.2f} {:>10.2f} {:>10.1e} {:>6}\n", title, bodies, alone, lane,
             alone / lane, gain_of_two_threads(system, formulation), difference,
             ensemble.single_evaluations() - before);
  std::fflush(stdout);
}

struct NoRows final : host::RowSink {
  void row(double, const Observation&) override {}
};

/// Runs of many variants, alone and in lanes, without what a study adds. Returns the seconds of one run alone.
double measure_runs(const std::string& title, const host::System& system, const Formulation& formulation,
                    const host::RunSettings& settings, std::size_t count) {
  NoRows none;
  host::RowSink* const sinks[] = {&none};
  const host::SolverPointer alone = benchmark::solver_for(system, formulation);
  const host::SolverPointer carrier = benchmark::solver_for(system, formulation);
  host::LaneRuns runs(*ask<BatchEvaluation>(*carrier), system.view(), settings.integrator);
  std::vector<host::SolverPointer> worlds;
  for (std::size_t k = 0; k < runs.lanes(); ++k) worlds.push_back(benchmark::solver_for(system, formulation));
  // In turn, so that a machine that others slow down slows both.
  constexpr std::size_t rounds = 5;
  const std::size_t of_round = count / rounds;
  double one_by_one = 0, together = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const double start = processor_seconds();
    for (std::size_t i = 0; i < of_round; ++i) host::simulate(system, *alone, settings, sinks, {});
    const double between = processor_seconds();
    for (std::size_t next = 0, ended = 0; ended < of_round;) {
      for (std::size_t k = 0; k < runs.lanes(); ++k)
        if (runs.is_free(k) && next < of_round && runs.begin(k, system, *worlds[k], settings, sinks, {})) ++next;
      runs.step();
      for (std::size_t k = 0; k < runs.lanes(); ++k) ended += runs.take(k) ? 1 : 0;
    }
    one_by_one += between - start;
    together += processor_seconds() - between;
  }
  const double each = 1e3 / static_cast<double>(rounds * of_round);
  fmt::print("{:<28} {:>10.3f} ms alone {:>10.3f} ms in lanes {:>6.2f} times\n", title, each * one_by_one,
             each * together, one_by_one / together);
  return 1e-3 * each * one_by_one;
}

const Formulation& named(const host::Registry& registry, std::string_view name) {
  const Formulation* found = host::find(registry.catalog().formulations, name);
  if (found == nullptr) throw host::Failure(host::Exit::plugin, fmt::format("there is no formulation {}", name));
  return *found;
}

/// Runs of one process, and the command's studies.
void measure_drop(const host::Registry& registry, const Formulation& riccati) {
  double reading = 0, assembling = 0;
  const auto system = benchmark::assembled(benchmark::drop_of_ten_rods(), registry, reading, assembling);
  host::RunSettings settings;
  settings.integrator = host::preferred_adaptive_integrator(registry.catalog().integrators);
  settings.duration = settings.output_interval = 1;
  settings.relative_tolerance = settings.absolute_tolerance = 3e-6;
  constexpr std::size_t runs = 1000;
  benchmark::measure_study(runs, measure_runs("drop of ten rods, 1000 runs", *system, riccati, settings, runs));
}

auto shipped(const host::Registry& registry, const std::string& name) {
  double reading = 0, assembling = 0;
  return benchmark::assembled(benchmark::content_of(fmt::format("{}/{}.yaml", POLYFORM_MODELS, name)), registry,
                              reading, assembling);
}

/// Systems that are compiled, beside the lanes that go through tables.
void benchmark_compiled(const host::Registry& registry, const Formulation& riccati) {
  fmt::print("{:<24} {:>6} {:>17} {:>17} {:>6} {:>8} {:>10}\n", "", "", "by tables", "compiled", "", "", "");
  fmt::print("{:<24} {:>6} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>10}\n", "ns per body, evaluation", "bodies", "scalar",
             "lanes", "scalar", "lanes", "ratio", "s", "difference");
  const auto of_mechanism = [&](const std::string& title, const benchmark::Mechanism& mechanism) {
    const benchmark::PolyformModel model(mechanism, registry);
    measure_compiled(title, *model.system, riccati);
  };
  of_mechanism("revolute chain of 7", benchmark::revolute_chain(7));
  of_mechanism("revolute chain of 10", benchmark::revolute_chain(10));
  of_mechanism("revolute chain of 20", benchmark::revolute_chain(20));
  of_mechanism("revolute chain of 40", benchmark::revolute_chain(40));
  of_mechanism("revolute chain of 100", benchmark::revolute_chain(100));
  of_mechanism("ball chain of 10", benchmark::ball_chain(10));
  of_mechanism("binary tree of 15", benchmark::binary_tree(15));
  of_mechanism("ladder of 10 four-bars", benchmark::ladder(21));
  for (const char* name : {"seven_axis_arm", "double_pendulum", "vehicle", "andrews", "planar_3rrr", "slider_crank"})
    measure_compiled(name, *shipped(registry, name), riccati);
}

/// The scalar path, lanes, and a device by the general code and by that of the model.
void benchmark_devices(const host::Registry& registry, const Formulation& riccati) {
  const std::vector<host::DeviceFinding> found = host::look_for_devices(registry.catalog());
  std::string why;
  const host::FoundDevice* const device = host::choose_device(found, host::any_device, why);
  fmt::print("device: {}\n", device != nullptr ? device->name : "none: " + why);
  fmt::print("{:<24} {:>6} {:>17} {:>19} {:>19}\n", "", "", "one core", "device, general", "device, compiled");
  fmt::print("{:<24} {:>6} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "M bodies evaluated per s", "bodies", "scalar",
             "lanes", "all", "busy", "all", "busy");
  const auto line = [&](const std::string& title, const host::System& system) {
    const auto bodies = static_cast<double>(system.view().bodies.size());
    Ensemble ensemble(system, riccati);
    ensemble.prepare_alone();
    const double alone = bodies / least_time([&] { ensemble.evaluate_alone(0); });
    const double lanes = bodies * static_cast<double>(ensemble.lanes()) / least_time([&] { ensemble.evaluate(); });
    fmt::print("{:<24} {:>6} {:>8.1f} {:>8.1f}", title, bodies, 1e-6 * alone, 1e-6 * lanes);
    for (const bool general : {true, false}) {
      const benchmark::DeviceRate rate = device != nullptr
                                             ? benchmark::device_rate(title, system, riccati, *device, general)
                                             : benchmark::DeviceRate{0, 0, "-"};
      if (rate.reason.empty())
        fmt::print(" {:>9.1f} {:>9.1f}", 1e-6 * rate.all, 1e-6 * rate.busy);
      else
        fmt::print(" {:>19}", rate.reason);
    }
    fmt::print("\n");
    std::fflush(stdout);
  };
  for (const int bodies : {7, 10, 30}) {
    const benchmark::PolyformModel model(benchmark::revolute_chain(bodies), registry);
    line(fmt::format("revolute chain of {}", bodies), *model.system);
  }
  for (const char* name : {"seven_axis_arm", "double_pendulum", "vehicle", "andrews", "planar_3rrr", "slider_crank"})
    line(name, *shipped(registry, name));
}

void benchmark_model(const host::Registry& registry, const Formulation& riccati, const std::string& name) {
  const auto system = shipped(registry, name);
  measure(name, *system, riccati);
  host::RunSettings settings;
  settings.integrator = host::preferred_adaptive_integrator(registry.catalog().integrators);
  settings.duration = settings.output_interval = 1;
  measure_runs(name, *system, riccati, settings, 200);
}

/// only: --compiled, --devices, --drop or the name of a shipped model for that part alone; empty for all of the lanes
/// by tables.
int benchmark_lanes(const std::string& only) {
  const host::Registry registry;
  const Formulation& riccati = named(registry, "riccati");
  using Part = void (*)(const host::Registry&, const Formulation&);
  const std::pair<std::string_view, Part> parts[] = {
      {"--compiled", benchmark_compiled}, {"--devices", benchmark_devices}, {"--drop", measure_drop}};
  for (const auto& [name, measure_part] : parts)
    if (only == name) {
      measure_part(registry, riccati);
      return 0;
    }
  fmt::print("{:<28} {:>6} {:>9} {:>9} {:>6} {:>10} {:>10} {:>6}\n", "ns per body and evaluation", "bodies", "scalar",
             "lanes", "ratio", "2 threads", "difference", "single");
  if (!only.empty()) {
    benchmark_model(registry, riccati, only);
    return 0;
  }
  const auto of_mechanism = [&](const std::string& title, const benchmark::Mechanism& mechanism) {
    const benchmark::PolyformModel model(mechanism, registry);
    measure(title, *model.system, riccati);
  };
  of_mechanism("ball chain", benchmark::ball_chain(10));
  of_mechanism("revolute chain", benchmark::revolute_chain(10));
  of_mechanism("revolute chain", benchmark::revolute_chain(7));
  of_mechanism("binary tree", benchmark::binary_tree(15));
  of_mechanism("ladder of 10 four-bars", benchmark::ladder(21));
  for (const char* name : {"double_pendulum", "vehicle", "andrews", "planar_3rrr", "slider_crank", "flexible_pendulum",
                           "four_link_flexible", "modal_frame"})
    benchmark_model(registry, riccati, name);
  measure_drop(registry, riccati);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return benchmark_lanes(count > 1 ? arguments[1] : "");
  } catch (const polyform::host::Failure& failure) {
    fmt::print(stderr, "{}\n", failure.message());
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
  }
  return 1;
}
