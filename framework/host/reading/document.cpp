#include "framework/host/reading/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

#include "framework/host/reading/builder.hpp"

namespace polyform::host::inline reading {

namespace {

/// A message of the YAML parser, and its meaning for people who write models.
struct Translation {
  std::string_view parser, message, remedy;
};
const std::array translations{
    Translation{YAML::ErrorMsg::END_OF_MAP_FLOW, "the map that '{' opens does not go on as 'key: value, …}'",
                "Close it with '}', and put a comma between its entries."},
    Translation{YAML::ErrorMsg::END_OF_SEQ_FLOW, "the list that '[' opens does not go on as 'value, …]'",
                "Close it with ']', and put a comma between its values."},
    Translation{
        YAML::ErrorMsg::END_OF_MAP, "this does not go on as the map that it stands in",
        "Give all keys of a map the same indentation, each as 'key: value'; a text with ': ' in it needs quotes."},
    Translation{YAML::ErrorMsg::END_OF_SEQ, "this does not go on as the list that it stands in",
                "Give all items of a list the same indentation, each after '- '."},
    Translation{YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends within a quoted text", "Close the quotes."},
    Translation{YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias (*) refers to an anchor (&) that is not defined before it",
                "Define the anchor above; a text that begins with * needs quotes."},
    Translation{YAML::ErrorMsg::UNKNOWN_TOKEN, "found a character that cannot stand here",
                "Indent with spaces, not tabs; a text that begins with one of @ ` % , needs quotes."},
    Translation{YAML::ErrorMsg::FLOW_END, "found a closing bracket that nothing opened",
                "Remove it, or check which bracket it should match."},
    Translation{YAML::ErrorMsg::BLOCK_ENTRY, "found '- ' where no list item can stand",
                "Put each item of a list on a line of its own, all with the same indentation."},
    Translation{YAML::ErrorMsg::MAP_VALUE, "found ':' where no 'key: value' can stand",
                "Check the indentation; a text with ': ' in it needs quotes."},
    Translation{YAML::ErrorMsg::MAP_KEY, "found a key where none can stand", "Check the indentation."},
};

/// From a line on; empty where the text has fewer lines.
std::string_view from_line(std::string_view text, int line) {
  for (int i = 1; i < line && !text.empty(); ++i) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

/// Whether the line is indented with a tab, which the parser complains about in many ways.
bool tab_indents(std::string_view text, int line) {
  text = from_line(text, line);
  return text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

/// A name such as leg[2].elbow whose bracket stands at the place: the parser takes it for a list that begins there.
std::string_view name_with_index(std::string_view text, const Place& place) {
  constexpr std::string_view ends = " \t\r\n,:{}\"'";
  text = from_line(text, place.line);
  text = text.substr(0, text.find('\n'));
  const std::size_t bracket = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
  if (bracket == 0 || bracket >= text.size() || text[bracket] != '[') return {};
  const std::size_t before = text.find_last_of(ends, bracket - 1);
  const std::size_t begin = text.find_first_not_of('[', before == std::string_view::npos ? 0 : before + 1);
  const std::size_t digits = text.find_first_not_of("0123456789", bracket + 1);
  if (begin >= bracket || digits == bracket + 1 || digits >= text.size() || text[digits] != ']') return {};
  std::size_t end = digits + 1;
  while (end < text.size() && ends.find(text[end]) == std::string_view::npos && text[end] != ']' && text[end] != ')')
    if (text[end++] == '[') end = std::min(text.find(']', end), text.size() - 1) + 1;
  return text.substr(begin, end - begin);
}

void report_syntax(const YAML::Exception& e, std::string_view text, Report& report) {
  const Place place = e.mark.is_null() ? Place{} : to_place(e.mark);
  if (tab_indents(text, place.line))
    return report.error({place.line, 1}, {}, "not valid YAML: found a tab in the indentation",
                        "Indent with spaces only.");
  if (const std::string_view name = name_with_index(text, place); !name.empty())
    return report.error(place, {}, "not valid YAML: a text with brackets stands within {…} or […] without quotes",
                        name.find('(') == std::string_view::npos ? fmt::format("Put it into quotes: \"{}\".", name)
                                                                 : "Put the whole formula into quotes.");
  for (const Translation& t : translations) {
    if (e.msg.starts_with(t.parser))
      return report.error(place, {}, fmt::format("not valid YAML: {}", t.message), t.remedy);
  }
  report.error(place, {}, fmt::format("not valid YAML: {}", e.msg),
               "Check brackets, quotes and indentation here and above.");
}

bool check_text(std::string_view text, Report& report) {
  if (text.size() > DocumentLimits::bytes) {
    report.error({}, {},
                 fmt::format("the file has more than {} MiB, the most that is read", DocumentLimits::bytes >> 20),
                 "Use chains for systems of many like bodies.");
    return false;
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    report.error({1, 1}, {}, "the file is in UTF-16, expected UTF-8", "Save it as UTF-8.");
    return false;
  }
  const std::size_t bad = first_bad_byte(text);
  if (bad == text.size()) return true;
  report.error(place_of(text, bad), {},
               fmt::format("the file is no text: found byte 0x{:02x}, expected YAML in UTF-8",
                           static_cast<unsigned char>(text[bad])),
               "Check that this is the model file; if it is, save it as UTF-8.");
  return false;
}

/// JSON writes a character beyond U+FFFF as two escapes (surrogates), YAML as one escape with eight digits. Returns the
/// text with pairs of surrogates written as in YAML; a text without such pairs is returned as it is.
std::string with_joined_surrogates(std::string_view text) {
  const auto half = [&](std::size_t at, std::uint32_t kind) -> std::optional<std::uint32_t> {
    std::uint32_t code = 0;
    if (text.substr(at, 2) != "\\u" || at + 6 > text.size()) return std::nullopt;
    const char* const end = text.data() + at + 6;
    if (std::from_chars(text.data() + at + 2, end, code, 16).ptr != end || (code & 0xFC00u) != kind)
      return std::nullopt;
    return code & 0x3FFu;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto high = half(i, 0xD800), low = half(i + std::min<std::size_t>(6, text.size() - i), 0xDC00);
    if (high && low) {
      out += fmt::format("\\U{:08X}", 0x10000u + (*high << 10 | *low));
      i += 12;
      continue;
    }
    // A backslash takes the character that follows it: the second of two backslashes begins no escape.
    const std::size_t length = text[i] == '\\' ? std::min<std::size_t>(2, text.size() - i) : 1;
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

}  // namespace

const Node* Document::parse(std::string_view text, Report& report, const DocumentKind& expected) {
  if (!check_text(text, report)) return nullptr;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte-order mark counts for no column
  Builder builder(text, nodes_, report);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const GiveUp&) {
    return nullptr;
  } catch (const YAML::Exception& e) {
    if (e.msg.starts_with("invalid unicode"))
      if (const std::string joined = with_joined_surrogates(text); joined != text)
        return parse(joined, report, expected);
    report_syntax(e, text, report);
    return nullptr;
  }
  if (builder.root() == nullptr || builder.root()->kind == Node::Kind::nothing) {
    report.error({}, {},
                 text.empty() ? fmt::format("the file is empty, expected a {}", expected.name)
                              : fmt::format("the file holds no {}, only comments or blanks", expected.name),
                 expected.remedy);
    return nullptr;
  }
  return builder.root();
}

void Document::put_at(Place place) noexcept {
  for (Node& node : nodes_) {
    node.place = place;
    for (Node::Entry& entry : node.entries) entry.place = place;
  }
}

std::size_t first_bad_byte(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned lead = byte(i);
    if (lead == 0) return i;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0u) != 0x80u) return i;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    const unsigned second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
      return i;
    i += length;
  }
  return text.size();
}

Place place_of(std::string_view text, std::size_t byte) noexcept {
  Place place{1, 1};
  for (const char c : text.substr(0, byte)) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

}  // namespace polyform::host::reading
