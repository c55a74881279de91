// Text that is safe to show: what steers a terminal, turns the order of writing or cannot be seen.
#pragma once

#include <string>
#include <string_view>

namespace polyform::host {

/// The first character of UTF-8 text that no name and no message may have as it is: control characters (C0, DEL, C1),
/// those that turn the direction of writing or separate lines, those that are invisible, and bytes that are no UTF-8.
/// Its place and length in bytes; the length is 0 if there is none.
struct Unprintable {
  std::size_t place = 0, length = 0;
};
Unprintable first_unprintable(std::string_view text) noexcept;

/// The text with such characters written out: \n, \t, \x1b, \u202e. If `lines` is set, line ends and blanks stay.
std::string printable(std::string_view text, bool lines = false);

}  // namespace polyform::host
