#include "framework/host/registry/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <type_traits>

#include "framework/host/registry/crash_guard.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/registry/type_checks.hpp"

namespace polyform::host::inline registry {

namespace {

constexpr const char* tell_author =
    "report this to the author of the plugin, and remove it from the plugin folder until then";

/// Collects what polyform_register adds. The first mistake is kept; nothing escapes into the plugin.
class Collector final : public Registrar, private DeviceRegistrar {
 public:
  /// `declared`: the kind in the manifest.
  Collector(Catalog& into, std::string_view declared) : into_(into), declared_(declared) {}

  void add(const Formulation& type) noexcept override { keep("formulation", type, into_.formulations); }
  void add(const JointType& type) noexcept override { keep("joint", type, into_.joints); }
  void add(const ForceType& type) noexcept override { keep("force", type, into_.forces); }
  void add(const FlexibleBodyType& type) noexcept override { keep("flexible body", type, into_.flexible_bodies); }
  void add(const ModuleType& type) noexcept override { keep("module", type, into_.modules); }
  void add(const ConstraintType& type) noexcept override { keep("constraint", type, into_.constraints); }
  void add(const IntegratorType& type) noexcept override { keep("integrator", type, into_.integrators); }
  void add(const ImporterType& type) noexcept override { keep("importer", type, into_.importers); }
  void add(const DeviceType& type) noexcept override { keep("device", type, into_.devices); }
  void* query(std::string_view asked) noexcept override {
    return asked == DeviceRegistrar::interface_name ? static_cast<DeviceRegistrar*>(this) : nullptr;
  }

  std::size_t count() const noexcept { return count_; }
  const std::string& mistake() const noexcept { return mistake_; }
  const std::string& stranger() const noexcept { return stranger_; }
  bool out_of_memory() const noexcept { return out_of_memory_; }

 private:
  /// The kind of plugin that offers such types, as manifests name it.
  template <class Type>
  static constexpr std::string_view plugin_kind = std::is_same_v<Type, Formulation>      ? "formulation"
                                                  : std::is_same_v<Type, IntegratorType> ? "integrator"
                                                  : std::is_same_v<Type, ImporterType>   ? "importer"
                                                  : std::is_same_v<Type, DeviceType>     ? "device"
                                                                                         : "elements";
  template <class Type>
  void keep(std::string_view kind, const Type& type, Named<Type>& names) noexcept {
    ++count_;
    try {
      const std::string_view name = type.name();
      if (name.empty()) return note(fmt::format("registers a {} without a name", kind));
      if (plugin_kind<Type> != declared_ && stranger_.empty()) stranger_ = fmt::format("the {} '{}'", kind, name);
      if (!names.emplace(name, &type).second) note(fmt::format("registers the {} '{}' twice", kind, name));
      if (const std::string mistake = mistake_of(type); !mistake.empty())
        note(fmt::format("registers the {} '{}', {}", kind, name, mistake));
    } catch (...) {
      out_of_memory_ = true;
    }
  }
  void note(std::string mistake) {
    if (mistake_.empty()) mistake_ = std::move(mistake);
  }

  Catalog& into_;
  const std::string_view declared_;
  std::size_t count_ = 0;
  std::string mistake_;   ///< the first, to follow the name of the file
  std::string stranger_;  ///< the first type that is not of the declared kind
  bool out_of_memory_ = false;
};

/// Opens a library; nullptr if the loader refuses the file. Exceptions of static constructors pass through dlopen,
/// although it is declared never to throw. They can be caught because dlopen is called by a pointer that the compiler
/// cannot see through; called by its name, as Boost.DLL does, they end the program.
void* open_catchably(const std::filesystem::path& file) {
  void* (*volatile open)(const char*, int) = ::dlopen;
  return open(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Files whose static constructors threw, with the exceptions. The loader keeps such a library in memory, half
/// constructed, and would hand it out as sound the next time.
class Broken {
 public:
  void add(const std::filesystem::path& file, const std::string& thrown) {
    const std::lock_guard lock(mutex_);
    files_.emplace(file, thrown);
  }
  void refuse_if_known(const std::filesystem::path& file) {
    const std::lock_guard lock(mutex_);
    if (const auto found = files_.find(file); found != files_.end()) throw failure(found->second);
  }
  static LoadFailure failure(const std::string& thrown) {
    return {Refusal::failed_to_register, thrown_while("loaded", thrown), tell_author};
  }

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, std::string> files_;
};

Broken& broken() {
  static Broken files;
  return files;
}

/// Loads the library and turns exceptions of its static constructors into failures.
void* open_or_fail(const std::filesystem::path& file) {
  broken().refuse_if_known(file);
  std::string thrown;
  try {
    return open_catchably(file);
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of a type unknown here";
  }
  broken().add(file, thrown);
  throw Broken::failure(thrown);
}

/// Sorts the loader's messages: something that the library needs is missing, or the file is no library.
LoadFailure loader_failure(const std::string& text) {
  for (const std::string_view sign : {"undefined symbol", "cannot open shared object file", "version `"})
    if (text.find(sign) != std::string::npos)
      return {Refusal::missing_dependency, fmt::format("needs something that this system does not offer ({})", text),
              "install the missing library or put its folder into LD_LIBRARY_PATH, or rebuild the plugin with all it "
              "needs"};
  for (const std::string_view sign : {"Cannot allocate memory", "cannot map zero-fill pages", "failed to map segment"})
    if (text.find(sign) != std::string::npos)
      return {Refusal::failed_to_register,
              fmt::format("takes more memory than the {:.3g} GiB that a plugin may have while it is loaded ({})",
                          static_cast<double>(largest_load()) / 0x1p30, text),
              "free memory, or let the plugin make its large tables when a model needs them"};
  return {Refusal::not_a_library, fmt::format("cannot be loaded as a shared library ({})", text), "rebuild the plugin"};
}

}  // namespace

std::string thrown_while(std::string_view state, std::string_view text) {
  return fmt::format("threw an exception while it was {} ({})", state, text);
}

Library::Library(const std::filesystem::path& file, const PluginManifest& expected) {
  const ProcessState before;
  load(file);
  PluginManifest loaded{};
  // A symbol of the sections may be missing in the hash table of the loader.
  for (const char* symbol : {"polyform_manifest", "polyform_register"})
    if (!library_.has(symbol))
      throw LoadFailure{Refusal::missing_symbol,
                        fmt::format("does not export `{}`, although its symbol table names it", symbol),
                        "rebuild the plugin: the file is damaged"};
  const auto& in_memory = library_.get<const PluginManifest>("polyform_manifest");
  std::memcpy(&loaded, &in_memory, std::min<std::size_t>(in_memory.size, sizeof loaded));
  if (std::memcmp(&loaded, &expected, sizeof loaded) != 0)
    throw LoadFailure{Refusal::bad_manifest, "has another manifest in memory than in its section .polyform",
                      "rebuild it, and do not change it while polyform starts"};
  collect(expected.kind);
}

void Library::load(const std::filesystem::path& file) {
  void* const first = open_or_fail(file);
  if (!first) {
    const char* const text = ::dlerror();
    throw loader_failure(text ? text : "no reason given");
  }
  // The library is in memory by now; this takes hold of it. Local symbols: no plugin sees those of another. All symbols
  // now: a missing one is found here, not in the middle of a run.
  boost::dll::fs::error_code error;
  library_.load(boost::dll::fs::path(file.native()), error,
                boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  ::dlclose(first);
  if (error) throw LoadFailure{Refusal::unreadable, "vanished while it was loaded", "start again"};
}

void Library::collect(std::string_view declared) {
  Collector collector(offered_, declared);
  library_.get<void(Registrar&)>("polyform_register")(collector);
  if (collector.out_of_memory()) throw std::bad_alloc();
  if (const std::string& stranger = collector.stranger(); !stranger.empty())
    throw LoadFailure{Refusal::bad_manifest,
                      fmt::format("calls itself a plugin of kind '{}', but registers {}", declared, stranger),
                      "put 'formulation' into POLYFORM_PLUGIN for formulations, 'integrator' for integrators, "
                      "'importer' for importers, 'device' for devices and 'elements' for all else, and make a plugin "
                      "of each kind of a library that has several"};
  std::string mistake = collector.mistake();
  if (mistake.empty() && collector.count() == 0) mistake = "registers nothing";
  if (!mistake.empty()) throw LoadFailure{Refusal::failed_to_register, std::move(mistake), tell_author};
}

}  // namespace polyform::host::registry
