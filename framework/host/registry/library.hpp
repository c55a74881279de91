// One plugin library in memory.
#pragma once

#include <boost/dll/shared_library.hpp>

#include <filesystem>
#include <string>
#include <string_view>

#include "framework/host/registry/catalog.hpp"
#include "framework/host/registry/plugin_record.hpp"

namespace polyform::host::inline registry {

/// A plugin that could not be loaded or registered.
struct LoadFailure {
  Refusal refusal;
  std::string finding, remedy;
};

/// The finding on a plugin whose code threw an exception with this text, while the plugin was "loaded" or "unloaded".
std::string thrown_while(std::string_view state, std::string_view text);

/// Loads a library, checks that it is the one whose manifest was read, and collects what it registers. Throws
/// LoadFailure. Move-only; unloads when destroyed.
class Library {
 public:
  Library(const std::filesystem::path& file, const PluginManifest& expected);

  /// What it offers; valid while the library lives.
  const Catalog& offered() const noexcept { return offered_; }

 private:
  void load(const std::filesystem::path& file);
  void collect(std::string_view declared);

  boost::dll::shared_library library_;
  Catalog offered_;
};

}  // namespace polyform::host::registry
