// Whole files as they are.
#pragma once

#include <optional>
#include <string>

namespace polyform::host {

/// All bytes of a file; nothing if it cannot be read.
std::optional<std::string> file_content(const std::string& file);

}  // namespace polyform::host
