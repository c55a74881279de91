#include "near_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace polyform::contact {

namespace {
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
}

NearPairs::NearPairs(std::vector<Extent> extents, std::vector<Pair> apart, double margin, double reach)
    : extents_(std::move(extents)),
      apart_(std::move(apart)),
      margin_(margin),
      reach_(reach),
      level_of_(extents_.size()),
      cells_(extents_.size()),
      next_(extents_.size()) {
  std::ranges::sort(apart_);
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t s = 0; s < extents_.size(); ++s) {
    (extents_[s].unbounded ? unbounded_ : bounded_).push_back(s);
    const Vec3 r = reach_of(s, margin_);
    if (!extents_[s].unbounded && norm(r) > 0) least = std::min(least, 2 * std::max({r.x, r.y, r.z}));
  }
  if (!std::isfinite(least)) least = 1;
  std::vector<int> doublings(extents_.size());
  std::vector<int> used;
  for (const std::uint32_t s : bounded_) {
    const Vec3 r = reach_of(s, margin_);
    const double size = 2 * std::max({r.x, r.y, r.z});
    doublings[s] = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(size / least, 1.0)))));
    used.push_back(doublings[s]);
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const int d : used) levels_.push_back(std::ldexp(least, d));
  for (const std::uint32_t s : bounded_)
    level_of_[s] = static_cast<std::uint32_t>(std::ranges::lower_bound(used, doublings[s]) - used.begin());
  heads_.assign(std::bit_ceil(2 * bounded_.size() + 1), none);
  // A ball has at most twelve neighbours that touch it, half of them after it in the order.
  constexpr std::size_t usual = 12;
  pairs_.reserve(usual * extents_.size());
  searched_.reserve(extents_.size());
}

bool NearPairs::update(std::span<const Vec3> centres) noexcept {
  if (is_right(centres)) return true;
  try {
    search(centres);
    return true;
  } catch (...) {
    pairs_.clear();
    searched_.clear();
    return false;
  }
}

bool NearPairs::is_right(std::span<const Vec3> centres) const noexcept {
  if (searched_.size() != centres.size()) return false;
  for (std::size_t s = 0; s < centres.size(); ++s) {
    if (extents_[s].fixed || extents_[s].unbounded) continue;
    const Vec3 moved = centres[s] - searched_[s];
    const double far = reach_ * extents_[s].radius;
    if (!(dot(moved, moved) <= far * far)) return false;
  }
  return true;
}

/// What a shape takes up with its margin, along the axes of ground, m.
Vec3 NearPairs::reach_of(std::uint32_t s, double margin) const noexcept {
  const Extent& e = extents_[s];
  if (e.fixed) return e.half_edges;
  const double r = (1 + margin) * e.radius;
  return {r, r, r};
}

NearPairs::Cell NearPairs::cell_of(const Vec3& place, double size) noexcept {
  // A place that is no number, or beyond all cells, is in one of the outermost.
  static constexpr double last = 1e15;
  const auto of = [size](double x) {
    const double k = std::floor(x / size);
    return static_cast<std::int64_t>(!(k > -last) ? -last : std::min(k, last));
  };
  return {of(place.x), of(place.y), of(place.z)};
}

std::size_t NearPairs::slot_of(const Cell& c, std::size_t level) const noexcept {
  constexpr std::uint64_t mix = 0x9E3779B97F4A7C15U;
  std::uint64_t h = level;
  for (const std::int64_t k : {c.x, c.y, c.z}) h = std::rotl((h ^ static_cast<std::uint64_t>(k)) * mix, 29);
  return static_cast<std::size_t>(h * mix >> 32) & (heads_.size() - 1);
}

void NearPairs::search(std::span<const Vec3> centres) {
  ++searches_;
  pairs_.clear();
  std::ranges::fill(heads_, none);
  for (const std::uint32_t s : bounded_) {
    cells_[s] = cell_of(centres[s], levels_[level_of_[s]]);
    std::uint32_t& head = heads_[slot_of(cells_[s], level_of_[s])];
    next_[s] = head;
    head = s;
  }
  for (const std::uint32_t s : bounded_) search_around(s, centres);
  for (const std::uint32_t u : unbounded_)
    for (const std::uint32_t s : bounded_)
      if (may_touch(s, u) && is_near(u, s, centres, margin_)) pairs_.push_back(std::minmax(s, u));
  std::ranges::sort(pairs_);
  searched_.assign(centres.begin(), centres.end());
}

/// Pairs with shapes of the same size, each once, and with larger ones.
void NearPairs::search_around(std::uint32_t s, std::span<const Vec3> centres) {
  const Vec3 own = reach_of(s, margin_);
  for (std::size_t level = level_of_[s]; level < levels_.size(); ++level) {
    const double size = levels_[level], half = 0.5 * size;
    const Vec3 reach{own.x + half, own.y + half, own.z + half};
    const Cell low = cell_of(centres[s] - reach, size), high = cell_of(centres[s] + reach, size);
    for (std::int64_t z = low.z; z <= high.z; ++z)
      for (std::int64_t y = low.y; y <= high.y; ++y)
        for (std::int64_t x = low.x; x <= high.x; ++x) {
          const Cell cell{x, y, z};
          for (std::uint32_t o = heads_[slot_of(cell, level)]; o != none; o = next_[o]) {
            if (level_of_[o] != level || !(cells_[o] == cell)) continue;
            if (level == level_of_[s] && o <= s) continue;
            if (is_near(s, o, centres, margin_) && may_touch(s, o)) pairs_.push_back(std::minmax(s, o));
          }
        }
  }
}

bool NearPairs::may_touch(std::uint32_t a, std::uint32_t b) const noexcept {
  const Extent &first = extents_[a], &second = extents_[b];
  if (first.body == second.body || (first.fixed && second.fixed)) return false;
  if (!Extent::may_meet(first.sides, second.sides)) return false;
  const Pair bodies = std::minmax(static_cast<std::uint32_t>(first.body), static_cast<std::uint32_t>(second.body));
  return apart_.empty() || !std::ranges::binary_search(apart_, bodies);
}

bool NearPairs::is_near(std::uint32_t a, std::uint32_t b, std::span<const Vec3> centres, double margin) const noexcept {
  if (extents_[b].unbounded && !extents_[a].unbounded) return is_near(b, a, centres, margin);
  const Extent &first = extents_[a], &second = extents_[b];
  const Vec3 line = centres[b] - centres[a], r2 = reach_of(b, margin);
  if (first.unbounded) {
    // A half space that turns may come near at any time.
    if (!first.fixed) return true;
    return dot(first.normal, line) - first.height < (second.fixed ? norm(r2) : r2.x);
  }
  const Vec3 r1 = reach_of(a, margin);
  if (first.fixed || second.fixed)
    return std::abs(line.x) < r1.x + r2.x && std::abs(line.y) < r1.y + r2.y && std::abs(line.z) < r1.z + r2.z;
  const double r = r1.x + r2.x;
  return dot(line, line) < r * r;
}

}  // namespace polyform::contact
