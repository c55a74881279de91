// A heap of spheres in this build, Bullet and MuJoCo, in one run: processor time beside the penetration that each
// leaves. ninja heap_benchmark. Arguments: spheres, seconds, and `dopri5` for a run with error control too.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/registry.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/benchmark/formulation_engine.hpp"
#include "tests/benchmark/heap.hpp"

namespace {

using namespace polyform;
using benchmark::Heap;
using benchmark::HeapRun;

/// Rows of a run, whose own time does not count.
class Rows final : public host::RowSink {
 public:
  Rows(const Heap& heap, double duration) : watch_(heap, duration) {}
  void row(double time, const Observation& now) override {
    const double start = benchmark::processor_time();
    std::vector<Vec3> centres, velocities;
    double turning = 0;
    for (const Observation::Body& b : now.bodies) {
      centres.push_back(b.pose.position);
      velocities.push_back(b.velocity);
      turning += 0.5 * Heap::inertia * dot(b.angular_velocity, b.angular_velocity);
    }
    watch_.see(time, centres, velocities, turning);
    own_ += benchmark::processor_time() - start;
  }
  void finish_run(HeapRun& run) const {
    watch_.finish(run);
    run.seconds -= own_;
  }

 private:
  benchmark::HeapWatch watch_;
  double own_ = 0;
};

HeapRun heap_here(const host::Registry& registry, const Heap& heap, const std::string& model, double duration,
                  double step, const char* integrator, double tolerance) {
  HeapRun run;
  double start = benchmark::processor_time(), read = 0, assemble = 0;
  const auto system = benchmark::assembled(model, registry, read, assemble);
  const Formulation& riccati = *registry.catalog().formulations.at("riccati");
  const host::SolverPointer solver = benchmark::solver_for(*system, riccati);
  run.set_up = benchmark::processor_time() - start;
  host::Diagnostics diagnostics;
  host::RunSettings settings;
  settings.integrator = host::with_options(*registry.catalog().integrators.at(integrator), {}, diagnostics);
  settings.duration = duration;
  settings.step = step;
  settings.output_interval = std::strcmp(integrator, "moreau-jean") == 0 ? step : 1e-3;  // its rows are at steps
  settings.relative_tolerance = tolerance;
  settings.absolute_tolerance = 1e-2 * tolerance;
  Rows rows(heap, duration);
  host::RowSink* const sinks[] = {&rows};
  start = benchmark::processor_time();
  const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
  run.seconds = benchmark::processor_time() - start;
  if (record.end != host::End::done) throw std::runtime_error(record.failure);
  run.steps = record.steps;
  rows.finish_run(run);
  return run;
}

void print(const std::string& name, const HeapRun& run) {
  fmt::print("{:34} {:9.2f} {:8} {:10.2e} {:10.2e} {:9.1e} {:8.4f}\n", name, run.seconds, run.steps, run.deepest,
             run.resting, run.energy_gain, run.height);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  // --write N: the model as a file for the command.
  if (count == 3 && std::strcmp(arguments[1], "--write") == 0) {
    fmt::print(
        "{}simulation: {{duration: 1, integrator: dopri5, tolerance: {{relative: 1.0e-4, absolute: 1.0e-6}}, "
        "output_interval: 0.01}}\n",
        Heap(std::strtoul(arguments[2], nullptr, 10)).yaml(1e7, 0.5, 0));
    return 0;
  }
  const std::size_t spheres = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
  const double duration = count > 2 ? std::strtod(arguments[2], nullptr) : 1;
  const bool with_control = count > 3 && std::strcmp(arguments[3], "dopri5") == 0;
  const Heap heap(spheres);
  fmt::print("{} spheres, {} s; seconds of the processor\n{:34} {:>9} {:>8} {:>10} {:>10} {:>9} {:>8}\n", spheres,
             duration, "", "seconds", "steps", "deepest/r", "resting/r", "gain", "height");
  try {
    const host::Registry registry;
    // An impact lasts as k^(-0.4): nine steps for the fastest ones.
    for (const double k : {1e6, 1e7, 1e8}) {
      const double step = 5e-4 * std::pow(k / 1e7, -0.4);
      print(fmt::format("polyform rk4, k {:.0e}, step {:.1e} s", k, step),
            heap_here(registry, heap, heap.yaml(k, 0.5, 0), duration, step, "rk4", 1e-4));
    }
    for (const double step : {2e-3, 1e-3})
      print(fmt::format("polyform moreau-jean, step {:.1e} s", step),
            heap_here(registry, heap, heap.rigid_yaml(0.5, 0), duration, step, "moreau-jean", 1e-4));
    if (with_control)
      print("polyform dopri5, k 1e+07, 1e-4",
            heap_here(registry, heap, heap.yaml(1e7, 0.5, 0), duration, 1e-4, "dopri5", 1e-4));
#ifdef HEAP_BULLET
    for (const double step : {1e-3, 4e-4})
      print(fmt::format("Bullet, step {:.1e} s", step), benchmark::heap_in_bullet(heap, duration, step, 0.5));
#endif
#ifdef HEAP_MUJOCO
    for (const double step : {2e-3, 5e-4, 2e-4})
      print(fmt::format("MuJoCo, step {:.1e} s", step), benchmark::heap_in_mujoco(heap, duration, step, 4 * step));
#endif
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
