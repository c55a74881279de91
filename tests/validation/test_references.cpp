// Every shipped problem of the short set, through every formulation that can run it: trajectories at the reference
// times and accelerations at the start. Where each reference comes from stands in its file (source, notes).
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "framework/workbench/verification/verify.hpp"
#include "tests/support/contenders.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;

namespace {

RunSettings settings_of(const System& system) {
  const SimulationItem& given = system.description().simulation;
  RunSettings settings = test::run_settings();
  settings.duration = given.duration.value();
  settings.integrator = test::integrator(given.integrator.value());
  settings.step = given.step.value();
  settings.relative_tolerance = given.relative_tolerance.value_or(settings.relative_tolerance);
  settings.absolute_tolerance = given.absolute_tolerance.value_or(settings.absolute_tolerance);
  settings.output_interval = given.output_interval.value();
  return settings;
}

const HeatControl patient{{600, 0}, 2, nullptr, {}};

Reference read(const std::string& file) {
  Diagnostics diagnostics;
  const std::optional<Reference> reference = read_reference(file, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) UNSCOPED_INFO(format(d));
  REQUIRE(reference);
  return *reference;
}

Reference shipped(const std::string& name) { return read(std::string(POLYFORM_REFERENCES) + "/" + name + ".json"); }

std::vector<Verification> verify_all(const Reference& reference) {
  const auto system = system_from_file(reference.model);
  const std::vector<Contender> contenders = able(*system);
  REQUIRE(contenders.size() >= 2);
  return verify(*system, reference, contenders, settings_of(*system), patient);
}

/// All messages about a file with that text, which is no reference.
std::string refusal(const std::string& text) {
  const std::string file = (std::filesystem::temp_directory_path() / "polyform-refused-reference.json").string();
  std::ofstream(file) << text;
  Diagnostics diagnostics;
  CHECK_FALSE(read_reference(file, diagnostics).has_value());
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) all += format(d) + "\n";
  return all;
}

/// A reference without accelerations at the start, with these channels.
std::string with_channels(const std::string& channels) {
  return R"({"model": "a.yaml", "source": "none", "times": [0, 1], "tolerance": {"position": 1}, "channels": {)" +
         channels + "}}";
}

}  // namespace

TEST_CASE("every shipped problem meets its reference in every formulation") {
  for (const std::string& file : reference_files(POLYFORM_REFERENCES)) {
    const Reference reference = read(file);
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
  CHECK_THROWS_WITH(verify_all(reference),
                    Catch::Contains("simple_pendulum.json:") && Catch::Contains("names bob.nothing"));
  reference = shipped("branch_pendulum");
  const auto sound = reference.start->linear;
  reference.start->linear.begin()->second = {{0, 0}, {7, 3}};
  CHECK_THROWS_WITH(verify_all(reference),
                    Catch::Contains("branch_pendulum.json:7:3") && Catch::Contains("gives 2 numbers for"));
  reference.start->linear = sound;
  reference.start->linear["nobody"] = {{0, 0, 0}, {7, 3}};
  CHECK_THROWS_WITH(verify_all(reference), Catch::Contains("branch_pendulum.json:7:3") && Catch::Contains("nobody"));
}

TEST_CASE("an attitude is met by either sign of its quaternion, and not by a wrong one") {
  Reference reference = shipped("heavy_top");
  std::vector<ReferenceChannel*> quaternion;
  for (ReferenceChannel& channel : reference.channels)
    if (group_of(channel.name) == "orientation") quaternion.push_back(&channel);
  REQUIRE(quaternion.size() == 4);
  for (ReferenceChannel* channel : quaternion) channel->values.back() *= -1;
  for (const Verification& v : verify_all(reference)) CHECK(v.passed);
  quaternion.front()->values.back() *= -1;
  for (const Verification& v : verify_all(reference)) CHECK_FALSE(v.passed);
}

TEST_CASE("channels belong to groups by their component, those of modules to one of their own") {
  CHECK(group_of("a.b.x") == "position");
  CHECK(group_of("a.qw") == "orientation");
  CHECK(group_of("a.wz") == "angular_velocity");
  CHECK(group_of("pin.q[2]") == "joint");
  CHECK(group_of("motor.i") == "module");
  CHECK(group_of("motor.voltage") == "module");
}

TEST_CASE("a wrong reaction does not pass, and a solver without reactions is not asked for them") {
  Reference reference = shipped("slider_crank");
  for (ReferenceChannel& channel : reference.channels)
    if (channel.name == "guide.fy") channel.values[3] += 1e-6;
  for (const Verification& v : verify_all(reference)) {
    CHECK_FALSE(v.passed);
    CHECK(v.errors.channel == "guide.fy");
  }
  const auto system = system_from_file(reference.model);
  CHECK_NOTHROW(ReferenceSink(*system, reference, false));
}

TEST_CASE("what is no reference is refused with place, cause and remedy") {
  using Catch::Contains;
  CHECK_THAT(refusal("{"), Contains("polyform-refused-reference.json:1:") && Contains("Close it with '}'"));
  CHECK_THAT(refusal("{\"model\": \"a.yaml\"}"), Contains("json:1:1: error: source: 'source' is missing"));
  CHECK_THAT(refusal("{\"model\": \"a.yaml\",\n \"source\": \"none\", \"chanels\": {}}"),
             Contains("json:2:20: error: chanels: unknown key 'chanels'") && Contains("Did you mean 'channels'"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "none"})"), Contains("nothing is to be checked"));
  CHECK_THAT(refusal(with_channels("")), Contains("channels: it is empty: nothing is to be checked"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "none", "evaluate": {"tolerance": {}}})"),
             Contains("evaluate: it is empty: nothing is to be checked"));
  CHECK_THAT(refusal(with_channels(R"("a.x": [1])")), Contains("channels.a.x: found 1 values for 2 times"));
  CHECK_THAT(refusal(with_channels(R"("a.x": [1, "two"])")), Contains("channels.a.x[1]") && Contains("a number"));
  CHECK_THAT(refusal(with_channels(R"("a.vx": [1, 2])")), Contains("no tolerance for its group, 'velocity'"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "none", "times": [1, 0], "tolerance": {"position": 0},
                        "channels": {}})"),
             Contains("the times do not rise") && Contains("tolerance.position: found '0', expected a number greater"));
  CHECK_THAT(refusal(R"({"model": "a.yaml", "source": "none", "evaluate": {"bodies": {"a": {"linear": [0, 0, 0]}},
                        "tolerance": {"joint": 1}}})"),
             Contains("evaluate.tolerance.linear: 'linear' is missing"));
}
