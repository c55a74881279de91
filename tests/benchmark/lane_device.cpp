#include "tests/benchmark/lane_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"
#include "framework/workbench/compilation/device_code.hpp"
#include "framework/workbench/devices/device_runs.hpp"
#include "framework/workbench/devices/followed_run.hpp"
#include "polyform/contract/device_program.hpp"
#include "polyform/contract/device_world.hpp"
#include "tests/benchmark/formulation_engine.hpp"

namespace polyform::benchmark {

namespace {

constexpr std::size_t worlds = 1 << 18, steps = 200;

DeviceRate rate_of(const std::string& title, const host::System& system, const Formulation& formulation,
                   const host::FoundDevice& device, bool general) {
  const host::SolverPointer solver = solver_for(system, formulation);
  std::vector<double> start(solver->state_size() + host::integrals_of(system));
  host::begin_world(system, *solver, start);
  auto* const world = ask<DeviceWorld>(*solver);
  if (world == nullptr) return {0, 0, "the formulation does not run on devices"};
  if (!world->obstacle().empty()) return {0, 0, std::string(world->obstacle())};
  std::vector<double> numbers(world->number_count());
  world->numbers(numbers);

  std::string code, function = "polyform_rk4";
  std::vector<std::byte> tables;
  std::size_t room = 0;
  if (general) {
    auto* const program = ask<DeviceProgram>(*solver);
    code = program != nullptr ? program->code(device.type->code()) : std::string_view();
    if (code.empty()) return {0, 0, "the build has no general code"};
    function = program->function("rk4");
    room = program->room("rk4");
    tables.resize(program->table_size());
    program->tables(tables);
  } else {
    const std::string name = host::compiled_name(title);
    code = host::compile_device_code(name, host::source_of(*solver, formulation.name(), {name, title, {}}), "benchmark")
               .text;
  }
  constexpr double step = 1e-5;
  const double times[] = {steps * step};
  host::DeviceRuns runs(device, code);
  const host::DeviceRequest request{
      function,       {.step = step, .max_step = step}, times, worlds, solver->state_size(),
      numbers.size(), host::integrals_of(system),       1,     tables, room};
  const host::DeviceWorldInput input{[&](std::size_t, std::span<double> of_one, std::span<double> begin) {
                                       std::ranges::copy(numbers, of_one.begin());
                                       std::ranges::copy(start, begin.begin());
                                     },
                                     [](std::size_t, bool, std::span<const double>) { return true; }};
  runs.run(request, input);  // the device wakes, and loads the code
  const double before = runs.busy_seconds();
  const auto began = std::chrono::steady_clock::now();
  runs.run(request, input);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const double evaluations = 4.0 * steps * worlds * static_cast<double>(system.view().bodies.size());
  return {evaluations / seconds, evaluations / (runs.busy_seconds() - before), ""};
}

}  // namespace

DeviceRate device_rate(const std::string& title, const host::System& system, const Formulation& formulation,
                       const host::FoundDevice& device, bool general) {
  try {
    return rate_of(title, system, formulation, device, general);
  } catch (const host::Failure& why) {
    return {0, 0, why.message()};
  }
}

}  // namespace polyform::benchmark
