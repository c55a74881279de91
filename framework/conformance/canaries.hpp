// What an element may write in one call, with words around each part that it may not write.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "polyform/guarded.hpp"
#include "polyform/spatial.hpp"

namespace polyform::host {

/// Lends storage for the parts of an output, and finds out whether a call wrote beside one of them or left another
/// floating-point environment.
class Canaries {
 public:
  std::span<double> numbers(std::string_view name, std::size_t size) { return lend(numbers_, name, size); }
  std::span<Spatial> spatials(std::string_view name, std::size_t size) { return lend(spatials_, name, size); }

  /// After the call. Failure (simulation_failed) that names the part.
  void check() const {
    for (const auto& part : numbers_) check(part);
    for (const auto& part : spatials_) check(part);
    if (floating_point_control() == control_) return;
    std::fesetenv(FE_DFL_ENV);
    throw Failure(
        Exit::simulation_failed,
        "evaluate() changes how floating-point numbers are computed (rounding, traps) and does not put it back");
  }

 private:
  static constexpr std::size_t margin = 96;  ///< bytes at each end: more than one number, row or wrench
  template <class T>
  struct Part {
    std::string_view name;
    std::size_t size, around;
    std::vector<T> storage;
  };

  template <class T>
  static std::span<T> lend(std::deque<Part<T>>& parts, std::string_view name, std::size_t size) {
    constexpr std::size_t around = margin / sizeof(T);
    Part<T>& part = parts.emplace_back(Part<T>{name, size, around, std::vector<T>(size + 2 * around)});
    const std::span<double> words = all_words(part.storage);
    const std::size_t edge = margin / sizeof(double);
    std::ranges::fill(words.first(edge), std::bit_cast<double>(guard_word));
    std::ranges::fill(words.last(edge), std::bit_cast<double>(guard_word));
    return std::span(part.storage).subspan(around, size);
  }
  template <class T>
  static std::span<double> all_words(std::vector<T>& storage) {
    return {reinterpret_cast<double*>(storage.data()), storage.size() * sizeof(T) / sizeof(double)};
  }
  template <class T>
  static void check(const Part<T>& part) {
    const auto touched = [&](const char* from) {
      for (std::size_t k = 0; k < margin / sizeof guard_word; ++k)
        if (std::memcmp(from + k * sizeof guard_word, &guard_word, sizeof guard_word) != 0) return true;
      return false;
    };
    const char* const bytes = reinterpret_cast<const char*>(part.storage.data());
    const bool before = touched(bytes), behind = touched(bytes + part.storage.size() * sizeof(T) - margin);
    if (before || behind)
      throw Failure(Exit::simulation_failed,
                    fmt::format("evaluate() writes {} the {} numbers of `{}` that it was given",
                                before ? "before" : "beyond", part.size, part.name));
  }

  std::deque<Part<double>> numbers_;
  std::deque<Part<Spatial>> spatials_;
  unsigned control_ = floating_point_control();
};

}  // namespace polyform::host
