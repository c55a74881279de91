// Text for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace polyform::apps {

/// Columns that a line may have.
inline constexpr std::size_t line_width = 79;

/// Columns that a text in UTF-8 takes: its characters.
std::size_t columns_of(std::string_view text);

/// Breaks a line into lines of at most line_width columns, cut between words. The first one begins after `begun`
/// columns that stand there already; the others are indented. A word that is too long for a line stays whole. There is
/// no line end at the end.
std::string wrapped(std::string_view text, std::size_t begun, std::size_t indent);

/// A name in a column of its own, with its meaning next to it in lines that begin at `column`; a name that is too long
/// for its column has a line of its own. Ends with a line end.
std::string wrapped_entry(std::string_view name, std::string_view meaning, std::size_t column);

/// Paragraphs in lines of at most line_width columns. Lines that begin with a blank stay as they are, and so do line
/// ends before an example and after a colon.
std::string wrapped_paragraphs(std::string_view text);

/// Breaks lines that are too long. Further parts are indented by two more than the first, or by `indent` columns.
std::string wrapped_lines(std::string_view text, std::size_t indent = 0);

}  // namespace polyform::apps
