// Warnings about flexible bodies beyond what their modes can carry.
#pragma once

#include "apps/terminal.hpp"
#include "framework/simulation/mode_limits.hpp"

namespace polyform::apps {

inline void print_warnings(const host::ModeLimits& limits) {
  for (const host::ModeLimits::Warning& w : limits.warnings()) print(Severity::warning, w.message, w.remedy);
}

}  // namespace polyform::apps
