// Studies on a device on a machine without clang: by the general code, which comes with the formulation.
#include <catch2/catch.hpp>
#include <string>

#include "framework/file_content.hpp"
#include "tests/devices/device_study.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

TEST_CASE("without clang a study runs on a device by the general code") {
  if (!GENERAL_CODE_IS_MADE) {
    WARN("clang was not found in the build: it has no general code for devices");
    return;
  }
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  const DeviceSetting log("STAND_IN_LOG", shop.path("calls").string());
  for (const std::string integrator : {"rk4", "dopri5"}) {
    INFO(integrator);
    const StudyResult lanes = study_of_bars(shop, "none", integrator, sprung_bars());
    const StudyResult result = study_of_bars(shop, "cuda", integrator, sprung_bars());
    check_same(result, lanes);
    CHECK(result.rows != lanes.rows);  // by other code, to the last bit
    CHECK(count_reasons(result, "") == 0);
    CHECK(result.told["device"]["code"] == "general");
    CHECK_THAT(result.told["device"]["reason"].get<std::string>(), Contains("no-compiler-of-this-name"));
    CHECK(result.said.empty());
    // Some 3 kB for each world, and half of the memory for each process.
    const DeviceSetting memory("STAND_IN_MEMORY", "60000");
    CHECK(study_of_bars(shop, "auto", integrator, sprung_bars()).rows == result.rows);
  }
  CHECK_THAT(shop.read("calls"), Contains("kernel"));
}

TEST_CASE("a large model runs by the general code, with room on the device") {
  if (!GENERAL_CODE_IS_MADE) return;
  const Workshop shop;
  const StandIn driver;
  // Ninety links in a row.
  std::string bodies = "bodies:\n", joints = "joints:\n", before = "ground";
  for (int i = 0; i < 90; ++i) {
    const std::string name = "b" + std::to_string(i);
    const std::string at = "position: [0, 0, " + std::to_string(-0.1 * i) + "]";
    bodies += "  - {name: " + name + ", " + at +
              ", mass: 1, center_of_mass: [0, 0, -0.05],\n"
              "     inertia: {xx: 0.001, yy: 0.001, zz: 0.0001}}\n";
    joints += "  - {name: j" + std::to_string(i) + ", type: revolute, base: " + before + ", moving: " + name + ",\n" +
              "     " + at + ", axis: [" + (i % 2 == 0 ? "0, 1, 0" : "1, 0, 0") + "], initial: {position: 0.1}}\n";
    before = name;
  }
  shop.write("chain.yaml", "polyform: 1\n" + bodies + joints);
  const auto study = [&](const std::string& device) {
    return study_on(shop, device,
                    {"chain.yaml", "--vary", "joints.j0.initial.position=0.1:0.5:6", "--quantity", "end=final(j89.q)",
                     "--integrator", "rk4", "--step", "0.001", "--duration", "0.02"});
  };
  const StudyResult lanes = study("none"), result = study("cuda");
  CHECK(result.told["device"]["code"] == "general");
  CHECK_THAT(result.told["device"]["reason"].get<std::string>(), Contains("more than 160 numbers"));
  REQUIRE(result.rows.size() == lanes.rows.size());
  for (std::size_t i = 0; i < lanes.rows.size(); ++i)
    CHECK(std::stod(result.rows[i][2]) == Approx(std::stod(lanes.rows[i][2])).epsilon(1e-12));
}

TEST_CASE("what the general code marks is done by the solver, which has its own reasons") {
  if (!GENERAL_CODE_IS_MADE) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  // At 1e8 rad/s the angle leaves what sines of a device are right for, and at 1e200 all numbers go.
  const std::string speeds = "1,1e8,1e200";
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", bars(1, 0.8), speeds);
  const StudyResult result = study_of_bars(shop, "cuda", "rk4", bars(1, 0.8), speeds);
  CHECK(result.told["device"]["code"] == "general");
  REQUIRE(result.rows.size() == lanes.rows.size());
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    if (lanes.rows[i][2] != "1") CHECK(result.rows[i] == lanes.rows[i]);
}

TEST_CASE("the vehicle runs on a device on its tyres, and cases with an event are done in lanes") {
  if (!GENERAL_CODE_IS_MADE) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  const DeviceSetting log("STAND_IN_LOG", shop.path("calls").string());
  shop.write("vehicle.yaml", host::file_content(POLYFORM_MODELS "/vehicle.yaml").value_or(""));
  // The front wheel is pressed in as the others are, or comes down by 0.5 mm, which takes 10 ms.
  const auto study = [&](const std::string& device) {
    return study_on(shop, device,
                    {"vehicle.yaml",
                     "--vary",
                     "forces.right_front_tyre.road_height=0.001,-0.0005",
                     "--set",
                     "forces.left_front_tyre.road_height=0.001",
                     "--set",
                     "forces.right_rear_tyre.road_height=0.001",
                     "--set",
                     "forces.left_rear_tyre.road_height=0.001",
                     "--quantity",
                     "end=final(chassis.z)",
                     "--quantity",
                     "roll=final(chassis.wx)",
                     "--integrator",
                     "rk4",
                     "--step",
                     "0.0001",
                     "--duration",
                     "0.03",
                     "--output-interval",
                     "0.005"});
  };
  const StudyResult lanes = study("none"), result = study("cuda");
  CHECK(result.told["device"]["code"] == "general");
  CHECK_THAT(result.told["device"]["events"].get<std::string>(),
             Contains("may come near are done again in lanes: `right_front_tyre` (contact)"));
  CHECK(result.said.find("event") == std::string::npos);
  CHECK_THAT(shop.read("calls"), Contains("kernel"));
  REQUIRE(result.rows.size() == 2);
  REQUIRE(lanes.rows.size() == 2);
  for (std::size_t q = 2; q < 4; ++q) {
    INFO(q);
    // The steps are others where lanes come to an event: the difference is that of the method's error.
    CHECK(std::stod(result.rows[0][q]) == Approx(std::stod(lanes.rows[0][q])).epsilon(1e-7).margin(1e-9));
    CHECK(result.rows[1][q] == lanes.rows[1][q]);
  }
  CHECK(result.rows[0] != lanes.rows[0]);  // by other code
}

TEST_CASE("steps that are too long are told of cases on a device as they are of cases in lanes") {
  if (!GENERAL_CODE_IS_MADE) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  shop.write("pendulum.yaml", R"(polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.06, zz: 0.055}}
  - {name: b, position: [1, 0, 0], mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.06, zz: 0.055}}
joints:
  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: k, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 1, 0]}
forces:
  - {name: s, type: joint-spring-damper, joint: k, stiffness: 10, damping: 0.1}
)");
  struct Steps {
    const char *step, *duration;
    std::size_t told;
  };
  // From rest the first step is off by more than it moves, and the run is not; in 2 s it is.
  const Steps steps = GENERATE(Steps{"0.01", "0.1", 0}, Steps{"0.05", "2", 3});
  INFO(steps.step);
  const auto study = [&](const std::string& device) {
    return study_on(shop, device,
                    {"pendulum.yaml", "--vary", "bodies.b.mass=0.5:2:3", "--quantity", "end=final(k.q)", "--integrator",
                     "rk4", "--step", steps.step, "--duration", steps.duration, "--output-interval", steps.duration});
  };
  const StudyResult lanes = study("none"), result = study("cuda");
  CHECK(result.told["device"]["code"] == "general");
  const auto told = [](const StudyResult& of) {
    const auto says = [](const std::string& cell) { return cell.find("too long") != std::string::npos; };
    return std::ranges::count_if(of.rows, [&](const auto& row) { return std::ranges::any_of(row, says); });
  };
  CHECK(told(lanes) == static_cast<std::ptrdiff_t>(steps.told));
  CHECK(told(result) == told(lanes));
}
