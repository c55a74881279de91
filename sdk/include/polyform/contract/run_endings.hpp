// Runs that end because of an element: it fails for a reason of its own, or its law comes to an end.
#pragma once

#include <cstddef>
#include <string_view>

namespace polyform {

/// ElementType::query gives it for a type whose elements may fail for reasons that numbers do not tell, such as what a
/// program behind them says. They give values that are no numbers then, and the host asks here why.
class FailureReasons {
 public:
  static constexpr std::string_view interface_name = "polyform.failure_reasons.1";
  /// Drops what this thread has kept; at the beginning of a run.
  virtual void forget_failure() const noexcept = 0;
  /// Why an element of the type failed last in this thread, at a time of the model from `since` on, s: a sentence
  /// without a full stop, which names what failed; empty where none has. It lasts until the next failure.
  virtual std::string_view last_failure(double since) const noexcept = 0;

 protected:
  ~FailureReasons() = default;
};

/// EventSource::query gives it where an event may be the end of the run.
class RunEnding {
 public:
  static constexpr std::string_view interface_name = "polyform.run_ending.1";
  /// Asked right after event function k of the batch has been answered to: whether that was the end.
  virtual bool ends_run(std::size_t k) const noexcept = 0;

 protected:
  ~RunEnding() = default;
};

}  // namespace polyform
