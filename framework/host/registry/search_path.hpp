// The places in which plugins are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace polyform::host::inline registry {

/// The value of POLYFORM_PLUGIN_PATH; empty when not set.
std::string plugin_path_of_environment();

/// The folders in which plugins and data (examples, models) are installed, seen from the executable:
/// ../lib/polyform/plugins and ../share/polyform unless the build says otherwise, in the build tree as in an
/// installation. Empty if the system does not tell where the executable is.
std::filesystem::path installed_plugin_folder();
std::filesystem::path installed_data_folder();
/// Where the SDK stands, its libraries and its headers.
std::filesystem::path installed_library_folder();
std::filesystem::path installed_include_folder();
/// Where other engines stand as formulations, beside the folder of plugins; they are loaded when they are asked for.
std::filesystem::path installed_witness_folder();

/// A command gives only the list of --plugin-path; the rest is as the process finds it.
struct RegistryOptions {
  RegistryOptions(std::vector<std::string> paths = {}) : plugin_paths(std::move(paths)) {}

  std::vector<std::string> plugin_paths;                   ///< folders or files; the first wins
  std::string environment = plugin_path_of_environment();  ///< folders or files, separated by colons
  std::filesystem::path installation = installed_plugin_folder();
  bool trial = false;  ///< load every file in a process of its own first, so that one that ends the program is refused
};

/// One entry of the search path.
struct SearchedPlace {
  std::filesystem::path path;  ///< absolute
  std::string origin;          ///< "--plugin-path", "POLYFORM_PLUGIN_PATH" or "installation"
  std::string problem;         ///< why the place was not searched, one sentence; empty if it was
};

/// The places in the order of search. A relative --plugin-path is resolved against the working directory, since the
/// user typed it there. Entries of the environment variable never mean the working directory: relative ones are skipped
/// with a problem, empty ones ignored.
std::vector<SearchedPlace> places_to_search(const RegistryOptions&);

/// A file that may be a plugin.
struct FoundFile {
  std::filesystem::path path;
  bool chosen = false;  ///< found where the user said, not in the installation
};

/// Finds the candidates: all *.so of each folder in alphabetical order, and the files given themselves. A file that is
/// reached twice (links, the same folder twice) counts once. Sets the problem of folders that cannot be listed.
std::vector<FoundFile> candidate_files(std::vector<SearchedPlace>&);

}  // namespace polyform::host::registry
