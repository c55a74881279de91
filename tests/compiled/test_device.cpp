// The source of a model, compiled for a device: for the processor it runs and gives what rk4 and the solver give; for a
// graphics processor it becomes PTX wherever clang is installed, without a vendor's headers.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "framework/file_content.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"
#include "framework/workbench/compilation/compiler.hpp"
#include "framework/workbench/compilation/working_folder.hpp"
#include "polyform/contract/device_program.hpp"
#include "polyform/contract/device_world.hpp"
#include "tests/compiled/device_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string device_source(const host::System& system, std::span<Solver* const> variants = {}) {
  const host::SolverPointer solver = solver_for(system, riccati_for(system));
  std::vector<double> y(solver->state_size());
  REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);  // which rows of loops depend on others there
  return host::source_of(*solver, "riccati", {"compiled-test", "a test", variants});
}

/// The function of the source, compiled for the processor.
class OnProcessor final : public DeviceFunctions {
 public:
  explicit OnProcessor(const std::string& source) : folder_(std::filesystem::temp_directory_path()) {
    std::ofstream(folder_.file("model.cpp")) << source;
    const host::ProgramEnd end =
        host::run_program({host::find_compiler().file, "-std=c++20", "-O1", "-shared", "-fPIC", "-w",
                           "-DPOLYFORM_DEVICE", "-I" + host::installed_include_folder().string(),
                           folder_.file("model.cpp").string(), "-o", folder_.file("model.so").string()},
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
  void run(const std::string& method, Solver&, const DeviceWorlds& worlds) const override {
    auto* const function = reinterpret_cast<void (*)(DeviceWorlds)>(::dlsym(library_, ("polyform_" + method).c_str()));
    REQUIRE(function != nullptr);
    function(worlds);
  }

 private:
  host::WorkingFolder folder_;
  void* library_ = nullptr;
};

}  // namespace

TEST_CASE("worlds with numbers of their own run on a device as they do in the host") {
  std::vector<std::unique_ptr<host::System>> systems;
  for (const double mass : {1.0, 1.6, 2.5}) systems.push_back(system_from_text(bars(mass, 0.8)));
  const host::SolverPointer variant = solver_for(*systems[2], riccati_for(*systems[2]));
  Solver* const variants[] = {variant.get()};
  check_runs(systems, OnProcessor(device_source(*systems[0], variants)));
}

TEST_CASE("trees run on a device as they do in the host, with angles and with quaternions") {
  const std::string name = GENERATE(as<std::string>(), "seven_axis_arm", "triple_spherical_pendulum", "free_body");
  INFO(name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(name)));
  check_runs(systems, OnProcessor(device_source(*systems[0])));
}

TEST_CASE("forces whose law is told act on a device as they do in the host") {
  const std::string name = GENERATE(as<std::string>(), "spring_damper_pendulum", "seven_axis_arm");
  INFO(name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(name == "seven_axis_arm" ? loaded_arm() : system_from_file(model_file(name)));
  check_runs(systems, OnProcessor(device_source(*systems[0])));
}

TEST_CASE("laws on welded bodies act on a device in the bodies' own axes") {
  check_welds([](std::span<const std::unique_ptr<host::System>> systems) {
    std::vector<host::SolverPointer> solvers;
    std::vector<Solver*> variants;
    for (const auto& system : systems) {
      solvers.push_back(solver_for(*system, riccati_for(*system)));
      variants.push_back(solvers.back().get());
    }
    return std::make_unique<OnProcessor>(device_source(*systems[0], variants));
  });
}

TEST_CASE("loops stay closed on a device as they do in the host") {
  const Mechanism of = GENERATE(from_range(closed_mechanisms));
  INFO(of.name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(of.name)));
  check_runs(systems, OnProcessor(device_source(*systems[0])), of.pace);
}

TEST_CASE("balls close loops on a device as they do in the host") {
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_text(vehicle_without_tyres()));
  check_runs(systems, OnProcessor(device_source(*systems[0])), pace_of_vehicle);
}

TEST_CASE("loops that stand open in a row of a device are told") {
  const auto system = system_from_file(model_file("slider_crank"));
  const host::SolverPointer solver = solver_for(*system, riccati_for(*system));
  host::RunSettings settings = run_settings("rk4");
  settings.step = settings.output_interval = settings.duration = 1e-3;
  std::vector<double> row(solver->state_size() + host::integrals_of(*system));
  REQUIRE(solver->encode(system->initial_state(), std::span(row).first(solver->state_size())) == Status::ok);
  const auto warnings = [&] {
    std::string all;
    for (const std::string& text : followed(*system, *solver, settings, {1e-3}, row, 1, 0).warnings) all += text;
    return all;
  };
  CHECK(warnings().find("loops stand open") == std::string::npos);
  row[0] += 1e-7;  // a coordinate of the tree, and the loop does not follow
  CHECK(warnings().find("loops stand open by up to ") != std::string::npos);
}

TEST_CASE("a world goes over no event on a device: it is marked, and its own solver does it") {
  // Deeper than a step sees; by less than the contact moves in one; not at all.
  const auto other = system_from_text(swinging_wheels(-0.3, 0));
  const host::SolverPointer variant = solver_for(*other, riccati_for(*other));
  Solver* const variants[] = {variant.get()};
  const OnProcessor functions(device_source(*system_from_text(swinging_wheels(1e-2, 0)), variants));
  for (const double depth : {1e-2, 5e-5, 1e-6, -0.3}) {
    INFO(depth);
    check_touching(depth, functions);
  }
}

TEST_CASE("a tyre that lifts for less than a row is seen on a device") {
  check_lifting(OnProcessor(device_source(*system_from_text(block_on_tyre(0)))));
}

TEST_CASE("a touch is seen on a device at whatever place of a turn its looks are") {
  const auto other = system_from_text(wheel_on_arm(1, 1.35));
  const host::SolverPointer variant = solver_for(*other, riccati_for(*other));
  Solver* const variants[] = {variant.get()};
  check_turning(OnProcessor(device_source(*system_from_text(wheel_on_arm(1, 1.15)), variants)));
}

TEST_CASE("a run on a device that begins near an event is that of the host, or is marked") {
  check_beginnings(OnProcessor(device_source(*system_from_text(block_over_road(0, 0)))));
}

TEST_CASE("what a device does not carry is told by name") {
  const auto reason = [](const host::System& system) {
    const host::SolverPointer solver = solver_for(system, riccati_for(system));
    return std::string(ask<DeviceWorld>(*solver)->obstacle());
  };
  CHECK(reason(*system_from_file(model_file("vehicle"))).empty());
  CHECK(reason(*system_from_file(model_file("vehicle_bushings"))) ==
        "its force joint-spring-damper turns a ball joint back");
  CHECK(reason(*system_from_file(model_file("cable_hoist"))).find("its force ") == 0);
  const auto flexible = system_from_file(model_file("flexible_pendulum"));
  CHECK(reason(*flexible) == "it has flexible bodies");
  const host::SolverPointer solver = solver_for(*flexible, riccati_for(*flexible));
  CHECK(ask<DeviceProgram>(*solver)->function("rk4").empty());
}

TEST_CASE("the source becomes PTX where clang is installed, without a vendor's headers") {
  // A tree becomes one function, nothing of a library; loops are closed by another, which both methods call.
  const std::string name = GENERATE(as<std::string>(), "seven_axis_arm", "andrews", "vehicle");
  const auto system = system_from_file(model_file(name));
  const host::WorkingFolder folder(std::filesystem::temp_directory_path());
  std::ofstream(folder.file("model.cu")) << device_source(*system);
  host::ProgramEnd end{-1, ""};
  for (const char* const clang : {"/usr/bin/clang++", "/usr/bin/clang++-14"})
    if (end.status != 0 && std::filesystem::exists(clang))
      end = host::run_program(
          {clang, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-S", "-O3",
           "-std=c++20", "-DPOLYFORM_DEVICE", "-I" + host::installed_include_folder().string(),
           folder.file("model.cu").string(), "-o", folder.file("model.ptx").string()},
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
