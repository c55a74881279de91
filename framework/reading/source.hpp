// Files to text.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "framework/reading/report.hpp"

namespace polyform::host {

/// The content of a file; nothing after a report (not there, a directory, unreadable, larger than is read).
std::optional<std::string> read_source(const std::string& file, Report&);
/// What to do where a file is not there: names one of a like name beside it that has one of the extensions (".yaml"),
/// the first that is it but for the extension.
std::string remedy_for_missing(const std::filesystem::path&, std::initializer_list<std::string_view> extensions);

}  // namespace polyform::host
