#include "sheets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace polyform::contact {

namespace {

/// Sine of the angle up to which surfaces go on in one sheet, also in a valley.
constexpr double gentle = 1e-3;

/// Triangles that go on in each other become one patch, and patches that form a valley get different sheets.
class Sheets {
 public:
  Sheets(std::span<const Vec3> corners, std::span<const SheetTriangle> triangles,
         std::span<const std::array<std::size_t, 2>> pairs, double flat)
      : corners_(corners), triangles_(triangles), flat_(flat), patch_(triangles.size()) {
    std::iota(patch_.begin(), patch_.end(), std::size_t{0});
    for (const auto& [a, b] : pairs)
      if (is_gentle(a, b)) patch_[root(a)] = root(b);
    for (std::size_t t = 0; t < patch_.size(); ++t) patch_[t] = root(t);
    apart_.resize(triangles.size());
    beside_.resize(triangles.size());
    find_valleys();
    for (const auto& [a, b] : pairs)
      if (patch_[a] != patch_[b]) beside_[patch_[a]].insert(patch_[b]), beside_[patch_[b]].insert(patch_[a]);
  }

  /// The largest patches choose first: a sheet of a patch beside, over whose edge a body goes on in one point, or else
  /// the lowest one.
  std::vector<std::uint8_t> sheets() const {
    constexpr std::uint8_t none = most_sheets;
    std::vector<double> areas(patch_.size());
    for (std::size_t t = 0; t < patch_.size(); ++t) areas[patch_[t]] += area(t);
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < patch_.size(); ++t)
      if (patch_[t] == t) order.push_back(t);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t t) { return areas[t]; });
    std::vector<std::uint8_t> of_patch(patch_.size(), none);
    for (const std::size_t own : order) {
      std::array<std::size_t, most_sheets + 1> taken{}, wanted{};
      for (const std::size_t other : apart_[own]) ++taken[of_patch[other]];
      for (const std::size_t other : beside_[own]) ++wanted[of_patch[other]];
      std::uint8_t best = 0;
      for (std::uint8_t s = 1; s < most_sheets; ++s)
        if (taken[s] < taken[best] || (taken[s] == taken[best] && wanted[s] > wanted[best])) best = s;
      of_patch[own] = best;
    }
    std::vector<std::uint8_t> out;
    for (const std::size_t patch : patch_) out.push_back(of_patch[patch]);
    return out;
  }

 private:
  std::size_t root(std::size_t t) {
    while (patch_[t] != t) t = patch_[t] = patch_[patch_[t]];
    return t;
  }
  double area(std::size_t t) const noexcept {
    const auto& [a, b, c] = triangles_[t].corners;
    return 0.5 * norm(cross(corners_[b] - corners_[a], corners_[c] - corners_[a]));
  }
  bool is_gentle(std::size_t a, std::size_t b) const noexcept {
    const Vec3 &n = triangles_[a].normal, &m = triangles_[b].normal;
    return dot(n, m) > 0 && norm(cross(n, m)) < gentle;
  }
  bool sticks_out(std::size_t of, std::size_t other) const noexcept {
    const SheetTriangle& plane = triangles_[of];
    return std::ranges::any_of(triangles_[other].corners, [&](std::uint32_t c) {
      return dot(plane.normal, corners_[c] - corners_[plane.corners[0]]) > flat_;
    });
  }
  /// Triangles at a common corner of which each sticks out of the plane of the other.
  void find_valleys() {
    std::vector<std::vector<std::size_t>> at(corners_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (const std::uint32_t c : triangles_[t].corners) at[c].push_back(t);
    for (const std::vector<std::size_t>& own : at)
      for (std::size_t i = 0; i < own.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
          const std::size_t a = own[i], b = own[k];
          if (patch_[a] == patch_[b] || is_gentle(a, b) || !sticks_out(a, b) || !sticks_out(b, a)) continue;
          apart_[patch_[a]].insert(patch_[b]);
          apart_[patch_[b]].insert(patch_[a]);
        }
  }

  std::span<const Vec3> corners_;
  std::span<const SheetTriangle> triangles_;
  double flat_;
  std::vector<std::size_t> patch_;
  std::vector<std::set<std::size_t>> apart_, beside_;
};

}  // namespace

std::vector<std::uint8_t> sheets_of(std::span<const Vec3> corners, std::span<const SheetTriangle> triangles,
                                    std::span<const std::array<std::size_t, 2>> pairs, double flat) {
  return Sheets(corners, triangles, pairs, flat).sheets();
}

}  // namespace polyform::contact
