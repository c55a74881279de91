// polyform conform: what it prints, and its exit codes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string joints = std::string(POLYFORM_PLUGINS) + "/standard-joints.so";
const std::string forces = std::string(POLYFORM_PLUGINS) + "/standard-forces.so";
const std::string trouble = std::string(POLYFORM_FIXTURES) + "/trouble.so";

}  // namespace

TEST_CASE("a sound plugin conforms, with a figure for every claim") {
  const Workshop shop;
  const Outcome outcome = shop.run({"conform", joints, "--type", "revolute"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("joint revolute\n") && Contains("passed      H is the rate of the pose") && Contains("0 failed"));
  CHECK_THAT(in_one_line(outcome.out), Contains("allowed 1e-08"));
  CHECK(outcome.err.empty());
}

TEST_CASE("a plugin that does not conform is told what, where, and what to do, with exit code 1") {
  const Workshop shop;
  const Outcome outcome = shop.run({"conform", trouble, "--type", "no-number", "--json"});
  CHECK(outcome.code == 1);
  const auto report = nlohmann::json::parse(outcome.out);
  CHECK(report["plugin"] == "trouble");
  CHECK(report["failed"].get<int>() > 0);
  CHECK(report["passed"].get<int>() + report["failed"].get<int>() + report["unsupported"].get<int>() ==
        static_cast<int>(report["claims"].size()));
  for (const auto& claim : report["claims"]) {
    CHECK(claim["kind"] == "force");
    CHECK(claim["type"] == "no-number");
    if (claim["result"] == "failed") CHECK((claim.contains("finding") && claim.contains("remedy")));
    if (claim["result"] == "unsupported") CHECK(claim.contains("finding"));
  }
}

TEST_CASE("models in which checks failed are written where they are asked for, and can be evaluated again") {
  const Workshop shop;
  const Outcome outcome = shop.run({"conform", trouble, "--type", "no-number", "--models", "failed"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.out, Contains("model: failed/no-number-1.yaml") && !Contains("---"));
  const std::string model = shop.read("failed/no-number-1.yaml");
  CHECK_THAT(model, StartsWith("# force no-number: ") && Contains("\npolyform: 1\n") && Contains("type: no-number"));
  // The command that its comment names takes it.
  CHECK_THAT(model, Contains("\n# polyform evaluate no-number-1.yaml --solver all --plugin-path " + trouble + "\n"));
  const Outcome again = shop.run({"check", "failed/no-number-1.yaml", "--plugin-path", trouble});
  INFO(again.err);
  CHECK(again.code == 0);
  const Outcome in_the_way = shop.run({"conform", trouble, "--type", "no-number", "--models", shop.write("file", "")});
  CHECK(in_the_way.code == 2);
  CHECK_THAT(in_the_way.err, Contains("--models: ") && Contains("cannot be made"));
}

TEST_CASE("another draw makes other models, the same draw the same") {
  const Workshop shop;
  const auto measured = [&](const std::string& draw) {
    const Outcome outcome = shop.run({"conform", forces, "--type", "spring-damper", "--draw", draw, "--json"});
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    std::vector<double> all;
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    for (const auto& claim : report["claims"]) all.push_back(claim["measured"]);
    return all;
  };
  const std::vector<double> first = measured("0"), second = measured("7");
  CHECK(first.size() == second.size());
  CHECK(first != second);
  CHECK(measured("7") == second);
  CHECK(shop.run({"conform", forces, "--draw", "-1"}).code == 2);
}

TEST_CASE("a refused plugin is exit code 3, a wrong command line or example 2") {
  const Workshop shop;
  const Outcome refused = shop.run({"conform", shop.write("words.so", "these are words\n")});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("words.so is no ELF shared library"));
  CHECK(shop.run({"conform", "nowhere.so"}).code == 3);
  CHECK(shop.run({"conform"}).code == 2);
  const Outcome misspelt = shop.run({"conform", joints, "--type", "revolut"});
  CHECK(misspelt.code == 2);
  CHECK_THAT(misspelt.err,
             Contains("--type: standard-joints offers no 'revolut'") && Contains("Did you mean 'revolute'?"));
  const Outcome example =
      shop.run({"conform", joints, "--type", "fixed", "--model", shop.write("bad.yaml", "polyform: 1\n")});
  CHECK(example.code == 2);
  CHECK_THAT(example.err, Contains("is no sound model"));
}

TEST_CASE("a time limit of a check is a number from a tenth of a second to a million") {
  const Workshop shop;
  for (const std::string value : {"-1", "0", "0.09", "nan", "inf", "1e7", "soon", "1s", ""}) {
    const Outcome outcome = shop.run({"conform", joints, "--type", "fixed", "--time-limit", value});
    INFO(value << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("--time-limit: expected a number from 0.1 to 1e+06, found"));
  }
}
