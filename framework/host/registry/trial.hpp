// Loading a plugin where a crash does no harm.
#pragma once

#include <filesystem>
#include <string>

#include "polyform/contract/plugin.hpp"

namespace polyform::host::inline registry {

/// Loads, registers and unloads the plugin in a process of its own, without output. Empty when that survived (whether
/// or not the plugin was refused in an orderly way); otherwise what happened, e.g. "ends the program with signal 11
/// (Segmentation fault) when it is loaded". A load that takes longer than longest_load counts as hung, one
/// that takes more memory than largest_load as too large.
std::string crash_in_trial(const std::filesystem::path& file, const PluginManifest& expected);

}  // namespace polyform::host::registry
