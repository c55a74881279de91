// Files to text.
#pragma once

#include <optional>
#include <string>

#include "framework/reading/report.hpp"

namespace polyform::host {

/// The content of a file; nothing after a report (not there, a directory, unreadable, larger than is read).
std::optional<std::string> read_source(const std::string& file, Report&);

}  // namespace polyform::host
