// A sum over bytes that tells whether a file holds what was written.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace polyform::host {

/// Depends on the bytes and their order, not on the pieces in which they come. It takes eight bytes a step, so that it
/// costs little in comparison with writing. It finds accidents, not forgery.
class Checksum {
 public:
  void add(std::string_view bytes) noexcept {
    for (; filled_ > 0 && !bytes.empty(); bytes.remove_prefix(1)) put(bytes.front());
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof word);
      mix(word);
    }
    for (const char c : bytes) put(c);
  }
  std::uint64_t value() const noexcept { return (sum_ ^ rest_) * factor + filled_; }

 private:
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd, without a pattern: the golden ratio
  void mix(std::uint64_t word) noexcept { sum_ = std::rotl((sum_ ^ word) * factor, 29); }
  void put(char c) noexcept {
    std::uint64_t byte = static_cast<unsigned char>(c);
    rest_ |= byte << (8 * filled_);
    if (++filled_ < sizeof rest_) return;
    mix(rest_);
    rest_ = 0;
    filled_ = 0;
  }

  std::uint64_t sum_ = 0, rest_ = 0;  ///< of whole words; bytes of a word that is not yet whole
  unsigned filled_ = 0;
};

}  // namespace polyform::host
