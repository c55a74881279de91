// Studies on a device, with a library in the place of the driver (stand_in/driver.cpp): what they give, what is
// planned, and what becomes of a study where anything of the device fails.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/workbench/devices/device_runs.hpp"
#include "tests/devices/device_study.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

TEST_CASE("chunks are planned by the memory that is free and by the worlds that there are") {
  constexpr std::uint64_t gigabyte = 1'000'000'000;
  CHECK(host::worlds_per_chunk(100, 1000, gigabyte) == 100);
  CHECK(host::worlds_per_chunk(1'000'000, 1000, gigabyte) == 400'000);  // half of four fifths
  CHECK(host::worlds_per_chunk(10'000, 1000, gigabyte) == 5'000);       // the rows of one half come during the other
  CHECK(host::worlds_per_chunk(10, 1'000'000'000, gigabyte) == 0);
}

TEST_CASE("a study on a device gives what lanes give, whatever the number of chunks") {
  if (!has_clang()) return;
  const std::string integrator = GENERATE(as<std::string>(), "rk4", "dopri5");
  INFO(integrator);
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting log("STAND_IN_LOG", shop.path("calls").string());
  const StudyResult lanes = study_of_bars(shop, "none", integrator, bars(1, 0.8));
  CHECK(shop.read("calls").empty());
  const StudyResult whole = study_of_bars(shop, "cuda", integrator, bars(1, 0.8));
  check_same(whole, lanes);
  CHECK(whole.told["device"]["name"] == "Stand-in");
  CHECK(count_reasons(whole, "") == 0);
  CHECK_THAT(shop.read("calls"), Contains("kernel"));

  // Some 1.5 kB for each world, and half of the memory for each process: three at a time, in two queues.
  const DeviceSetting memory("STAND_IN_MEMORY", "24000");
  const StudyResult chunks = study_of_bars(shop, "auto", integrator, bars(1, 0.8));
  CHECK(chunks.rows == whole.rows);
  const std::string calls = shop.read("calls");
  std::size_t launches = 0;
  for (std::size_t at = calls.find("cuLaunch"); at != std::string::npos; at = calls.find("cuLaunch", at + 1))
    ++launches;
  CHECK(launches > 6);
}

TEST_CASE("forces act in a study on a device") {
  if (!has_clang()) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting log("STAND_IN_LOG", shop.path("calls").string());
  for (const std::string integrator : {"rk4", "dopri5"}) {
    INFO(integrator);
    const StudyResult lanes = study_of_bars(shop, "none", integrator, sprung_bars());
    const StudyResult result = study_of_bars(shop, "cuda", integrator, sprung_bars());
    check_same(result, lanes);
    CHECK(result.rows != lanes.rows);  // by other code, to the last bit
  }
  CHECK_THAT(shop.read("calls"), Contains("kernel"));
}

TEST_CASE("where a device fails, its cases are done in lanes and say so") {
  if (!has_clang()) return;
  const Workshop shop;
  const StandIn driver;
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", bars(1, 0.8));
  struct Trouble {
    const char *fail, *says;
  };
  const Trouble trouble = GENERATE(
      Trouble{"cuCtxCreate_v2 2 1", "done without the device: Stand-in cannot be opened: out of memory (error 2)"},
      Trouble{"cuStreamCreate 999 1", "has no queue"}, Trouble{"cuEventCreate 999 1", "has no clock"},
      Trouble{"cuCtxSetCurrent 201 1", "cannot be reached"},
      Trouble{"cuModuleLoadDataEx 218 1", "refuses the code: stand-in error 218"},
      Trouble{"cuModuleGetFunction 500 1", "does not find the function"},
      Trouble{"cuMemGetInfo_v2 999 1", "does not tell its memory"},
      Trouble{"cuMemAlloc_v2 2 1", "has no memory to spare: out of memory (error 2)"},
      Trouble{"cuMemAllocHost_v2 2 1", "has no memory of the host to spare"},
      Trouble{"cuMemcpyHtoDAsync_v2 1 2", "cannot be copied to"},
      Trouble{"cuLaunchKernel 701 1", "cannot run the code"},
      Trouble{"cuMemcpyDtoHAsync_v2 1 1", "cannot be copied from"},
      Trouble{"kernel 719 1", "did not come to the end of its work: stand-in error 719"},
      Trouble{"cuStreamSynchronize 700 2", "did not come to the end of its work"});
  INFO(trouble.fail);
  const DeviceSetting fail("STAND_IN_FAIL", trouble.fail);
  const StudyResult result = study_of_bars(shop, "auto", "rk4", bars(1, 0.8));
  check_same(result, lanes);
  CHECK(count_reasons(result, "warning: done without the device") == result.rows.size());
  CHECK(count_reasons(result, trouble.says) == result.rows.size());
}

TEST_CASE("a device that is lost on the way keeps what it has given, and the rest goes on in lanes") {
  if (!has_clang()) return;
  const Workshop shop;
  const StandIn driver;
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", bars(1, 0.8));
  const DeviceSetting memory("STAND_IN_MEMORY", "24000"), fail("STAND_IN_FAIL", "kernel 719 4");
  const StudyResult result = study_of_bars(shop, "auto", "rk4", bars(1, 0.8));
  check_same(result, lanes);
  const std::size_t without = count_reasons(result, "stand-in error 719");
  CHECK(without > 0);
  CHECK(without < result.rows.size());
}

TEST_CASE("memory that is short makes smaller chunks, and none at all a reason") {
  if (!has_clang()) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting memory("STAND_IN_MEMORY", "3000");
  const StudyResult result = study_of_bars(shop, "cuda", "rk4", bars(1, 0.8));
  CHECK(count_reasons(result, "Stand-in has 0.003 MB free") == result.rows.size());
}

TEST_CASE("what a device marks is done by the solver, which has its own reasons") {
  if (!has_clang()) return;
  const Workshop shop;
  const StandIn driver;
  // At 1e8 rad/s the angle leaves what sines of a device are right for, and at 1e200 all numbers go.
  const std::string speeds = "1,1e8,1e200";
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", bars(1, 0.8), speeds);
  const StudyResult result = study_of_bars(shop, "cuda", "rk4", bars(1, 0.8), speeds);
  REQUIRE(result.rows.size() == lanes.rows.size());
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    if (lanes.rows[i][2] != "1") CHECK(result.rows[i] == lanes.rows[i]);
}

TEST_CASE("what a device does not carry is said once, and done in lanes") {
  const Workshop shop;
  const StandIn driver;
  const std::string driven =
      bars(1, 0.8) +
      "forces: [{name: s, type: joint-force, joint: k, effort: [{ramp: {rate: 1, start: 0, end: 1}}]}]\n";
  const StudyResult result = study_of_bars(shop, "cuda", "rk4", driven);
  CHECK_THAT(result.said, Contains("the cases go on without a device: the model does not run on a device: its force "
                                   "joint-force depends on time"));
  CHECK(result.told["device"]["reason"] == "the model does not run on a device: its force joint-force depends on time");
  if (has_clang()) {
    const StudyResult other = study_of_bars(shop, "cuda", "dop853", bars(1, 0.8));
    CHECK_THAT(other.said, Contains("the cases go on without a device"));
  }
  const Outcome wrong = shop.run({"study", "bars.yaml", "--vary", "bodies.b.mass=1:3:8", "--device", "moon"});
  CHECK(wrong.code == 2);
  CHECK_THAT(in_one_line(wrong.err), Contains("there is no device moon") && Contains("cuda (Stand-in)"));
  const Outcome nameless = shop.run({"study", "bars.yaml", "--vary", "bodies.b.mass=1:3:8", "--device", ""});
  CHECK(nameless.code == 2);
  CHECK_THAT(in_one_line(nameless.err), Contains("a device has a name"));
  const Outcome apart =
      shop.run({"study", "bars.yaml", "--vary", "bodies.b.mass=1:3:8", "--device", "auto", "--isolate"});
  CHECK(apart.code == 2);
}

TEST_CASE("without a device, auto takes the lanes without a word and records why") {
  const Workshop shop;
  shop.write("libcuda.so.1", "");  // found before any other, and no library
  const DeviceSetting nowhere("LD_LIBRARY_PATH", shop.path("").string());
  const StudyResult result = study_of_bars(shop, "auto", "rk4", bars(1, 0.8));
  CHECK(result.said.find("device") == std::string::npos);
  CHECK_THAT(result.told["device"]["reason"].get<std::string>(), Contains("cuda: the driver"));
  CHECK_THAT(shop.read("table.csv.journal"), Contains("without a device: cuda: the driver"));
}

TEST_CASE("polyform plugins shows the devices, or why there is none") {
  const Workshop shop;
  const auto devices = [&] { return nlohmann::json::parse(shop.run({"plugins", "--json"}).out)["devices"]; };
  shop.write("libcuda.so.1", "");
  {
    const DeviceSetting nowhere("LD_LIBRARY_PATH", shop.path("").string());
    CHECK_THAT(in_one_line(shop.run({"plugins"}).out), Contains("none: the driver cannot be opened"));
  }
  const StandIn driver;
  {
    const DeviceSetting two("STAND_IN_DEVICES", "2");
    const auto found = devices();
    REQUIRE(found.size() == 2);
    CHECK(found[0]["name"] == "Stand-in");
    CHECK(found[0]["memory"] == 1'000'000'000);
    CHECK(!found[0].contains("reason"));
    CHECK(found[1]["device"] == "cuda:1");
    CHECK(found[1]["reason"] == "its compute capability 6.1 is below 7.0");
  }
  {
    const DeviceSetting none("STAND_IN_DEVICES", "0");
    CHECK(devices()[0]["reason"] == "the driver knows no device");
  }
  const DeviceSetting fail("STAND_IN_FAIL", "cuInit 100 1");
  CHECK(devices()[0]["reason"] == "the driver does not start: stand-in error 100 (error 100)");
}

TEST_CASE("a study file names the device") {
  const Workshop shop;
  shop.write("bars.yaml", bars(1, 0.8));
  shop.write("study.yaml",
             "study: 1\nmodel: bars.yaml\nvary: [{path: bodies.b.mass, values: [1, 2]}]\n"
             "quantities: {end: final(k.q)}\ndevice: moon\nsimulation: {duration: 0.1}\n");
  const StandIn driver;
  CHECK_THAT(in_one_line(shop.run({"study", "study.yaml"}).err), Contains("there is no device moon"));
  CHECK(shop.run({"study", "study.yaml", "--device", "none"}).code == 0);
}
