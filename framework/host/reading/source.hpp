// Files to text.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "framework/host/reading/report.hpp"

namespace polyform::host::inline reading {

/// The content of a file; nothing after a report (not there, a directory, unreadable, larger than is read).
std::optional<std::string> read_source(const std::string& file, Report&);
/// The path of a file that a value names: from the folder of the file in which the value stands, else from that of the
/// model. If it is at neither place, from the former.
std::string named_path(const std::string& name, const Report& of_value, const std::string& model);
/// From where it is looked for, as a remedy.
std::string_view place_of_named(const Report& of_value, const std::string& model);
/// The remedy if a file is not there: it names a file in the same folder with a similar name and one of the extensions
/// (".yaml"), first one that differs by its extension alone.
std::string remedy_for_missing(const std::filesystem::path&, std::initializer_list<std::string_view> extensions);

}  // namespace polyform::host::reading
