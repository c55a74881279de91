// The record of one plugin file: found, loaded, passed over or refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyform::host::inline registry {

/// Why a file is not loaded.
enum class Refusal {
  unreadable,          ///< the file cannot be opened or read
  not_a_library,       ///< not an ELF shared library for this machine, or cut short
  missing_symbol,      ///< no manifest, or no polyform_register
  bad_manifest,        ///< the contents of the manifest make no sense
  sdk_version,         ///< needs an SDK that this host does not offer
  compiler_abi,        ///< made for another machine, standard library or calling convention
  contract_sizes,      ///< structures of the contract have another layout
  instruction_set,     ///< needs instructions that this CPU lacks
  duplicate_name,      ///< plugin name or type name is taken
  missing_dependency,  ///< a library or symbol it needs is not there
  unsafe_permissions,  ///< others may change the file
  failed_to_register   ///< its own code failed while it was loaded
};

/// "unreadable", "not_a_library" …: the same word in text and JSON.
std::string_view name_of(Refusal) noexcept;

enum class PluginStatus { loaded, passed_over, refused };

/// "loaded", "passed over", "refused".
std::string_view name_of(PluginStatus) noexcept;

/// One type that a plugin offers.
struct Offer {
  std::string kind;  ///< formulation, integrator, importer, device, joint, force, flexible body, module or constraint
  std::string name;
  std::string meaning;  ///< one line
};

/// One candidate file. Texts from the manifest are printable ASCII, and empty when it could not be read.
struct PluginRecord {
  std::string file;  ///< absolute, as found (not the target of a link)
  std::string kind;  ///< "formulation", "integrator", "importer", "device" or "elements"
  std::string name, version;
  std::string sdk_version;  ///< "major.minor"
  std::string abi, instruction_set;
  std::string compiler;  ///< with its version
  PluginStatus status = PluginStatus::loaded;
  bool chosen = false;             ///< found where the user said: it does not come with polyform
  bool replaced = false;           ///< passed over, because one from a folder that the user named stands in for it
  std::optional<Refusal> refusal;  ///< set when refused
  std::string explanation;    ///< if refused: one sentence with file, finding and remedy; if passed over: the reason
  std::vector<Offer> offers;  ///< of a loaded plugin, by kind and name
};

}  // namespace polyform::host::registry
