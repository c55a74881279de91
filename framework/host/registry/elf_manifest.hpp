// The manifest of a plugin, read from its file: nothing is mapped, loaded or run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "framework/host/registry/plugin_record.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::host::inline registry {

/// The manifest as it stands in the file, or why there is none.
struct ManifestReading {
  std::optional<PluginManifest> manifest;  ///< contents unchecked; texts may lack their end
  /// Without a manifest: unreadable, not_a_library, missing_symbol or bad_manifest.
  Refusal refusal = Refusal::unreadable;
  std::string finding;  ///< what was found, e.g. "is empty, where a shared library is expected"
  std::string remedy;
};

/// Reads an ELF64 shared library for this machine: checks that all its segments lie within the file, that it exports
/// polyform_manifest and polyform_register, and copies the section ".polyform". Withstands cut or hostile files.
ManifestReading read_manifest(const std::filesystem::path&);

}  // namespace polyform::host::registry
