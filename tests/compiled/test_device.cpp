// The source of a model, compiled for a device: for the processor it runs and gives what rk4 and the solver give; for a
// graphics processor it becomes PTX wherever clang is installed, without a vendor's headers.
#include <dlfcn.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "framework/file_content.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"
#include "framework/workbench/compilation/compiler.hpp"
#include "framework/workbench/compilation/working_folder.hpp"
#include "polyform/solvers/compiled_device.hpp"
#include "sdk/recursion/tracing/model_trace.hpp"
#include "tests/compiled/compiled_check.hpp"
#include "tests/lanes/lanes_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const Formulation& riccati_for(const host::System& system) {
  const Formulation* const found = formulation_for(system, "riccati");
  REQUIRE(found != nullptr);
  return *found;
}

std::string device_source(const host::System& system, std::span<Solver* const> variants = {}) {
  const host::SolverPointer solver = solver_for(system, riccati_for(system));
  return host::source_of(*solver, "riccati", {"compiled-test", "a test", variants});
}

/// The function of the source, compiled for the processor.
class OnProcessor {
 public:
  explicit OnProcessor(const std::string& source) : folder_(std::filesystem::temp_directory_path()) {
    std::ofstream(folder_.file("model.cpp")) << source;
    const host::ProgramEnd end = host::run_program(
        {host::find_compiler().file, "-std=c++20", "-O1", "-shared", "-fPIC", "-w", "-DPOLYFORM_DEVICE",
         "-I" + host::installed_include_folder().string(), folder_.file("model.cpp").string(), "-o",
         folder_.file("model.so").string()},
        folder_.file("messages"));
    INFO(end.printed);
    REQUIRE(end.status == 0);
    library_ = ::dlopen(folder_.file("model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library_ != nullptr);
    run_ = reinterpret_cast<void (*)(DeviceWorlds)>(::dlsym(library_, "polyform_run"));
    REQUIRE(run_ != nullptr);
  }
  ~OnProcessor() {
    if (library_ != nullptr) ::dlclose(library_);
  }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;
  void run(const DeviceWorlds& worlds) const { run_(worlds); }

 private:
  host::WorkingFolder folder_;
  void* library_ = nullptr;
  void (*run_)(DeviceWorlds) = nullptr;
};

/// y after a run with rk4 by the host.
std::vector<double> by_rk4(const host::System& system, Solver& solver, double step, std::size_t steps) {
  LastState last;
  host::RunSettings settings = run_settings("rk4");
  settings.step = step;
  settings.duration = settings.output_interval = step * static_cast<double>(steps);
  host::RowSink* const sinks[] = {&last};
  REQUIRE(host::simulate(system, solver, settings, sinks, {}).end == host::End::done);
  std::vector<double> y(solver.state_size());
  REQUIRE(solver.encode(last.state(), y) == Status::ok);
  return y;
}

std::vector<double> numbers_of_world(Solver& solver) {
  const auto* const world = static_cast<const LaneWorld*>(solver.query(LaneWorld::interface_name));
  REQUIRE(world != nullptr);
  return tracing::numbers_of(*world, {});
}

/// Runs the systems, a world each, and compares each with a run by the host.
void check_runs(std::span<const std::unique_ptr<host::System>> systems, const std::string& source) {
  constexpr double step = 1e-3;
  constexpr std::size_t steps = 200;
  const std::size_t worlds = systems.size();
  std::vector<host::SolverPointer> solvers;
  std::vector<double> states, numbers;
  for (std::size_t w = 0; w < worlds; ++w) {
    solvers.push_back(solver_for(*systems[w], riccati_for(*systems[w])));
    std::vector<double> y(solvers[w]->state_size());
    REQUIRE(solvers[w]->encode(systems[w]->initial_state(), y) == Status::ok);
    const std::vector<double> own = numbers_of_world(*solvers[w]);
    states.resize(y.size() * worlds);
    numbers.resize(own.size() * worlds);
    for (std::size_t i = 0; i < y.size(); ++i) states[i * worlds + w] = y[i];
    for (std::size_t i = 0; i < own.size(); ++i) numbers[i * worlds + w] = own[i];
  }
  std::vector<unsigned char> marks(worlds, 7);
  OnProcessor(source).run({worlds, steps, step, numbers.data(), states.data(), marks.data()});
  for (std::size_t w = 0; w < worlds; ++w) {
    CHECK(marks[w] == 0);
    const std::vector<double> expected = by_rk4(*systems[w], *solvers[w], step, steps);
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      off = std::max(off, std::abs(expected[i] - states[i * worlds + w]));
    }
    INFO("world " << w);
    CHECK(off < 1e-12 * largest);
  }
}

}  // namespace

TEST_CASE("worlds with numbers of their own run on a device as they do in the host") {
  std::vector<std::unique_ptr<host::System>> systems;
  for (const double mass : {1.0, 1.6, 2.5}) systems.push_back(system_from_text(bars(mass, 0.8)));
  const host::SolverPointer variant = solver_for(*systems[2], riccati_for(*systems[2]));
  Solver* const variants[] = {variant.get()};
  check_runs(systems, device_source(*systems[0], variants));
}

TEST_CASE("trees run on a device as they do in the host, with angles and with quaternions") {
  const std::string name = GENERATE(as<std::string>(), "seven_axis_arm", "triple_spherical_pendulum", "free_body");
  INFO(name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(name)));
  check_runs(systems, device_source(*systems[0]));
}

TEST_CASE("the source becomes PTX where clang is installed, without a vendor's headers") {
  const auto system = system_from_file(model_file("seven_axis_arm"));
  const host::WorkingFolder folder(std::filesystem::temp_directory_path());
  std::ofstream(folder.file("model.cu")) << device_source(*system);
  host::ProgramEnd end{-1, ""};
  for (const char* const clang : {"/usr/bin/clang++", "/usr/bin/clang++-14"})
    if (end.status != 0 && std::filesystem::exists(clang))
      end = host::run_program({clang, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                               "--cuda-gpu-arch=sm_70", "-S", "-O3", "-std=c++20", "-DPOLYFORM_DEVICE",
                               "-I" + host::installed_include_folder().string(), folder.file("model.cu").string(),
                               "-o", folder.file("model.ptx").string()},
                              folder.file("messages"));
  if (end.status == -1) {
    WARN("clang is not installed: PTX was not made");
    return;
  }
  INFO(end.printed);
  REQUIRE(end.status == 0);
  const std::string ptx = host::file_content(folder.file("model.ptx").string()).value_or("");
  CHECK(ptx.find(".visible .entry polyform_run(") != std::string::npos);
  CHECK(ptx.find("fma.rn.f64") != std::string::npos);
  CHECK(ptx.find("call.uni") == std::string::npos);  // one function, nothing of a library
}
