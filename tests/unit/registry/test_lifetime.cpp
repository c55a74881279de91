// How long libraries stay loaded, and to which plugin a type belongs.
#include <dlfcn.h>

#include <ctime>
#include <optional>

#include "tests/bad_plugins/plugin_folder.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

bool is_in_memory(const fs::path& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

}  // namespace

TEST_CASE("libraries stay loaded while the registry or anything that keeps them lives") {
  const PluginFolder folder;
  const fs::path file = folder.add("left");
  std::optional<Registry> registry(std::in_place, only({folder.text()}));
  CHECK(is_in_memory(file));
  std::shared_ptr<const void> kept = registry->keep_alive();
  const polyform::JointType* const type = find(registry->catalog().joints, "left-joint");
  REQUIRE(type != nullptr);
  registry.reset();
  CHECK(is_in_memory(file));
  CHECK(type->name() == "left-joint");
  kept.reset();
  CHECK_FALSE(is_in_memory(file));
}

TEST_CASE("what is refused or only checked does not stay loaded") {
  const PluginFolder folder;
  const fs::path good = folder.add("good", "a.so"), same = folder.add("same-type", "b.so"),
                 other = folder.add("right", "other.plugin");
  CHECK(check_plugin_file(other).status == PluginStatus::loaded);
  CHECK_FALSE(is_in_memory(other));
  const Registry registry(only({folder.text()}));
  CHECK(is_in_memory(good));
  CHECK_FALSE(is_in_memory(same));
}

TEST_CASE("a type knows its plugin") {
  const PluginFolder folder;
  folder.add("left");
  folder.add("right");
  const Registry registry(only({folder.text()}));
  CHECK(registry.plugin_of("left-joint") == "left");
  CHECK(registry.plugin_of("right-joint") == "right");
  CHECK(registry.plugin_of("no-joint").empty());
  CHECK(registry.plugin_of(find(registry.catalog().joints, "right-joint")) == "right");
  const polyform::JointType* const none = nullptr;
  CHECK(registry.plugin_of(none).empty());
}

TEST_CASE("two registries may load the same plugins") {
  const PluginFolder folder;
  folder.add("left");
  const Registry one(only({folder.text()}));
  {
    const Registry two(only({folder.text()}));
    CHECK(two.catalog().joints.size() == 1);
  }
  CHECK(find(one.catalog().joints, "left-joint")->name() == "left-joint");
}

TEST_CASE("loading the plugins of this build takes milliseconds") {
  if (polyform::test::has_address_sanitizer) return;  // which looks at every library that is loaded
  const std::clock_t start = std::clock();
  const Registry registry(only({installed_plugin_folder()}));
  const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  INFO(registry.plugins().size() << " files in " << milliseconds << " ms");
  CHECK(milliseconds < 250);  // time of this process: a busy machine does not matter
}
