#include "apps/text/check_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "apps/text/text.hpp"

namespace polyform::apps {

std::string shown_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(names.size(), most);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

namespace {

/// Where the position is singular; empty elsewhere.
std::string singular_text(const host::ConstraintCount& count, const host::Neighbourhood& next) {
  if (!next.held.empty())
    return fmt::format(
        "the loops allow {} to move for an instant only: the position is singular, and no position next to it closes "
        "them. A solver may stop there, or move by what rounding leaves",
        shown_names(next.held));
  const std::optional<std::size_t> nearby = next.degrees_of_freedom;
  if (!nearby) return {};
  return fmt::format(
      "the initial position is singular: it has {}, positions next to it {}. Constraints that depend on each other "
      "only "
      "there leave accelerations or branches of the motion open",
      counted(count.degrees_of_freedom, "degree") + " of freedom", *nearby);
}

}  // namespace

Json check_json(const host::System& system, const host::ConstraintCount& count, const host::Neighbourhood& next,
                const host::Diagnostics& diagnostics, const std::string& failure) {
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning) warnings.push_back(host::format(d));
  for (const std::string& text : {singular_text(count, next), failure})
    if (!text.empty()) warnings.push_back(text);
  Json out = {{"model", system.description().name},
              {"bodies", system.bodies().size()},
              {"joints", system.joints().size()},
              {"modules", system.description().modules.size()},
              {"loops", system.loops()},
              {"degrees_of_freedom", count.degrees_of_freedom},
              {"redundant", count.redundant_joints},
              {"redundant_constraints", count.redundant},
              {"unique", unique_json(system, count, true)},
              {"unique_along", unique_along_json(system, count)},
              {"warnings", warnings}};
  if (next.degrees_of_freedom) out["degrees_of_freedom_nearby"] = *next.degrees_of_freedom;
  if (!next.held.empty()) out["held"] = next.held;
  return out;
}

}  // namespace polyform::apps
