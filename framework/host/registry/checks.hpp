// What a file must satisfy before any of its code runs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "framework/host/registry/plugin_record.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::host::inline registry {

/// A candidate file on its way to being loaded.
struct Candidate {
  std::filesystem::path file;
  PluginManifest manifest{};
  std::size_t record = 0;  ///< index of its record in the registry
  bool named = false;      ///< the search path names the file itself, not a folder
  bool chosen = false;     ///< found where the user said, not in the installation
};

/// Marks the record as refused; the explanation becomes "FILE finding; remedy".
void refuse(PluginRecord&, Refusal, std::string_view finding, std::string_view remedy);

/// Reads the manifest of the record's file into candidate and record and makes all checks but that of the CPU.
/// False when the file is refused, which the record then says.
bool examine(PluginRecord&, Candidate&);

/// Rank of an instruction set on this CPU: a higher one is faster; 0 when the CPU cannot run it or it is not known.
int usable_rank(std::string_view instruction_set) noexcept;
/// The best known instruction set that this CPU can run.
std::string_view best_instruction_set() noexcept;
/// Refuses a plugin that needs instructions which this CPU lacks.
void refuse_instruction_set(PluginRecord&);

/// Refuses a file that others may change, or put another in place of: it and the folders up to the root, on the way
/// that was given and on the one that links lead to, must belong to the user, to root or to the owner of this program.
/// The file and its folder must not be writable for everyone or for a group, unless that is the private group of the
/// user (a group of the user's own name, as most distributions set it up along with a umask of 002), which is nobody
/// else. A folder above may be writable for everyone where it is sticky, as /tmp.
bool check_permissions(PluginRecord&);

}  // namespace polyform::host::registry
