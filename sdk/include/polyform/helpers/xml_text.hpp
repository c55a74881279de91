// Text within XML.
#pragma once

#include <string>
#include <string_view>

namespace polyform {

/// The text as content of an element, or as value of an attribute in double quotes. Characters that XML 1.0 cannot hold
/// become question marks.
inline std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += '?';
    else
      out += c;
  }
  return out;
}

}  // namespace polyform
