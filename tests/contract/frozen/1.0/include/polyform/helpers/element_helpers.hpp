// Helpers for authors of element types: messages without allocation, and batches made without a throw.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace polyform {

/// A formatted message on the stack, for FieldSink::report from functions that neither allocate nor throw. A text
/// beyond 480 bytes is cut off.
class Message {
 public:
  template <class... Args>
  explicit Message(fmt::format_string<Args...> text, Args&&... args) noexcept
      : size_(std::min(fmt::format_to_n(text_, sizeof text_, text, std::forward<Args>(args)...).size, sizeof text_)) {}
  operator std::string_view() const noexcept { return {text_, size_}; }

 private:
  char text_[480];
  std::size_t size_;
};

/// "s" unless count is 1.
constexpr std::string_view plural(std::size_t count) noexcept { return count == 1 ? "" : "s"; }

/// A new Batch, or nullptr if memory ran out: the result of a type's `create`. `destroy` is `delete this`.
template <class Batch, class... Args>
Batch* make_batch(Args&&... args) noexcept {
  try {
    return new Batch(std::forward<Args>(args)...);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace polyform
