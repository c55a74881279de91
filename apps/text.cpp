#include "apps/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/integration/integrator.hpp"

namespace polyform::apps {

std::string duration_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string describe(const host::RunSettings& s) {
  const auto all = host::integrators();
  const auto info =
      std::find_if(all.begin(), all.end(), [&](const host::IntegratorInfo& i) { return i.name == s.integrator; });
  if (info != all.end() && info->fixed_step) return fmt::format("{}, step {} s", s.integrator, s.step);
  return fmt::format("{}, tolerances {} relative and {} absolute, first step {} s", s.integrator, s.relative_tolerance,
                     s.absolute_tolerance, s.step);
}

}  // namespace polyform::apps
