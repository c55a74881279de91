// Plugins that go wrong while a model is assembled, which all solvers need.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

std::string library(const std::string& name) { return std::string(POLYFORM_FIXTURES) + "/" + name + ".so"; }

std::string model() { return Rod{.joint = "{name: pin, type: fixture-joint, base: ground, moving: rod}"}.text(); }

Outcome compare(const Workshop& shop, const std::string& fixture) {
  return shop.run({"compare", shop.write("rod.yaml", model()), "--plugin-path", library(fixture), "--time-limit", "0.5",
                   "--solvers", "riccati,cartesian"});
}

}  // namespace

TEST_CASE("a comparison does not wait for an assembly without end, and names the plugin") {
  const Workshop shop;
  const Outcome outcome = compare(shop, "assembly-hangs");
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("error: " + library("assembly-hangs") +
                                   " was not done within the time limit of 0.5 s, in the assembly of"));
  CHECK_THAT(outcome.err, Contains("No solver was run") && Contains("polyform conform"));
}

TEST_CASE("a comparison does not wait for a force without end at its start either") {
  const Workshop shop;
  Rod rod;
  rod.more = "forces:\n  - {name: bad, type: endless-at-start, joint: pin}\n";
  const std::string file = shop.write("rod.yaml", rod.text());
  const Outcome outcome = shop.run({"compare", file, "--plugin-path", library("trouble"), "--time-limit", "0.5"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains(library("trouble") + " was not done within the time limit of 0.5 s") &&
                              Contains("in the first evaluation of the forces of"));
}

TEST_CASE("a plugin that ends the assembly fails the comparison with what it did, where, and its name if it is known") {
  const Workshop shop;
  const std::string in_assembly = ", in the assembly of " + shop.path("rod.yaml").string();
  for (const auto& [fixture, message] :
       {std::pair{"assembly-throws", library("assembly-throws") + " threw an exception: out of luck" + in_assembly},
        std::pair{"assembly-exits", library("assembly-exits") + " ended the program by calling exit" + in_assembly},
        std::pair{"assembly-ends-at-once",
                  shop.path("rod.yaml").string() +
                      " could not be assembled and evaluated: ended the program with exit status 0"}}) {
    const Outcome outcome = compare(shop, fixture);
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains("error: " + message) && Contains("No solver was run"));
  }
}

TEST_CASE("commands without limits tell of an exit in the assembly too, and claim no results") {
  const Workshop shop;
  const Outcome outcome = shop.run(
      {"run", shop.write("rod.yaml", model()), "--plugin-path", library("assembly-exits"), "--output", "a.csv"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err,
             Contains(library("assembly-exits") + " ended the program by calling exit, in the assembly of") &&
                 !Contains("kept"));
}

TEST_CASE("a problem whose model cannot be assembled loses only its own row of the verification") {
  const Workshop shop;
  shop.write("bad.yaml", model());
  Rod good;
  good.more = "simulation: {duration: 0.01}\n";
  shop.write("good.yaml", good.text());
  for (const std::string name : {"bad", "good"})
    shop.write(name + ".json", R"({"model": ")" + name + R"(.yaml", "source": "none",
      "evaluate": {"bodies": {"rod": {"angular": [0, 0, 0]}}, "tolerance": {"angular": 1e9}}})");
  const Outcome outcome = shop.run({"verify", "--references", ".", "--plugin-path", library("assembly-hangs"),
                                    "--time-limit", "0.5", "--solvers", "riccati", "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  const nlohmann::json all = nlohmann::json::parse(outcome.out);
  CHECK(all.at("bad").at("status") == "not checked");
  CHECK(all.at("good").at("solvers").at("riccati").at("status") == "passed");
}

TEST_CASE("a model that can be read only once, as from a pipe, can be compared") {
  const Workshop shop;
  REQUIRE(mkfifo(shop.path("pipe.yaml").c_str(), 0600) == 0);
  Rod rod;
  rod.more = "simulation: {duration: 0.01}\n";
  const pid_t process = shop.start({"compare", "pipe.yaml", "--solvers", "riccati,cartesian"});
  shop.write("pipe.yaml", rod.text());  // waits for the reader
  const Outcome outcome = shop.finish(process);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}
