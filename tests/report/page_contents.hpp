// What tests read from the page of a report.
#pragma once

#include <zlib.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace polyform::test {

/// Text between the marks, the first time they occur.
inline std::optional<std::string> between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t first = begin + from.size();
  return text.substr(first, text.find(to, first) - first);
}

inline std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255u);
  }
  return out;
}

inline std::string unpacked(const std::string& base64) {
  const std::string packed = from_base64(base64);
  for (std::size_t room = 16 * packed.size();; room *= 4) {
    std::string out(room, '\0');
    uLongf size = out.size();
    const int end = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (end == Z_BUF_ERROR) continue;
    REQUIRE(end == Z_OK);
    out.resize(size);
    return out;
  }
}

/// What the page says about its runs, tables and mechanism.
inline nlohmann::json description_of(const std::string& page) {
  const auto text = between(page, "id=\"report\">", "<");
  REQUIRE(text);
  return nlohmann::json::parse(unpacked(*text));
}

/// The numbers of a column of the page, as its script unpacks them.
inline std::vector<double> column_of(const std::string& page, std::size_t run, std::size_t column, std::size_t rows) {
  const std::size_t per_block = description_of(page).at("runs").at(run).at("columns_per_block");
  const auto text =
      between(page, "id=\"columns-" + std::to_string(run) + "-" + std::to_string(column / per_block) + "\">", "<");
  REQUIRE(text);
  const std::string planes = unpacked(*text);
  const std::size_t count = planes.size() / 8, first = column % per_block * rows;
  REQUIRE(first + rows <= count);
  std::vector<double> values;
  for (std::size_t i = first; i < first + rows; ++i) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < 8; ++b)
      bits |= std::uint64_t{static_cast<unsigned char>(planes[b * count + i])} << (8 * b);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

inline void require_same(const std::vector<double>& page, const std::vector<double>& file) {
  REQUIRE(page.size() == file.size());
  for (std::size_t i = 0; i < file.size(); ++i)
    REQUIRE(std::bit_cast<std::uint64_t>(page[i]) == std::bit_cast<std::uint64_t>(file[i]));
}

}  // namespace polyform::test
