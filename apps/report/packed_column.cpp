#include "apps/report/packed_column.hpp"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <new>
#include <vector>

namespace polyform::apps {

namespace {

std::vector<unsigned char> by_significance(std::span<const double> values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(double));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    for (std::size_t b = 0; b < sizeof(double); ++b)
      bytes[b * values.size() + i] = static_cast<unsigned char>(bits >> (8 * b));
  }
  return bytes;
}

std::vector<unsigned char> deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> out(size);
  if (compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto byte = [&](std::size_t k) { return k < left ? std::uint32_t{bytes[i + k]} : 0u; };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += digits[three >> 18];
    out += digits[three >> 12 & 63];
    out += left > 1 ? digits[three >> 6 & 63] : '=';
    out += left > 2 ? digits[three & 63] : '=';
  }
  return out;
}

}  // namespace

std::string pack_column(std::span<const double> values) { return base64(deflated(by_significance(values))); }

std::string pack_text(std::string_view text) {
  return base64(deflated({reinterpret_cast<const unsigned char*>(text.data()), text.size()}));
}

}  // namespace polyform::apps
