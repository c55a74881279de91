// The plugins of a study: named in its record, and told where cases were done by others.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

/// The entries of the record of a study, from its journal.
nlohmann::json record_of(const Workshop& shop, const std::string& table) {
  const std::string journal = shop.read(table + ".journal");
  return nlohmann::json::parse(journal.substr(0, journal.find('\n')));
}

/// A plugin of a user, which loads as before when bytes are added behind its end.
class UserPlugin {
 public:
  explicit UserPlugin(const Workshop& shop) : file_(shop.path("planted.so")) {
    std::filesystem::copy_file(std::string(POLYFORM_FIXTURES) + "/planted.so", file_);
    std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
  }
  std::string file() const { return file_.string(); }
  void change() const { std::ofstream(file_, std::ios::binary | std::ios::app) << "built anew"; }

 private:
  std::filesystem::path file_;
};

std::vector<std::string> study_by(const UserPlugin& plugin, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"study",
                                     shipped("double_pendulum"),
                                     "--vary",
                                     "bodies.rod1.mass=1,2,3,4",
                                     "--quantity",
                                     "end=final(j1.q)",
                                     "--duration",
                                     "0.02",
                                     "--output-interval",
                                     "0.01",
                                     "--solver",
                                     "planted-alone",
                                     "--plugin-path",
                                     plugin.file(),
                                     "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("the record of a study names the plugins whose types it uses, and no others") {
  const Workshop shop;
  const UserPlugin plugin(shop);
  REQUIRE(shop.run(study_by(plugin, {"--output", "a.csv"})).code == 0);
  const nlohmann::json record = record_of(shop, "a.csv");
  std::size_t size = std::filesystem::file_size(plugin.file());
  CHECK_THAT(record.at("plugin planted").get<std::string>(),
             Contains("1.0 for ") && Contains(", " + std::to_string(size) + " bytes, checksum "));
  CHECK(record.contains("plugin runge-kutta"));
  CHECK_FALSE(record.contains("plugin riccati"));
  REQUIRE(shop.run({"study", shipped("double_pendulum"), "--vary", "solver=riccati,thompson", "--quantity",
                    "end=final(j1.q)", "--duration", "0.02", "--output", "b.csv", "--quiet"})
              .code == 0);
  const nlohmann::json varied = record_of(shop, "b.csv");
  CHECK(varied.contains("plugin riccati"));
  CHECK(varied.contains("plugin thompson"));
  CHECK_FALSE(varied.contains("plugin planted"));
}

TEST_CASE("cases with a plugin of others have processes of their own, unless they shall share them") {
  const Workshop shop;
  const UserPlugin plugin(shop);
  const auto study = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = study_by(plugin, more);
    std::erase(arguments, "--quiet");
    const Outcome outcome = shop.run(arguments);
    REQUIRE(outcome.code == 0);
    return in_one_line(outcome.out);
  };
  const std::string told = "one for each case, because the plugin 'planted' does not come with polyform";
  CHECK_THAT(study({"--output", "own.csv"}), Contains(told));
  CHECK_THAT(study({"--output", "shared.csv", "--no-isolate"}), !Contains("one for each case"));
  CHECK(shop.read("own.csv") == shop.read("shared.csv"));
  CHECK(shop.run(study_by(plugin, {"--isolate", "--no-isolate"})).code == 2);
}

TEST_CASE("a study is neither resumed nor merged with cases that another plugin has done") {
  const Workshop shop;
  const UserPlugin plugin(shop);
  for (const char* name : {"whole.csv", "first.csv"}) {
    std::vector<std::string> more{"--output", name};
    if (name[0] == 'f') more.insert(more.end(), {"--shard", "1/2"});
    REQUIRE(shop.run(study_by(plugin, more)).code == 0);
  }
  REQUIRE(shop.run(study_by(plugin, {"--output", "whole.csv", "--resume"})).code == 0);
  plugin.change();
  const Outcome resumed = shop.run(study_by(plugin, {"--output", "whole.csv", "--resume"}));
  CHECK(resumed.code == 2);
  CHECK_THAT(in_one_line(resumed.err), Contains("the plugin 'planted' is another one: it was 1.0 for "));
  REQUIRE(shop.run(study_by(plugin, {"--output", "second.csv", "--shard", "2/2"})).code == 0);
  const Outcome merged = shop.run({"study", "--merge", "all.csv", "first.csv", "second.csv"});
  CHECK(merged.code == 2);
  CHECK_THAT(in_one_line(merged.err), Contains("second.csv is of another study than first.csv: the plugin 'planted'"));
}

TEST_CASE("shards by builds of one plugin for different instructions are merged with a warning") {
  const Workshop shop;
  const UserPlugin plugin(shop);
  for (const char* shard : {"1", "2"})
    REQUIRE(shop.run(study_by(plugin, {"--output", std::string(shard) + ".csv", "--shard", std::string(shard) + "/2"}))
                .code == 0);
  // As on a machine with a processor that no machine here has.
  std::string journal = shop.read("2.csv.journal");
  const std::size_t build = journal.find(" for ", journal.find("\"plugin planted\":")) + 5;
  journal.replace(build, journal.find(',', build) - build, "instructions-of-another-machine");
  shop.write("2.csv.journal", journal);
  const Outcome merged = shop.run({"study", "--merge", "all.csv", "1.csv", "2.csv"});
  CHECK(merged.code == 0);
  CHECK_THAT(in_one_line(merged.err), Contains("some cases were done by a build of the plugin 'planted' for other"));
}
