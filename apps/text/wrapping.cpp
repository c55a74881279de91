#include "apps/text/wrapping.hpp"

#include <algorithm>
#include <vector>

namespace polyform::apps {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Whether a line stands by itself, after the one before it.
bool begins_anew(std::string_view line, std::string_view before) {
  return line.empty() || before.empty() || line.front() == ' ' || before.front() == ' ' || before.back() == ':' ||
         line.starts_with("Example");
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string wrapped(std::string_view text, std::size_t begun, std::size_t indent) {
  std::string out;
  std::size_t used = begun;
  while (used + columns_of(text) > line_width) {
    const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
    std::size_t cut = std::string_view::npos;
    for (std::size_t next = text.find(' ', start); next != std::string_view::npos; next = text.find(' ', next + 1)) {
      if (cut != std::string_view::npos && used + columns_of(text.substr(0, next)) > line_width) break;
      cut = next;
    }
    if (cut == std::string_view::npos) break;
    out += text.substr(0, text.find_last_not_of(' ', cut) + 1);
    text.remove_prefix(std::min(text.find_first_not_of(' ', cut), text.size()));
    if (text.empty()) return out;
    out += '\n' + std::string(indent, ' ');
    used = indent;
  }
  return out += text;
}

std::string wrapped_entry(std::string_view name, std::string_view meaning, std::size_t column) {
  std::string out(name);
  const std::size_t used = columns_of(name);
  if (meaning.empty()) return out + '\n';
  out += used < column ? std::string(column - used, ' ') : '\n' + std::string(column, ' ');
  bool first = true;
  for (const std::string_view line : split(meaning, '\n')) {
    if (!first) out += '\n' + std::string(column, ' ');
    out += wrapped(line, column, column);
    first = false;
  }
  return out + '\n';
}

std::string wrapped_paragraphs(std::string_view text) {
  std::string out, paragraph;
  std::string_view before;
  const auto flush = [&] {
    out += !paragraph.empty() && paragraph.front() == ' ' ? paragraph : wrapped(paragraph, 0, 0);
    paragraph.clear();
  };
  bool first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!first && begins_anew(line, before)) {
      flush();
      out += '\n';
    } else if (!first) {
      paragraph += ' ';
    }
    paragraph += line;
    before = line;
    first = false;
  }
  flush();
  return out;
}

std::string wrapped_lines(std::string_view text, std::size_t indent) {
  std::string out;
  bool first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!first) out += '\n';
    out += wrapped(line, 0, indent > 0 ? indent : std::min(line.find_first_not_of(' '), line.size()) + 2);
    first = false;
  }
  return out;
}

}  // namespace polyform::apps
