// A sentence that says why something failed, for code that may not allocate.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace polyform {

/// One sentence, or none. A longer one is cut off after 500 characters.
class Failure {
 public:
  std::string_view text() const noexcept { return {text_, size_}; }
  bool empty() const noexcept { return size_ == 0; }
  void clear() noexcept { size_ = 0; }
  /// Replaces the sentence. Always false, for functions that return whether they have succeeded.
  template <class... T>
  bool say(const char* format, const T&... values) noexcept {
    size_ = std::min(fmt::format_to_n(text_, sizeof text_, fmt::runtime(format), values...).size, sizeof text_);
    return false;
  }

 private:
  char text_[500];
  std::size_t size_ = 0;
};

}  // namespace polyform
