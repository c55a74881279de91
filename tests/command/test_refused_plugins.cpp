// Messages about plugins that are refused, and the commands that go on.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

std::string fixture(const std::string& name) { return std::string(POLYFORM_FIXTURES) + "/" + name + ".so"; }

}  // namespace

TEST_CASE("a name that two plugins have ends what runs a model, with both files") {
  const Workshop shop;
  const std::string good = fixture("good");
  for (const std::string& other : {fixture("same-name"), fixture("same-type")})
    for (const std::string command : {"run", "evaluate", "check", "compare"}) {
      const Outcome outcome = shop.run({command, shipped("free_body"), "--plugin-path", good, "--plugin-path", other});
      INFO(outcome.err);
      CHECK(outcome.code == 3);
      CHECK(outcome.out.empty());
      CHECK_THAT(outcome.err, Contains("error: " + other) && Contains(good + " ") && Contains("remove one of the two"));
    }
}

TEST_CASE("a name that two plugins have does not end what tells of plugins") {
  const Workshop shop;
  const Outcome listed =
      shop.run({"plugins", "--plugin-path", fixture("good"), "--plugin-path", fixture("same-name"), "--json"});
  CHECK(listed.code == 0);
  const auto plugins = nlohmann::json::parse(listed.out).at("plugins");
  CHECK(plugins.at(0).at("status") == "loaded");
  CHECK(plugins.at(1).at("refusal") == "duplicate_name");
  CHECK(shop.run({"conform", fixture("good"), "--plugin-path", fixture("same-name")}).code != 3);
}

TEST_CASE("a copy of a plugin, and the same file found twice, are no error and nothing to tell") {
  const Workshop shop;
  std::filesystem::copy_file(fixture("good"), shop.path("copy.so"));
  std::filesystem::permissions(shop.path("copy.so"), std::filesystem::perms(0755));
  for (const std::string& second : {shop.path("copy.so").string(), fixture("good")}) {
    const Outcome outcome =
        shop.run({"check", shipped("free_body"), "--plugin-path", fixture("good"), "--plugin-path", second});
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("a plugin of the user's stands in for the installed one of its name, with a warning") {
  const Workshop shop;
  const std::string mine = fixture("own-standard-forces");
  const Outcome outcome = shop.run({"check", shipped("free_body"), "--plugin-path", mine});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("warning: " + mine + " stands in for " + POLYFORM_PLUGINS));
}

TEST_CASE("a list of plugins goes on past one that ends the program while it is loaded") {
  const Workshop shop;
  for (const std::string bad : {"throws-registering", "exits", "crashes"}) {
    const Outcome listed = shop.run({"plugins", "--plugin-path", fixture(bad), "--json"});
    INFO(bad << listed.err);
    CHECK(listed.code == 0);
    const auto plugins = nlohmann::json::parse(listed.out).at("plugins");
    REQUIRE(plugins.size() > 1);
    CHECK(plugins.at(0).at("refusal") == "failed_to_register");
    CHECK(plugins.at(1).at("status") == "loaded");
    const Outcome run = shop.run({"check", shipped("free_body"), "--plugin-path", fixture(bad)});
    CHECK(run.code == 3);
    CHECK_THAT(run.err, Contains(fixture(bad)));
  }
}

TEST_CASE("a check tells of the plugins that it is made without") {
  const Workshop shop;
  const Outcome outcome = shop.run({"conform", fixture("good"), "--plugin-path", fixture("same-type")});
  INFO(outcome.err);
  CHECK_THAT(outcome.err, Contains("warning: " + fixture("same-type")) && Contains("made without it"));
}

TEST_CASE("a plugin that throws while it registers is refused with what it threw") {
  const Workshop shop;
  const std::string file = fixture("throws-registering");
  const std::string said = file + " threw an exception while it was loaded (out of luck)";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"conform", file}, {"run", shipped("free_body"), "--plugin-path", file}}) {
    const Outcome outcome = shop.run(command);
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("error: " + said));
  }
  const Outcome checked = shop.run({"plugins", "check", file, "--json"});
  CHECK(checked.code == 3);
  const auto record = nlohmann::json::parse(checked.out);
  CHECK(record.at("refusal") == "failed_to_register");
  CHECK_THAT(record.at("explanation").get<std::string>(), Contains(said));
}
