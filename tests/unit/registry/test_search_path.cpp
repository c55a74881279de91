// Where plugins are looked for, and in which order.
#include "tests/bad_plugins/plugin_folder.hpp"

#include <unistd.h>

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> files_of(const Registry& registry) {
  std::vector<std::string> files;
  for (const PluginRecord& record : registry.plugins()) files.push_back(record.file);
  return files;
}

/// The working directory for the length of a test.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const fs::path& to) : before_(fs::current_path()) { fs::current_path(to); }
  ~WorkingDirectory() { fs::current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  fs::path before_;
};

}  // namespace

TEST_CASE("the command line comes before the environment, and both before the installation") {
  const PluginFolder first, second, third, fourth;
  const std::vector<std::string> expected{first.add("left"), second.add("right"), third.add("builds-v1"),
                                          fourth.add("good")};
  RegistryOptions options({first.text()});
  options.environment = second.text() + ":" + third.text();
  options.installation = fourth.path();
  const Registry registry(options);
  CHECK(files_of(registry) == expected);
  REQUIRE(registry.search_path().size() == 4);
  CHECK(registry.search_path()[0].origin == "--plugin-path");
  CHECK(registry.search_path()[1].origin == "POLYFORM_PLUGIN_PATH");
  CHECK(registry.search_path()[3].origin == "installation");
  for (const SearchedPlace& place : registry.search_path()) CHECK(place.problem.empty());
}

TEST_CASE("a plugin where the user said stands in for one of its name in the installation") {
  const PluginFolder mine, installed;
  const bool by_environment = GENERATE(false, true);
  const fs::path wins = mine.add("builds-v1"), loses = installed.add("builds-v1-other"),
                 better = installed.add("builds-v2");
  RegistryOptions options = only({});
  (by_environment ? options.environment : options.plugin_paths.emplace_back()) = mine.text();
  options.installation = installed.path();
  const Registry registry(options);
  CHECK(record_of(registry, wins).status == PluginStatus::loaded);
  for (const fs::path& file : {loses, better}) {
    const PluginRecord& record = record_of(registry, file);
    CHECK(record.status == PluginStatus::passed_over);
    CHECK(record.replaced);
    CHECK_FALSE(record.refusal);
    CHECK_THAT(record.explanation, Contains(wins.string()) && Contains(file.string()));
  }
}

TEST_CASE("a copy of a plugin, the same byte by byte, counts as the same file") {
  const PluginFolder mine, other, installed;
  const fs::path wins = mine.add("left", "z.so");
  const std::vector<fs::path> copies{other.add("left", "a.so"), installed.add("left")};
  RegistryOptions options = only({mine.text(), other.text()});
  options.installation = installed.path();
  const Registry registry(options);
  CHECK(record_of(registry, wins).status == PluginStatus::loaded);
  for (const fs::path& copy : copies) {
    CHECK(record_of(registry, copy).status == PluginStatus::passed_over);
    CHECK_FALSE(record_of(registry, copy).replaced);
  }
}

TEST_CASE("two plugins of one name in folders of the user are an error") {
  const PluginFolder one, two;
  const fs::path first = one.add("good"), second = two.add("same-name");
  const Registry registry(only({one.text(), two.text()}));
  CHECK(record_of(registry, first).status == PluginStatus::loaded);
  CHECK(record_of(registry, second).refusal == Refusal::duplicate_name);
  CHECK_THAT(record_of(registry, second).explanation,
             Contains(first.string()) && Contains("or name only one of their folders"));
}

TEST_CASE("in a folder, files are taken in alphabetical order, and only those named .so") {
  const PluginFolder folder;
  folder.write("README", "no plugin");
  folder.add("good", "good.so.1");
  fs::create_directory(folder.path() / "deeper");
  folder.add("good", "deeper/good.so");
  const fs::path right = folder.add("right", "b.so"), left = folder.add("left", "a.so");
  CHECK(files_of(Registry(only({folder.text()}))) == std::vector<std::string>{left, right});
}

TEST_CASE("a file may be named itself") {
  const PluginFolder folder;
  folder.add("right");
  const fs::path left = folder.add("left", "left.plugin");
  CHECK(files_of(Registry(only({left}))) == std::vector<std::string>{left});
}

TEST_CASE("a file that is reached twice counts once") {
  const PluginFolder folder, links;
  const fs::path left = folder.add("left");
  fs::create_symlink(left, links.path() / "link.so");
  CHECK(files_of(Registry(only({folder.text(), folder.text() + "/.", links.text(), left}))) ==
        std::vector<std::string>{left});
}

TEST_CASE("the working directory is never searched, unless the command line names it") {
  const PluginFolder folder;
  folder.add("left");
  const WorkingDirectory inside(folder.path());
  RegistryOptions options = only({});
  SECTION("not by itself, and not by empty entries") {
    options.environment = GENERATE("", ":", "::", ":/nonexistent-polyform:");
    CHECK(Registry(options).plugins().empty());
  }
  SECTION("not by relative entries of the environment, which are reported") {
    options.environment = GENERATE(".", "left.so", "./");
    const Registry registry(options);
    CHECK(registry.plugins().empty());
    REQUIRE(registry.search_path().size() == 1);
    CHECK_THAT(registry.search_path()[0].problem, Contains("relative entry '" + options.environment + "'"));
  }
  SECTION("an empty --plugin-path is a mistake, not the working directory") {
    const Registry registry(only({""}));
    CHECK(registry.plugins().empty());
    CHECK_FALSE(registry.search_path()[0].problem.empty());
  }
  SECTION("a relative --plugin-path is what the user typed, and becomes absolute") {
    const Registry registry(only({"."}));
    REQUIRE(registry.plugins().size() == 1);
    CHECK(fs::path(registry.plugins()[0].file).is_absolute());
    CHECK(registry.plugins()[0].status == PluginStatus::loaded);
  }
}

TEST_CASE("a place that is not there is reported") {
  const Registry registry(only({"/nonexistent-polyform/plugins"}));
  CHECK(registry.plugins().empty());
  REQUIRE(registry.search_path().size() == 1);
  CHECK_THAT(registry.search_path()[0].problem,
             Contains("/nonexistent-polyform/plugins does not exist") && Contains("--plugin-path"));
}

TEST_CASE("the environment is read from POLYFORM_PLUGIN_PATH") {
  REQUIRE(::setenv("POLYFORM_PLUGIN_PATH", "/one:/two", 1) == 0);
  CHECK(RegistryOptions().environment == "/one:/two");
  REQUIRE(::unsetenv("POLYFORM_PLUGIN_PATH") == 0);
  CHECK(RegistryOptions().environment.empty());
}

TEST_CASE("the install location lies beside the executable, in the build tree too") {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  CHECK(RegistryOptions().installation == program.parent_path().parent_path() / "lib" / "polyform" / "plugins");
}

TEST_CASE("the plugins of this build are all accepted") {
  const Registry registry(only({installed_plugin_folder()}));
  CHECK_FALSE(registry.catalog().formulations.empty());
  for (const PluginRecord& record : registry.plugins()) {
    INFO(record.explanation);
    CHECK(record.status != PluginStatus::refused);
  }
}
