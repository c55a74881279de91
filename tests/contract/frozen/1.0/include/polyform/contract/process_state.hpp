// States that stay with the process.
#pragma once

#include <string_view>

namespace polyform {

/// ForceType::query gives it for a type whose elements keep a part of their state where no other process finds it: in a
/// library of another tool, in a file of their own. A run of such a model cannot be gone on with by another process.
class ProcessState {
 public:
  static constexpr std::string_view interface_name = "polyform.process_state.1";
  /// What is kept, for messages: "the state of an FMU".
  virtual std::string_view kept() const noexcept = 0;

 protected:
  ~ProcessState() = default;
};

}  // namespace polyform
