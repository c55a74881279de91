#include "framework/host/registry/search_path.hpp"

#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

namespace polyform::host::inline registry {

namespace fs = std::filesystem;

namespace {

/// The path in absolute form, without "." and "..", and without a slash at the end.
fs::path tidy(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) absolute = path;
  absolute = absolute.lexically_normal();
  return absolute.has_filename() || !absolute.has_parent_path() ? absolute : absolute.parent_path();
}

/// A path relative to the folder of the executable; empty if the system does not tell where that is.
fs::path from_program(const char* relative) {
  boost::system::error_code error;
  const boost::filesystem::path program = boost::dll::program_location(error);
  if (error || program.empty()) return {};
  return tidy(fs::path(program.native()).parent_path() / relative);
}

SearchedPlace typed_place(const std::string& text) {
  constexpr const char* origin = "--plugin-path";
  if (text.empty()) return {{}, origin, "--plugin-path was given an empty name; give a folder or a plugin file."};
  return {tidy(text), origin, {}};
}

void add_environment(std::string_view text, std::vector<SearchedPlace>& places) {
  constexpr const char* origin = "POLYFORM_PLUGIN_PATH";
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    if (entry.empty()) continue;
    const fs::path path(entry);
    if (path.is_absolute())
      places.push_back({tidy(path), origin, {}});
    else
      places.push_back({path, origin,
                        fmt::format("POLYFORM_PLUGIN_PATH has the relative entry '{}', which is not used because "
                                    "it would depend on the working directory; write it as an absolute path.",
                                    entry)});
  }
}

constexpr const char* installation = "installation";

/// Adds the *.so of a folder, in alphabetical order.
void add_folder(SearchedPlace& place, std::vector<FoundFile>& files) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator next(place.path, error), end; !error && next != end; next.increment(error))
    if (next->path().extension() == ".so") found.push_back(next->path());
  if (error)
    place.problem =
        fmt::format("{} cannot be listed ({}); check its permissions.", place.path.string(), error.message());
  std::sort(found.begin(), found.end());
  for (fs::path& file : found) files.push_back({std::move(file), place.origin != installation});
}

}  // namespace

std::string plugin_path_of_environment() {
  const char* const value = std::getenv("POLYFORM_PLUGIN_PATH");
  return value ? value : "";
}

fs::path installed_plugin_folder() { return from_program(POLYFORM_BIN_TO_PLUGINS); }
fs::path installed_witness_folder() { return from_program(POLYFORM_BIN_TO_PLUGINS "/../witnesses"); }
fs::path installed_library_folder() { return from_program(POLYFORM_BIN_TO_PLUGINS "/.."); }
fs::path installed_include_folder() { return from_program(POLYFORM_BIN_TO_INCLUDE); }
fs::path installed_data_folder() { return from_program(POLYFORM_BIN_TO_DATA); }

std::vector<SearchedPlace> places_to_search(const RegistryOptions& options) {
  std::vector<SearchedPlace> places;
  for (const std::string& text : options.plugin_paths) places.push_back(typed_place(text));
  add_environment(options.environment, places);
  if (!options.installation.empty()) places.push_back({tidy(options.installation), installation, {}});
  return places;
}

std::vector<FoundFile> candidate_files(std::vector<SearchedPlace>& places) {
  std::vector<FoundFile> files;
  for (SearchedPlace& place : places) {
    if (!place.problem.empty()) continue;
    std::error_code error;
    const fs::file_status status = fs::status(place.path, error);
    if (fs::is_directory(status))
      add_folder(place, files);
    else if (fs::exists(status))
      files.push_back({place.path, place.origin != installation});
    else
      place.problem = fmt::format("{} does not exist or cannot be reached; correct {}.", place.path.string(),
                                  place.origin == installation ? "the installation" : place.origin);
  }
  std::set<fs::path> seen;
  std::erase_if(files, [&seen](const FoundFile& file) {
    std::error_code error;
    const fs::path target = fs::canonical(file.path, error);
    return !seen.insert(error ? file.path : target).second;
  });
  return files;
}

}  // namespace polyform::host::registry
