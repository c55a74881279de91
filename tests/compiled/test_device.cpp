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
#include "framework/workbench/devices/followed_run.hpp"
#include "framework/workbench/compilation/compiler.hpp"
#include "framework/workbench/compilation/working_folder.hpp"
#include "polyform/contract/device_world.hpp"
#include "polyform/solvers/device_worlds.hpp"
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
  std::vector<double> y(solver->state_size());
  REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);  // which rows of loops depend on others there
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
  }
  ~OnProcessor() {
    if (library_ != nullptr) ::dlclose(library_);
  }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;
  void run(const std::string& method, const DeviceWorlds& worlds) const {
    auto* const function = reinterpret_cast<void (*)(DeviceWorlds)>(::dlsym(library_, ("polyform_" + method).c_str()));
    REQUIRE(function != nullptr);
    function(worlds);
  }

 private:
  host::WorkingFolder folder_;
  void* library_ = nullptr;
};

/// Keeps y of all rows but the first.
struct AllStates final : host::RowSink {
  explicit AllStates(Solver& of) : solver(of) {}
  void row(double time, const Observation& now) override {
    if (time == 0) return;
    std::vector<double> y(solver.state_size());
    REQUIRE(solver.encode({.q = now.q, .v = now.v, .eta = now.eta, .etadot = now.etadot, .x = now.x,
                           .discrete = now.discrete}, y) == Status::ok);
    times.push_back(time);
    states.push_back(y);
  }
  Solver& solver;
  std::vector<double> times;
  std::vector<std::vector<double>> states;
};

std::vector<double> numbers_of_world(Solver& solver) {
  auto* const world = ask<DeviceWorld>(solver);
  REQUIRE(world != nullptr);
  CHECK(world->obstacle().empty());
  std::vector<double> numbers(world->number_count());
  REQUIRE(world->numbers(numbers) == Status::ok);
  return numbers;
}

/// Runs the systems, a world each, and compares each row with that of a run by the host. Some rows lie within steps.
/// pace: of the motion, in which steps and rows are measured.
void check_runs(std::span<const std::unique_ptr<host::System>> systems, const std::string& source, double pace = 1) {
  const OnProcessor processor(source);
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
    processor.run(method, {worlds, times.size(), settings.step, settings.max_step, settings.absolute_tolerance,
                           settings.relative_tolerance, times.data(), numbers.data(), starts.data(), found.data(),
                           marks.data()});
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

TEST_CASE("forces whose law is told act on a device as they do in the host") {
  const std::string name = GENERATE(as<std::string>(), "spring_damper_pendulum", "seven_axis_arm");
  INFO(name);
  std::vector<std::unique_ptr<host::System>> systems;
  if (name == "seven_axis_arm") {
    std::string text = host::file_content(model_file(name)).value_or("");
    text += "forces:\n"
            "  - {name: s, type: joint-spring-damper, joint: a4, stiffness: 30, damping: 2, rest: 0.4}\n"
            "  - {name: l, type: spring-damper, a: {body: base, point: [0.1, 0, 0]}, b: {body: fore}, stiffness: 200,\n"
            "     damping: 5}\n"
            "  - {name: p, type: point-force, body: hand, force: [1, 2, 3], axes: body}\n"
            "  - {name: m, type: joint-force, joint: a7, effort: [0.2]}\n"
            "  - {name: d, type: drag, at: {body: hand}, coefficient: 1, area: 0.02, wind: [1, 0, 0]}\n";
    systems.push_back(system_from_text(text));
  } else {
    systems.push_back(system_from_file(model_file(name)));
  }
  check_runs(systems, device_source(*systems[0]));
}

TEST_CASE("loops stay closed on a device as they do in the host") {
  struct Mechanism {
    const char* name;
    double pace;
  };
  const Mechanism of = GENERATE(Mechanism{"slider_crank", 1}, Mechanism{"planar_3rrr", 1}, Mechanism{"andrews", 0.02},
                                Mechanism{"ladder_1", 1});
  INFO(of.name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(of.name)));
  check_runs(systems, device_source(*systems[0]), of.pace);
}

TEST_CASE("what a device does not carry is told by name") {
  const auto reason = [](const host::System& system) {
    const host::SolverPointer solver = solver_for(system, riccati_for(system));
    return std::string(ask<DeviceWorld>(*solver)->obstacle());
  };
  CHECK(reason(*system_from_file(model_file("vehicle"))) ==
        "joint right_front_upper_ball closes a loop, and has several directions or is code");
  CHECK(reason(*system_from_file(model_file("cable_hoist"))).find("its force ") == 0);
}

TEST_CASE("the source becomes PTX where clang is installed, without a vendor's headers") {
  // A tree becomes one function, nothing of a library; loops are closed by another, which both methods call.
  const std::string name = GENERATE(as<std::string>(), "seven_axis_arm", "andrews");
  const auto system = system_from_file(model_file(name));
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
  CHECK(ptx.find(".visible .entry polyform_rk4(") != std::string::npos);
  CHECK(ptx.find(".visible .entry polyform_dopri5(") != std::string::npos);
  CHECK(ptx.find("fma.rn.f64") != std::string::npos);
  CHECK(ptx.find(".extern .func") == std::string::npos);
  if (name == "seven_axis_arm") CHECK(ptx.find("call.uni") == std::string::npos);
}
