// The pages for users keep what they say: their models are sound, and their commands about the first model run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;

namespace {

std::string page(const std::string& name) {
  std::ifstream stream(std::string(POLYFORM_PAGES) + "/" + name);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The first YAML block of a page.
std::string model_in(const std::string& text) {
  const std::size_t begin = text.find("```yaml\n") + 8, end = text.find("```", begin);
  REQUIRE(end != std::string::npos);
  return text.substr(begin, end - begin);
}

/// Arguments of the lines "    polyform …" that are about rod.yaml. Pages of reports need a build with npm.
std::vector<std::vector<std::string>> commands_in(const std::string& text) {
  const std::string start = "    polyform ";
  std::vector<std::vector<std::string>> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(start) || line.find("--report") != std::string::npos) continue;
    std::istringstream words(line.substr(start.size(), line.find(" #") - start.size()));
    const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    if (std::find(arguments.begin(), arguments.end(), "rod.yaml") != arguments.end()) commands.push_back(arguments);
  }
  return commands;
}

}  // namespace

TEST_CASE("the first model runs as it stands in the README") {
  const Workshop shop;
  const std::string model = shop.write("rod.yaml", model_in(page("README.md")));
  CHECK(shop.run({"check", model}).err.empty());
  CHECK(shop.run({"run", model, "--output", "rod.csv"}).code == 0);
  CHECK(read_table(shop.read("rod.csv")).rows.size() == 501);
}

TEST_CASE("the model of the page on model files is sound") {
  const Workshop shop;
  const Outcome outcome = shop.run({"check", shop.write("arm.yaml", model_in(page("apps/pages/model-file.md")))});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("commands about the first model run as they stand in the pages") {
  const Workshop shop;
  shop.write("rod.yaml", model_in(page("README.md")));
  for (const char* name : {"README.md", "apps/pages/commands.md", "apps/pages/linear-models.md"}) {
    const auto commands = commands_in(page(name));
    INFO(name);
    CHECK(commands.size() >= 2);
    for (const auto& arguments : commands) {
      std::string line;
      for (const std::string& word : arguments) line += word + ' ';
      INFO(line);
      const Outcome outcome = shop.run(arguments);
      INFO(outcome.err);
      CHECK(outcome.code == 0);
    }
  }
}
