#include "apps/text/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

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
  const std::string name = s.integrator.given.empty() ? std::string(s.integrator.name())
                                                      : fmt::format("{} ({})", s.integrator.name(), s.integrator.given);
  const std::string bound = std::isfinite(s.max_step) ? fmt::format(", no step beyond {} s", s.max_step) : "";
  if (s.integrator.fixed_step()) return fmt::format("{}, step {} s{}", name, s.step, bound);
  return fmt::format("{}, tolerances {} relative and {} absolute, first step {} s{}", name, s.relative_tolerance,
                     s.absolute_tolerance, s.step, bound);
}

std::string open_components(const host::OpenDirections& open) {
  constexpr std::string_view names[] = {"mx", "my", "mz", "fx", "fy", "fz"};
  const std::array<bool, 6> unique = open.unique();
  std::vector<std::string_view> found;
  for (const std::size_t c : {3u, 4u, 5u, 0u, 1u, 2u})
    if (!unique[c]) found.push_back(names[c]);
  std::string text = fmt::format("{}", fmt::join(found, ", "));
  const host::UniqueDirections along = open.along();
  if (along.count() == 6 - found.size()) return text;
  std::vector<std::string> directions;
  const auto name = [&](const char* what, const std::vector<Vec3>& all) {
    std::vector<std::string> vectors;
    for (const Vec3& v : all) vectors.push_back(fmt::format("[{:.4g}, {:.4g}, {:.4g}]", v.x, v.y, v.z));
    if (!vectors.empty()) directions.push_back(fmt::format("the {} along {}", what, fmt::join(vectors, " and ")));
  };
  name("force", along.force);
  name("moment", along.moment);
  if (!along.combined.empty())
    directions.push_back(counted(along.combined.size(), "combination") + " of force and moment");
  return fmt::format("{}; unique: {}", text, fmt::join(directions, ", "));
}

std::string open_joints(const host::ConstraintCount& count) {
  constexpr std::size_t most = 8;
  const std::size_t all = count.redundant_joints.size(), shown = std::min(all, most);
  std::vector<std::string> joints;
  for (std::size_t k = 0; k < shown; ++k)
    joints.push_back(fmt::format("{} ({})", count.redundant_joints[k], open_components(count.open[k])));
  std::string text = fmt::format("{}", fmt::join(joints, ", "));
  if (all > shown) text += fmt::format(" and {} more", all - shown);
  for (const std::string& name : count.redundant_constraints) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool leaves_reactions_open(const host::ConstraintCount& count) {
  return !count.redundant_joints.empty() || !count.redundant_constraints.empty();
}

std::string open_contacts(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(names.size(), most);
  return fmt::format("not unique in {}{}: more contacts hold the bodies than it takes",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string open_reactions(const host::ConstraintCount& count) {
  if (!leaves_reactions_open(count)) return {};
  return fmt::format("not unique in {}: {}", open_joints(count),
                     counted(count.redundant, "redundant constraint equation"));
}

}  // namespace polyform::apps
