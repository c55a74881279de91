#include "framework/host/watches/element_failures.hpp"

#include "polyform/contract/run_endings.hpp"

namespace polyform::host::inline watches {

void forget_element_failures(const SystemView& view) noexcept {
  for (const ForceInstances& group : view.forces)
    if (const auto* const reasons = ask<FailureReasons>(*group.type)) reasons->forget_failure();
}

std::string_view element_failure(const SystemView& view, double since) noexcept {
  for (const ForceInstances& group : view.forces)
    if (const auto* const reasons = ask<FailureReasons>(*group.type))
      if (const std::string_view why = reasons->last_failure(since); !why.empty()) return why;
  return {};
}

}  // namespace polyform::host::inline watches
