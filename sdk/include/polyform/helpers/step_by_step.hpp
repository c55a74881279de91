// The common parts of most integrators: the times of the last step, and the sentence of the last failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "polyform/helpers/element_helpers.hpp"
#include "polyform/contract/failed_step.hpp"
#include "polyform/contract/integrator.hpp"

namespace polyform {

/// A sentence kept without allocation, up to its first 960 bytes.
class Sentence {
 public:
  void say(std::string_view text) noexcept {
    size_ = std::min(text.size(), sizeof text_);
    std::copy_n(text.begin(), size_, text_);
  }
  std::string_view text() const noexcept { return {text_, size_}; }

 private:
  char text_[960];
  std::size_t size_ = 0;
};

/// Where the equations of an implicit step could not be solved, as the end of a sentence; empty without a name.
struct UnsolvedPlace {
  std::string_view before, name, remedy;

  /// name: of the element whose motion is the fastest, as StiffestElement gives it; empty if it is not known. Rows of a
  /// constraint or a joint have another remedy than a law.
  static UnsolvedPlace at(std::string_view name) noexcept {
    if (name.empty()) return {};
    if (name.starts_with("constraint") || name.starts_with("joint"))
      return {", least of all for ", name,
              "; see whether its rows can hold beyond this time, or end the run before it"};
    return {", least of all for ", name, "; a softer law there, or an explicit integrator, may get further"};
  }
};

/// A base for integrators that keeps the parts of the interface that need no method.
class StepByStep : public Integrator, public FailedStep {
 public:
  double time() const noexcept final { return time_; }
  double previous_time() const noexcept final { return previous_time_; }
  std::size_t rejected() const noexcept override { return rejected_; }
  std::string_view failure() const noexcept final { return failure_.text(); }
  StepFailure failed_step() const noexcept final { return kind_; }
  void* query(std::string_view asked) noexcept override {
    return asked == FailedStep::interface_name ? static_cast<FailedStep*>(this) : nullptr;
  }

 protected:
  ~StepByStep() = default;

  Status fail(std::string_view why, StepFailure kind = StepFailure::other) noexcept {
    failure_.say(why);
    kind_ = kind;
    return Status::failed;
  }
  /// Sets both times to that of the start.
  void begin_at(double t) noexcept { time_ = previous_time_ = t; }

  double time_ = 0, previous_time_ = 0;
  std::size_t rejected_ = 0;

 private:
  Sentence failure_;
  StepFailure kind_ = StepFailure::other;
};

}  // namespace polyform
