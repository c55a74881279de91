// Why the recursion found no accelerations.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace polyform::hierarchy {

/// One sentence, or nothing after success. Nothing allocates.
class RecursionFailure {
 public:
  std::string_view text() const noexcept { return {text_, size_}; }
  void clear() noexcept { size_ = 0; }
  /// Sets the sentence, as long as it fits; returns false.
  template <class... T>
  bool say(const char* format, const T&... values) noexcept {
    size_ = std::min(fmt::format_to_n(text_, sizeof text_, fmt::runtime(format), values...).size, sizeof text_);
    return false;
  }

 private:
  char text_[640];
  std::size_t size_ = 0;
};

}  // namespace polyform::hierarchy
