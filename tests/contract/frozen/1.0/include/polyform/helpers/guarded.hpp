// Guards against elements that write outside their storage, or change how floating-point numbers are computed.
#pragma once

#include <bit>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace polyform {

/// A signalling pattern that no computation gives.
inline constexpr std::uint64_t guard_word = 0x7FF4'9A3D'C0DE'5A17;

/// Storage for so many numbers and a guard as large as one of them at both ends, so that one number too many is seen
/// whichever part of it is written; see between().
template <class T>
std::vector<T> guarded(std::size_t size) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof guard_word == 0);
  std::vector<T> storage(size + 2);
  char* const bytes = reinterpret_cast<char*>(storage.data());
  for (std::size_t at = 0; at < sizeof(T); at += sizeof guard_word) {
    std::memcpy(bytes + at, &guard_word, sizeof guard_word);
    std::memcpy(bytes + (size + 1) * sizeof(T) + at, &guard_word, sizeof guard_word);
  }
  return storage;
}

/// The numbers between the guards.
template <class T>
std::span<T> between(std::vector<T>& storage) noexcept {
  return std::span(storage).subspan(1, storage.size() - 2);
}

/// Whether nothing was written next to the numbers.
template <class T>
bool intact(const std::vector<T>& storage) noexcept {
  const char* const bytes = reinterpret_cast<const char*>(storage.data());
  const auto word = [bytes](std::size_t at) {
    std::uint64_t found = 0;
    std::memcpy(&found, bytes + at, sizeof found);
    return found;
  };
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < sizeof(T); at += sizeof guard_word)
    changed |= (word(at) ^ guard_word) | (word((storage.size() - 1) * sizeof(T) + at) ^ guard_word);
  return changed == 0;
}

/// The settings of floating-point computation: rounding, traps, treatment of tiny numbers; not the flags of past
/// operations.
inline unsigned floating_point_control() noexcept {
#if defined(__SSE2__)
  return _mm_getcsr() & 0xFFC0u;
#else
  return static_cast<unsigned>(std::fegetround());
#endif
}

/// An element broke memory or the floating-point environment that it shares with others. It is thrown through functions
/// that may not throw, so that the host ends the run and names the element's plugin: no later result could be trusted.
class ElementBreach final : public std::exception {
 public:
  /// batch: that of the element; its code tells the plugin. `memory`: true if memory was broken, false for the
  /// environment.
  ElementBreach(const void* batch, const char* kind, bool memory) noexcept;
  const char* what() const noexcept override { return text_; }

 private:
  char text_[512];
};

/// Throws ElementBreach if a batch wrote outside its storage, or left another floating-point environment than it found.
template <class... Storage>
void check_breach(unsigned control, const void* batch, const char* kind, const Storage&... given) {
  const bool memory = !(intact(given) && ...);
  if (memory || floating_point_control() != control) [[unlikely]]
    throw ElementBreach(batch, kind, memory);
}

}  // namespace polyform
