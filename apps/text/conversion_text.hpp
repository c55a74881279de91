// What an import or export did with the things of a file, for people and for programs.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/host/reading/import.hpp"

namespace polyform::apps {

/// A line for each kind of thing that was converted or not honoured, under a line with the counts.
std::string conversion_text(const std::string& file, std::string_view format, const host::Conversion&);
/// All findings, also those that were honoured.
Json conversion_json(const std::string& file, std::string_view format, const host::Conversion&);
/// Prints a conversion on the error stream, as text or as one object, to which the caller may add entries.
void tell(const std::string& file, std::string_view format, const host::Conversion&, bool json, const Json& more);
/// For --strict. Failure (bad_input) if something is not honoured.
void refuse_losses(const std::string& file, const host::Conversion&);

}  // namespace polyform::apps
