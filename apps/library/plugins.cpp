#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "apps/library/internal.hpp"
#include "framework/host/registry/process_state.hpp"

namespace polyform::library {

namespace {

/// The folder of plugins beside this library; empty if the system does not tell where it is.
std::filesystem::path plugins_beside_library() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&version), &here) == 0 || here.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path library = std::filesystem::canonical(here.dli_fname, error);
  if (error) return {};
  // Beside the library in a build and in an installation.
  return library.parent_path() / "polyform" / "plugins";
}

struct Loaded {
  explicit Loaded(const host::RegistryOptions& options) : registry(options) {}
  host::Registry registry;
};

}  // namespace

std::string version() { return POLYFORM_VERSION; }

std::string library_of_fmus() { return (plugins_beside_library().parent_path() / "polyform_fmu.so").string(); }

const host::Registry& registry_of(const std::vector<std::string>& paths) {
  // These are never unloaded: threads and objects of the program may outlive any order of destruction.
  static std::mutex& guard = *new std::mutex;
  static auto& all = *new std::map<std::pair<std::vector<std::string>, std::string>, std::unique_ptr<Loaded>>;
  host::RegistryOptions options(paths);
  options.installation = plugins_beside_library();
  const std::lock_guard lock(guard);
  std::unique_ptr<Loaded>& loaded = all[{paths, options.environment}];
  if (!loaded) {
    const host::ProcessState before;
    loaded = std::make_unique<Loaded>(options);
  }
  apps::warn_of_refused(loaded->registry);
  return loaded->registry;
}

apps::Plugins plugins_of(const std::vector<std::string>& paths) {
  const host::Registry& registry = registry_of(paths);
  return {&registry.catalog(), registry.keep_alive(), &registry.plugins()};
}

}  // namespace polyform::library
