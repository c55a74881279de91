#include "named_files.hpp"

#include "mesh_files.hpp"
#include "polyform/contract/named_files.hpp"

namespace polyform::importers {

namespace fs = std::filesystem;

namespace {

/// Whether a value may name a file: it has an ending that is no part of a number. Longer ones are no paths.
bool may_be_file(std::string_view value) {
  constexpr std::size_t longest = 4096;
  if (value.empty() || value.size() > longest || value.find_first_of("\n\r") != std::string_view::npos) return false;
  const std::size_t dot = value.rfind('.'), slash = value.find_last_of("/\\");
  if (dot == std::string_view::npos || dot + 1 == value.size()) return false;
  const char first = value[dot + 1];
  return (slash == std::string_view::npos || slash < dot) && !(first >= '0' && first <= '9');
}

}  // namespace

void tell_named_files(const XmlFile& file, const std::vector<fs::path>& folders, std::string_view packages,
                      ConversionSink& sink) {
  auto* const host = ask<NamedFiles>(sink);
  if (host == nullptr) return;
  host->named(file.name());
  const std::vector<fs::path> of_packages = folders_in(packages);
  file.each_value([&](std::string_view value) {
    if (!may_be_file(value)) return;
    const std::string uri(value);
    if (const std::string path = file_named(uri, file.name(), of_packages); !path.empty()) host->named(path);
    for (const fs::path& folder : folders)
      for (const fs::path& name : {fs::path(uri), fs::path(uri).filename()}) {
        std::error_code ignored;
        if (fs::is_regular_file(folder / name, ignored)) host->named((folder / name).string());
      }
  });
}

}  // namespace polyform::importers
