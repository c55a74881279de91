// The beginning of most commands: the plugins, and a model read with them.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/arguments.hpp"
#include "apps/session/crash_report.hpp"
#include "apps/session/loading.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/process/process.hpp"
#include "framework/host/registry/registry.hpp"
#include "framework/host/results/file_roles.hpp"

namespace polyform::apps {

class Session {
 public:
  /// Loads the plugins; warns of every file that is refused. `memory`: how much may be taken from then on, bytes; 0:
  /// any.
  explicit Session(const std::vector<std::string>& plugin_paths, std::uint64_t memory = host::default_memory_limit(1));

  /// Names the files of the plugins as ones that are read. Failure (bad_input) if something is written to one.
  void add_plugins_to(host::FileRoles&) const;
  const host::Catalog& catalog() const { return registry_.catalog(); }
  const host::Registry& registry() const { return registry_; }
  /// Reads and assembles a model, and prints all messages about it. Failure (already said) if it is not sound: plugin
  /// if only plugins are missing, else bad_input. trial: for commands whose solvers have limits. In the assembly, or
  /// when forces are evaluated for the first time, plugins could end the command or never let it go on. So this is
  /// tried in a process of its own before, within these limits. Failure (simulation_failed) if it does not come to its
  /// end, and (interrupted) when the flag becomes non-zero meanwhile.
  std::unique_ptr<host::System> load(const ModelArguments&, const std::optional<host::ProcessLimits>& trial = {},
                                     const volatile std::sig_atomic_t* interrupted = nullptr);
  /// For systems that are assembled without the session.
  Plugins plugins() const { return {&registry_.catalog(), registry_.keep_alive(), &registry_.plugins()}; }
  /// Reports plugins that end the program.
  CrashReport& crash_report() { return crash_report_; }
  /// The messages about the model that was loaded last.
  const host::Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::unique_ptr<host::System> assemble(host::Description&, host::Diagnostics&);
  void try_assembly(host::Description&, const host::ProcessLimits&, const volatile std::sig_atomic_t* interrupted);

  host::Registry registry_;
  CrashReport crash_report_;
  host::Diagnostics diagnostics_;
};

}  // namespace polyform::apps
