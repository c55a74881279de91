// Why something failed, in words.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace polyform {

/// A sentence that is written without allocation, cut off where it is longer than there is room for.
class FailureText {
 public:
  /// False, for `return failure.set(...)`.
  template <class... T>
  bool set(const char* format, const T&... values) noexcept {
    size_ = std::min(fmt::format_to_n(text_, sizeof text_, fmt::runtime(format), values...).size, sizeof text_);
    return false;
  }
  void clear() noexcept { size_ = 0; }
  std::string_view text() const noexcept { return {text_, size_}; }  ///< empty after clear()

 private:
  char text_[400];
  std::size_t size_ = 0;
};

}  // namespace polyform
