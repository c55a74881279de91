#include "framework/host/unilateral/island_points.hpp"

namespace polyform::host::inline unilateral {

/// The points that touch each island, each of them once.
void IslandPoints::sort(std::size_t points, std::size_t islands) {
  first_.assign(islands + 1, 0);
  const auto each = [&](const auto& see) {
    for (std::size_t p = 0; p < points; ++p) {
      const std::span<const std::size_t> own = of(p);
      for (std::size_t part = 0; part < parts; ++part)
        if (own[part] != none && std::ranges::find(own.first(part), own[part]) == own.first(part).end())
          see(p, own[part]);
    }
  };
  each([&](std::size_t, std::size_t island) { ++first_[island + 1]; });
  for (std::size_t i = 0; i < islands; ++i) first_[i + 1] += first_[i];
  in_.resize(first_.back());
  each([&](std::size_t p, std::size_t island) { in_[first_[island]++] = p; });
  for (std::size_t i = islands; i > 0; --i) first_[i] = first_[i - 1];
  first_[0] = 0;
}

std::span<const std::size_t> IslandPoints::near(std::size_t point) {
  near_.clear();
  for (const std::size_t island : of(point))
    if (island != none)
      near_.insert(near_.end(), in_.begin() + static_cast<std::ptrdiff_t>(first_[island]),
                   in_.begin() + static_cast<std::ptrdiff_t>(first_[island + 1]));
  std::ranges::sort(near_);
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  return near_;
}

}  // namespace polyform::host::inline unilateral
