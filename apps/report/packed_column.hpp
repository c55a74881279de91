// Numbers and text for a page, compressed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace polyform::apps {

/// All bits of the numbers: their bytes, least significant first, put together by significance (all first bytes, all
/// second bytes, …), which compresses better; as a zlib stream; in base64.
std::string pack_column(std::span<const double>);

/// A text as a zlib stream, in base64.
std::string pack_text(std::string_view);

}  // namespace polyform::apps
