// Storage for an element to write in one call, with guards around each part that it must not write.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "polyform/contract/spatial.hpp"
#include "polyform/helpers/guarded.hpp"

namespace polyform::host::inline conformance {

/// The remedy for what was found.
inline constexpr const char* keep_to_what_is_given =
    "write to what a call is given, as far as its size, and put back whatever else a call changes";

/// Lends storage for the parts of an output, and finds out whether a call wrote outside one of them or left another
/// floating-point environment.
class Canaries {
 public:
  std::span<double> numbers(std::string_view name, std::size_t size, double fill = 0) {
    return lend(numbers_, name, size, fill);
  }
  /// Lends storage that begins with the numbers of the list.
  std::span<double> numbers(std::string_view name, std::span<const double> list) {
    const std::span<double> lent = lend(numbers_, name, list.size(), 0.0);
    std::ranges::copy(list, lent.begin());
    return lent;
  }
  std::span<Spatial> spatials(std::string_view name, std::size_t size) {
    return lend(spatials_, name, size, Spatial{});
  }

  /// To be called after a function of the element. Failure (simulation_failed) names the call and the part.
  void check(std::string_view call = "evaluate()") const {
    for (const auto& part : numbers_) check(part, call);
    for (const auto& part : spatials_) check(part, call);
    if (floating_point_control() == control_) return;
    std::fesetenv(FE_DFL_ENV);
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} changes how floating-point numbers are computed (rounding, traps) and does not put "
                              "it back",
                              call),
                  keep_to_what_is_given);
  }

 private:
  /// Bytes at each end: 1200 numbers or 200 wrenches, because a wrong index may lie far off. What lies farther is found
  /// by tools that check memory.
  static constexpr std::size_t margin = 9600;
  /// What stands there.
  static const auto& guard() {
    static const auto words = [] {
      std::array<std::uint64_t, margin / sizeof guard_word> all{};
      all.fill(guard_word);
      return all;
    }();
    return words;
  }
  template <class T>
  struct Part {
    std::string_view name;
    std::size_t size;
    std::vector<T> storage;
  };

  template <class T>
  static std::span<T> lend(std::deque<Part<T>>& parts, std::string_view name, std::size_t size, const T& fill) {
    constexpr std::size_t around = margin / sizeof(T);
    static_assert(around * sizeof(T) == margin);
    Part<T>& part = parts.emplace_back(Part<T>{name, size, std::vector<T>(size + 2 * around, fill)});
    char* const bytes = reinterpret_cast<char*>(part.storage.data());
    std::memcpy(bytes, guard().data(), margin);
    std::memcpy(bytes + part.storage.size() * sizeof(T) - margin, guard().data(), margin);
    return std::span(part.storage).subspan(around, size);
  }
  template <class T>
  static void check(const Part<T>& part, std::string_view call) {
    const auto touched = [](const char* from) { return std::memcmp(from, guard().data(), margin) != 0; };
    const char* const bytes = reinterpret_cast<const char*>(part.storage.data());
    const bool before = touched(bytes), behind = touched(bytes + part.storage.size() * sizeof(T) - margin);
    if (before || behind)
      throw Failure(Exit::simulation_failed,
                    fmt::format("{} writes {} the {} numbers of `{}` that it was given", call,
                                before ? "before" : "beyond", part.size, part.name),
                    keep_to_what_is_given);
  }

  std::deque<Part<double>> numbers_;
  std::deque<Part<Spatial>> spatials_;
  unsigned control_ = floating_point_control();
};

}  // namespace polyform::host::conformance
