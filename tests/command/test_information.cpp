// check, plugins, schema, help, completion: what polyform tells without running anything.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("check counts bodies, joints, loops and degrees of freedom of every model that comes with polyform") {
  const Workshop shop;
  for (const auto& entry : std::filesystem::directory_iterator(POLYFORM_MODELS)) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path());
    const Outcome outcome = shop.run({"check", entry.path().string(), "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const json result = json::parse(outcome.out);
    const bool has_bodies = result.at("bodies").get<int>() >= 1;  // or modules alone
    CHECK(has_bodies == (entry.path().stem() != "coupled_circuits"));
    const bool moves_freely = has_bodies && entry.path().stem() != "cam_spindle";  // whose motion is prescribed
    CHECK(result.at("degrees_of_freedom").get<int>() >= (moves_freely ? 1 : 0));
    CHECK(result.at("warnings").is_array());
  }
}

TEST_CASE("check names the redundant joints of a planar four-bar") {
  const Workshop shop;
  const json result = json::parse(shop.run({"check", shipped("four_bar_rhombus"), "--json"}).out);
  CHECK(result.at("bodies") == 3);
  CHECK(result.at("joints") == 4);
  CHECK(result.at("loops") == 1);
  CHECK(result.at("degrees_of_freedom") == 1);
  CHECK(result.at("redundant").size() == 4);
  CHECK_THAT(shop.run({"check", shipped("four_bar_rhombus")}).out,
             Contains("degrees of freedom") && Contains("redundant"));
}

TEST_CASE("check warns of a body that nothing connects") {
  const Workshop shop;
  Rod rod;
  rod.joint = "";
  std::string text = rod.text();
  text.replace(text.find("joints:\n  - \n"), 13, "");
  const json result = json::parse(shop.run({"check", shop.write("rod.yaml", text), "--json"}).out);
  CHECK(result.at("joints") == 0);
  CHECK(result.at("degrees_of_freedom") == 6);
  CHECK(result.at("warnings").size() == 1);
}

TEST_CASE("plugins lists the solvers with what they support") {
  const Workshop shop;
  const Outcome outcome = shop.run({"plugins", "--json"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(json::parse(outcome.out).dump(), Contains("riccati") && Contains("cartesian"));
  CHECK_THAT(shop.run({"plugins"}).out, Contains("riccati"));
  const Outcome one = shop.run({"plugins", "show", "riccati"});
  CHECK(one.code == 0);
  CHECK_THAT(one.out, Contains("Rui"));
}

TEST_CASE("a file that is no plugin is refused with the reason") {
  const Workshop shop;
  const Outcome outcome = shop.run({"plugins", "check", shop.write("not.so", "no library")});
  CHECK(outcome.code == 3);
  CHECK_THAT(outcome.out + outcome.err, Contains("not.so"));
}

TEST_CASE("the schema is valid JSON and knows the joint types") {
  const Workshop shop;
  const Outcome outcome = shop.run({"schema"});
  REQUIRE(outcome.code == 0);
  const json schema = json::parse(outcome.out);
  CHECK(schema.contains("$schema"));
  CHECK_THAT(schema.dump(), Contains("revolute") && Contains("spring-damper"));
}

/// Characters of the longest line.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, now = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) == 0x80u) continue;
    now = c == '\n' ? 0 : now + 1;
    longest = std::max(longest, now);
  }
  return longest;
}

TEST_CASE("help and version") {
  const Workshop shop;
  const Outcome help = shop.run({"--help"});
  CHECK(help.code == 0);
  CHECK_THAT(help.out, Contains("Examples") && Contains("POLYFORM_PLUGIN_PATH") && Contains("130") && Contains("rk4") &&
                           Contains("riccati"));
  CHECK(shop.run({"help"}).out == help.out);
  for (const char* command : {"run",     "resume", "evaluate", "linearize", "equilibrium", "compare",   "verify",
                              "report",  "check",  "study",    "view",      "import",      "export",    "compile",
                              "plugins", "new",    "conform",  "schema",    "help",        "completion"}) {
    INFO(command);
    CHECK_THAT(help.out, Contains(command));
    const Outcome own = shop.run({command, "--help"});
    CHECK(own.code == 0);
    CHECK(longest_line(own.out) <= 80);
  }
  CHECK(longest_line(help.out.substr(0, help.out.find("Plugins are looked for"))) <= 80);
  for (const char* name : {"riccati", "standard-joints", "contact", "radau5", "urdf", "belt-drive"}) {
    INFO(name);
    const std::string shown = shop.run({"plugins", "show", name}).out;
    REQUIRE(shown.find("\n\n") != std::string::npos);
    CHECK(longest_line(shown.substr(shown.find("\n\n"))) <= 80);  // before it stands the path of the plugin
  }
  CHECK_THAT(shop.run({"help", "run"}).out, Contains("--output-interval"));
  CHECK_THAT(shop.run({"--version"}).out, Contains("polyform "));
}

TEST_CASE("completion scripts know the commands and their options") {
  const Workshop shop;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = shop.run({"completion", shell});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("evaluate") && Contains("output-interval"));
    CHECK_THAT(outcome.out, Contains("radau5") && Contains("thompson") && Contains("rho_infinity="));
  }
  CHECK(shop.run({"completion", "cmd"}).code == 2);
}
