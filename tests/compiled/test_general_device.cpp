// The general code for devices, by tables of the model: compiled for the processor it runs what the compiled models
// run, and gives what the host gives; as PTX it stands in every solver by the recursion.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstddef>

#include "polyform/contract/device_program.hpp"
#include "tests/compiled/device_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

DeviceProgram& program_of(Solver& solver) {
  auto* const program = ask<DeviceProgram>(solver);
  REQUIRE(program != nullptr);
  return *program;
}

/// The functions in this build for the processor.
class GeneralFunctions final : public DeviceFunctions {
 public:
  GeneralFunctions() : library_(::dlopen(GENERAL_DEVICE_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(library_ != nullptr);
  }
  ~GeneralFunctions() { ::dlclose(library_); }
  GeneralFunctions(const GeneralFunctions&) = delete;
  GeneralFunctions& operator=(const GeneralFunctions&) = delete;

  void run(const std::string& method, Solver& solver, const DeviceWorlds& worlds) const override {
    DeviceProgram& program = program_of(solver);
    std::vector<std::byte> tables(program.table_size());
    REQUIRE(program.tables(tables) == Status::ok);
    const std::string own(program.function(method));
    DeviceWorlds in = worlds;
    in.tables = tables.data();
    in.room = program.room(method);
    CHECK((in.room == 0) == (own != "polyform_" + method));
    // What goes into memory of a thread goes into memory that is given, too; what lies beyond a room stays as it is.
    std::vector<double> rooms(in.room * in.worlds + 1, 7);
    in.rooms = rooms.data();
    auto* const function = reinterpret_cast<void (*)(DeviceWorlds)>(::dlsym(library_, own.c_str()));
    REQUIRE(function != nullptr);
    function(in);
    CHECK(rooms.back() == 7);
  }

 private:
  void* library_;
};

}  // namespace

TEST_CASE("the general code runs worlds with numbers of their own as the host does") {
  std::vector<std::unique_ptr<host::System>> systems;
  for (const double mass : {1.0, 1.6, 2.5}) systems.push_back(system_from_text(bars(mass, 0.8)));
  check_runs(systems, GeneralFunctions());
}

TEST_CASE("the general code runs trees as the host does, of any size and with any hinges") {
  const std::string name =
      GENERATE(as<std::string>(), "seven_axis_arm", "triple_spherical_pendulum", "free_body", "spring_damper_pendulum");
  INFO(name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(name)));
  check_runs(systems, GeneralFunctions());
}

TEST_CASE("the general code has the laws of forces") {
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(loaded_arm());
  check_runs(systems, GeneralFunctions());
}

TEST_CASE("the general code has the laws of forces on welded bodies") {
  check_welds([](const auto&) { return std::make_unique<GeneralFunctions>(); });
}

TEST_CASE("the general code closes loops as the host does") {
  const Mechanism of = GENERATE(from_range(closed_mechanisms));
  INFO(of.name);
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_file(model_file(of.name)));
  check_runs(systems, GeneralFunctions(), of.pace);
}

TEST_CASE("the general code closes loops by balls as the host does") {
  std::vector<std::unique_ptr<host::System>> systems;
  systems.push_back(system_from_text(vehicle_without_tyres()));
  check_runs(systems, GeneralFunctions(), pace_of_vehicle);
}

TEST_CASE("the general code goes over no event") {
  for (const double depth : {1e-2, 5e-5, 1e-6, -0.3}) {
    INFO(depth);
    check_touching(depth, GeneralFunctions());
  }
  check_lifting(GeneralFunctions());
  check_turning(GeneralFunctions());
  check_beginnings(GeneralFunctions());
}

TEST_CASE("the general code stands in the solver as PTX that needs nothing else") {
  const auto system = system_from_text(bars(1, 0.8));
  const host::SolverPointer solver = solver_for(*system, riccati_for(*system));
  DeviceProgram& program = program_of(*solver);
  CHECK(program.code("a form of another device").empty());
  CHECK(program.function("dop853").empty());
  const std::string ptx(program.code("ptx"));
  if (!GENERAL_CODE_IS_MADE) {
    CHECK(ptx.empty());
    WARN("clang was not found in the build: it has no general code for devices");
    return;
  }
  for (const std::string method : {"rk4", "dopri5"})
    for (const std::string room : {"", "_512", "_1024", "_2048"})
      CHECK(ptx.find(".visible .entry polyform_" + method + room + "(") != std::string::npos);
  CHECK(ptx.find(".extern") == std::string::npos);
  CHECK(ptx.find("fma.rn.f64") != std::string::npos);
}
