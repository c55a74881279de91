// Why a step of an integrator has failed, as far as the host acts on it: an interface of an integrator, by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace polyform {

enum class StepFailure : std::uint8_t {
  other,             ///< the failure tells all that is known
  stalled,           ///< steps became too short, and the failure names nothing that makes them so
  stalled_at_named,  ///< steps became too short because of an element or a row that the failure names
  stalled_by_system  ///< steps became too short because the system failed; the failure has its words
};

class FailedStep {
 public:
  static constexpr std::string_view interface_name = "polyform.failed_step.1";

  /// Of the last call that failed.
  virtual StepFailure failed_step() const noexcept = 0;

 protected:
  ~FailedStep() = default;
};

}  // namespace polyform
