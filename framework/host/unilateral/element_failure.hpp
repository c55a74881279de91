// Failures that an element of the model causes.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline unilateral {

/// What cannot be computed because of one element (bad_input), whose name allows to find its place in the file.
class ElementFailure final : public Failure {
 public:
  ElementFailure(std::string_view element, std::string message, std::string remedy)
      : Failure(Exit::bad_input, std::move(message), std::move(remedy)), element_(element) {}
  const std::string& element() const noexcept { return element_; }

 private:
  std::string element_;
};

}  // namespace polyform::host::inline unilateral
