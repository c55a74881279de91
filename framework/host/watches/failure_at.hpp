// A failure at a time within the last step.
#pragma once

#include <string>
#include <utility>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline watches {

/// The motion holds up to this time: rows before it are results.
class FailureAt final : public Failure {
 public:
  /// time: s, within the last step.
  FailureAt(double time, std::string message, std::string remedy = {})
      : Failure(Exit::simulation_failed, std::move(message), std::move(remedy)), time_(time) {}
  double time() const noexcept { return time_; }

 private:
  double time_;
};

}  // namespace polyform::host::inline watches
