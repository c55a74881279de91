// A folder of plugins that a test puts together from the built fixtures; it is removed at the end of the test.
#pragma once

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "framework/host/registry/registry.hpp"

namespace polyform::host::test {

namespace fs = std::filesystem;

class PluginFolder {
 public:
  PluginFolder() {
    std::string name = (fs::temp_directory_path() / "polyform-plugins-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~PluginFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  const fs::path& path() const { return path_; }
  std::string text() const { return path_.string(); }

  /// Copies a built fixture here, under its own or another name.
  fs::path add(const std::string& fixture, std::string as = {}) const {
    if (as.empty()) as = fixture + ".so";
    const fs::path to = path_ / as;
    fs::create_directories(to.parent_path());
    fs::copy_file(fs::path(POLYFORM_FIXTURES) / (fixture + ".so"), to);
    REQUIRE(::chmod(to.c_str(), 0755) == 0);
    return to;
  }
  /// Writes a file of these bytes here.
  fs::path write(const std::string& name, const std::string& bytes) const {
    const fs::path to = path_ / name;
    std::ofstream(to, std::ios::binary) << bytes;
    REQUIRE(::chmod(to.c_str(), 0755) == 0);
    return to;
  }

 private:
  fs::path path_;
};

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The registry that finds these places and nothing else.
inline RegistryOptions only(std::vector<std::string> places) {
  RegistryOptions options(std::move(places));
  options.environment.clear();
  options.installation.clear();
  return options;
}

/// The record of a file; fails the test when there is none.
inline const PluginRecord& record_of(const Registry& registry, const fs::path& file) {
  for (const PluginRecord& record : registry.plugins())
    if (record.file == file) return record;
  FAIL("no record of " << file);
  std::abort();
}

}  // namespace polyform::host::test
