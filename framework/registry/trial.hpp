// Loading a plugin where a crash does no harm.
#pragma once

#include <filesystem>
#include <string>

#include "polyform/plugin.hpp"

namespace polyform::host {

/// Loads, registers and unloads the plugin in a child process without output. Empty when the child survived (whether
/// or not the plugin was refused in an orderly way); otherwise what happened, e.g. "ends the program with signal 11
/// (Segmentation fault) when it is loaded". A child that takes more than 20 s counts as hung.
std::string crash_in_trial(const std::filesystem::path& file, const PluginManifest& expected);

}  // namespace polyform::host
