// Every shipped problem of the short set, through every formulation that can run it: trajectories at the reference
// times and accelerations at the start. Where each reference comes from stands in its file (source, notes).
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "framework/verification/verify.hpp"
#include "tests/support/contenders.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;

namespace {

RunSettings settings_of(const System& system) {
  const SimulationItem& given = system.description().simulation;
  RunSettings settings;
  settings.duration = given.duration.value();
  settings.integrator = given.integrator.value();
  settings.step = given.step.value();
  settings.relative_tolerance = given.relative_tolerance.value_or(settings.relative_tolerance);
  settings.absolute_tolerance = given.absolute_tolerance.value_or(settings.absolute_tolerance);
  settings.output_interval = given.output_interval.value();
  return settings;
}

const HeatControl patient{{600, 0}, 2, nullptr, {}};

Reference shipped(const std::string& name) {
  return read_reference(std::string(POLYFORM_REFERENCES) + "/" + name + ".json");
}

std::vector<Verification> verify_all(const Reference& reference) {
  const auto system = system_from_file(reference.model);
  const std::vector<Contender> contenders = able(*system);
  REQUIRE(contenders.size() >= 2);
  return verify(*system, reference, contenders, settings_of(*system), patient);
}

/// The message with which a reference of that text is refused.
std::string refusal(const std::string& text) {
  const std::string file = (std::filesystem::temp_directory_path() / "polyform-refused-reference.json").string();
  std::ofstream(file) << text;
  try {
    read_reference(file);
  } catch (const Failure& failure) {
    CHECK(failure.code() == Exit::bad_input);
    return failure.message();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every shipped problem meets its reference in every formulation") {
  for (const Reference& reference : read_references(POLYFORM_REFERENCES)) {
    if (reference.slow) continue;
    INFO("problem " << reference.name);
    for (const Verification& v : verify_all(reference)) {
      INFO("solver " << v.solver << " " << v.reason);
      CHECK(v.how == HeatEnd::How::done);
      INFO("worst: " << v.errors.channel << " at " << v.errors.time << " s, error " << v.errors.error);
      CHECK(v.errors.ratio <= 1);
      CHECK(v.passed);
    }
  }
}

TEST_CASE("a wrong value does not pass") {
  Reference reference = shipped("simple_pendulum");
  for (ReferenceChannel& channel : reference.channels)
    if (channel.name == "bob.y") channel.values.back() += 1e-6;
  for (const Verification& v : verify_all(reference)) {
    CHECK_FALSE(v.passed);
    CHECK(v.errors.channel == "bob.y");
    CHECK(v.errors.error == Approx(1e-6).epsilon(1e-3));
  }
}

TEST_CASE("a time that is no row of the run and a channel that is none are said") {
  Reference reference = shipped("simple_pendulum");
  reference.times.back() = 9.999;
  CHECK_THROWS_WITH(verify_all(reference), Catch::Contains("only 20 of the 21 times"));
  reference.channels.front().name = "bob.nothing";
  CHECK_THROWS_WITH(verify_all(reference), Catch::Contains("names bob.nothing"));
}

TEST_CASE("what is no reference is refused with its reason") {
  using Catch::Contains;
  CHECK_THAT(refusal("{"), Contains("polyform-refused-reference.json") && Contains("parse error"));
  CHECK_THAT(refusal(R"({"model": "a.yaml"})"), Contains("source"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "", "chanels": {}})"), Contains("unknown key \"chanels\""));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": ""})"), Contains("nothing is to be checked"));
  CHECK_THAT(
      refusal(R"({"model": "a.yaml", "source": "", "times": [0, 1], "tolerance": {}, "channels": {"a.x": [1]}})"),
      Contains("channel a.x has 1 values for 2 times"));
  CHECK_THAT(
      refusal(R"({"model": "a.yaml", "source": "", "times": [0], "tolerance": {"position": 0}, "channels": {}})"),
      Contains("the tolerance of position is not positive"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "", "evaluate": {"bodies": {"a": {"linear": [0, 0, 0]}},
                        "tolerance": {"joint": 1}}})"),
             Contains("no tolerance for \"linear\""));
}
