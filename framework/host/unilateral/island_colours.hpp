// Colours of what touches islands: things of one colour have no island in common, and so no part in each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform::host::inline unilateral {

/// Gives colours one after the other. It allocates only where an island has more colours than ever before.
class IslandColours {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  void resize(std::size_t islands) { used_.resize(islands); }
  /// Forgets all colours that were given.
  void clear() {
    for (const std::size_t island : touched_) used_[island].clear();
    touched_.clear();
    count_ = 0;
  }
  /// The first colour that none of these islands has had, which they then have. An island may be none, or stand twice.
  std::size_t take(std::span<const std::size_t> islands) {
    std::size_t own = 0;
    const auto has_it = [&](std::size_t i) { return i != none && own < used_[i].size() && used_[i][own] != 0; };
    while (std::ranges::any_of(islands, has_it)) ++own;
    for (const std::size_t island : islands) {
      if (island == none) continue;
      if (used_[island].empty()) touched_.push_back(island);
      if (used_[island].size() <= own) used_[island].resize(own + 1, 0);
      used_[island][own] = 1;
    }
    count_ = std::max(count_, own + 1);
    return own;
  }
  std::size_t count() const { return count_; }  ///< of colours

 private:
  std::vector<std::vector<char>> used_;  ///< colours of each island
  std::vector<std::size_t> touched_;     ///< islands that have colours
  std::size_t count_ = 0;
};

}  // namespace polyform::host::inline unilateral
