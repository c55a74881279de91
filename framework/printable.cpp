#include "framework/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace polyform::host {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || length > text.size()) return {first, 1, false};
  std::uint32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {first, 1, false};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = code < (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {first, 1, false};
  return {code, length, true};
}

/// Decides by Unicode's blocks. The joiners U+200C and U+200D belong to the spelling of words in several scripts.
bool is_unprintable(const Character& c) {
  const auto within = [&](std::uint32_t low, std::uint32_t high) { return c.code >= low && c.code <= high; };
  return !c.valid || within(0x00, 0x1F) || within(0x7F, 0x9F)  // control characters
         || c.code == 0x34F || within(0x115F, 0x1160) || within(0x17B4, 0x17B5) || c.code == 0x2800 ||
         c.code == 0x3164 || c.code == 0xFFA0  // letters and marks without a picture
         || c.code == 0xAD || c.code == 0x61C || c.code == 0x180E || c.code == 0x200B || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x206F)  // lines, directions, invisible ones
         || c.code == 0xFEFF || within(0xFFF0, 0xFFFB) || within(0xE0000, 0xE0FFF);  // marks and tags
}

}  // namespace

Unprintable first_unprintable(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const Character c = decode(text.substr(i));
    if (is_unprintable(c)) return {i, c.length};
    i += c.length;
  }
  return {text.size(), 0};
}

std::string printable(std::string_view text, bool lines) {
  std::string out;
  while (!text.empty()) {
    const Character c = decode(text);
    if (!is_unprintable(c) || (lines && (c.code == '\n' || c.code == '\t')))
      out += text.substr(0, c.length);
    else if (c.code == '\n' || c.code == '\t')
      out += c.code == '\n' ? "\\n" : "\\t";
    else
      out += c.code < 0x80 || !c.valid ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{:04x}", c.code);
    text.remove_prefix(c.length);
  }
  return out;
}

}  // namespace polyform::host
