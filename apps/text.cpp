#include "apps/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>


namespace polyform::apps {

std::string duration_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string describe(const host::RunSettings& s) {
  const std::string name =
      s.integrator.given.empty() ? std::string(s.integrator.name())
                                 : fmt::format("{} ({})", s.integrator.name(), s.integrator.given);
  const std::string bound = std::isfinite(s.max_step) ? fmt::format(", no step beyond {} s", s.max_step) : "";
  if (s.integrator.fixed_step()) return fmt::format("{}, step {} s{}", name, s.step, bound);
  return fmt::format("{}, tolerances {} relative and {} absolute, first step {} s{}", name,
                     s.relative_tolerance, s.absolute_tolerance, s.step, bound);
}

std::string open_reactions(const host::ConstraintCount& count) {
  if (count.redundant == 0) return {};
  constexpr std::size_t most = 8;
  const std::size_t all = count.redundant_joints.size(), shown = std::min(all, most);
  return fmt::format("not unique in {}{}: {} redundant constraint equations",
                     fmt::join(std::span(count.redundant_joints).first(shown), ", "),
                     all > shown ? fmt::format(" and {} more", all - shown) : "", count.redundant);
}

}  // namespace polyform::apps
