// Runs that end because of an element: it fails for a reason of its own, or its law comes to an end.
#pragma once

#include <cstddef>
#include <string_view>

namespace polyform {

/// ElementType::query gives it for a type whose elements may fail for reasons that numbers do not tell, such as an
/// error of a program behind them. Such an element gives NaN, and the host asks here why.
class FailureReasons {
 public:
  static constexpr std::string_view interface_name = "polyform.failure_reasons.1";
  /// Forgets the failure that this thread has kept. Called at the beginning of a run.
  virtual void forget_failure() const noexcept = 0;
  /// Why an element of the type failed last in this thread, at a time of the model from `since` on, s: a sentence
  /// without a full stop that names what failed; empty if none has. The text lives until the next failure.
  virtual std::string_view last_failure(double since) const noexcept = 0;

 protected:
  ~FailureReasons() = default;
};

/// EventSource::query gives it where an event may be the end of the run.
class RunEnding {
 public:
  static constexpr std::string_view interface_name = "polyform.run_ending.1";
  /// Whether the event of function k ends the run. Asked right after the element has handled the event.
  virtual bool ends_run(std::size_t k) const noexcept = 0;

 protected:
  ~RunEnding() = default;
};

}  // namespace polyform
