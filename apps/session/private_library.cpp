#include "apps/session/private_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/search_path.hpp"

namespace polyform::apps {

void* private_function(const std::string& library, const char* name, const std::string& what, const char* remedy) {
  const std::filesystem::path file = host::installed_plugin_folder().parent_path() / library;
  void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const entry = opened == nullptr ? nullptr : ::dlsym(opened, name);
  if (entry != nullptr) return entry;
  const char* const reason = ::dlerror();
  throw host::Failure(host::Exit::bad_input,
                      fmt::format("{}: {}", what, reason == nullptr ? "no such library" : reason), remedy);
}

}  // namespace polyform::apps
