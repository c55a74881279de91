// What compiled code and devices do not carry: it is told before the cases run, with what stands in the way, and the
// cases are done without.
#include <catch2/catch.hpp>
#include <string>

#include "tests/devices/device_study.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

TEST_CASE("what compiled code and devices refuse is told, and the cases go on without") {
  struct Refusal {
    const char *model, *why;
  };
  const Refusal of = GENERATE(
      Refusal{"flexible_pendulum", "it has flexible bodies"}, Refusal{"bifilar_pendulum", "it has constraint elements"},
      Refusal{"coupled_circuits", "it has modules"}, Refusal{"latches", "its elements have discrete states"});
  INFO(of.model);
  const std::string why = of.why;
  const Workshop shop;
  const StandIn driver;
  const std::string model = std::string(POLYFORM_MODELS) + "/" + of.model + ".yaml";
  const StudyResult result =
      study_on(shop, "cuda",
               {model, "--vary", "simulation.duration=0.001,0.002", "--quantity", "end=final(energy.total)",
                "--integrator", "rk4", "--step", "0.0005", "--compile"});
  CHECK_THAT(result.said, Contains("the cases go on without --compile: riccati cannot compile the model: " + why));
  CHECK_THAT(result.said, Contains("the cases go on without a device: the model does not run on a device: " + why) &&
                              Contains("They run as without --device"));
  CHECK(result.told["device"]["reason"] == "the model does not run on a device: " + why);
  REQUIRE(result.rows.size() == 2);
  const Outcome compile = shop.run({"compile", model, "--solver", "riccati", "-o", "model.so"});
  CHECK(compile.code != 0);
  CHECK_THAT(in_one_line(compile.err), Contains("riccati cannot compile the model: " + why));
}

TEST_CASE("devices refuse forces with events that they cannot follow, which compiled code carries") {
  const Workshop shop;
  const StandIn driver;
  const StudyResult result =
      study_on(shop, "cuda",
               {std::string(POLYFORM_MODELS) + "/cable_hoist.yaml", "--vary", "simulation.duration=0.001,0.002",
                "--quantity", "end=final(energy.total)", "--integrator", "rk4", "--step", "0.0005"});
  CHECK_THAT(result.said, Contains("the model does not run on a device: its force cable does not tell its law"));
}

TEST_CASE("devices refuse columns that their rows do not have, where they are not zero") {
  const Workshop shop;
  const StandIn driver;
  const auto study = [&](const std::string& device) {
    return study_on(shop, device,
                    {std::string(POLYFORM_MODELS) + "/slider_crank.yaml", "--vary", "simulation.duration=0.01,0.02",
                     "--quantity", "most=max(correction.iterations)", "--quantity", "by=max(correction.position)",
                     "--integrator", "rk4", "--step", "0.005"});
  };
  const StudyResult lanes = study("none"), result = study("cuda");
  CHECK_THAT(result.said, Contains("the cases go on without a device: a device returns no correction.iterations"));
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows == lanes.rows);
  CHECK(std::stod(result.rows[1][3]) > 0);
}

TEST_CASE("a compiler that makes no file is a reason, not a refused plugin") {
  const Workshop shop;
  const DeviceSetting compiler("POLYFORM_CXX", "/bin/true");
  const Outcome compile = shop.run(
      {"compile", std::string(POLYFORM_MODELS) + "/slider_crank.yaml", "--solver", "riccati", "-o", "model.so"});
  CHECK(compile.code == 1);
  CHECK_THAT(in_one_line(compile.err), Contains("the compiler ended well, but made no file"));
}
