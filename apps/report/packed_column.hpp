// Columns of numbers as text for a page.
#pragma once

#include <span>
#include <string>

namespace polyform::apps {

/// All bits of the numbers: their bytes, least significant first, put together by significance (all first bytes, all
/// second bytes, …), which compresses better; as a zlib stream; in base64.
std::string pack_column(std::span<const double>);

}  // namespace polyform::apps
