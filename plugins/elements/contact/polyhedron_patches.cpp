// The flat parts of a body of triangles, and what leads away from its corners.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "polyhedron.hpp"

namespace polyform::contact {

void Polyhedron::make_patches(std::span<const std::size_t> groups) {
  constexpr std::uint32_t none = 0xFFFFFFFF;
  std::vector<std::uint32_t> patch_of(triangles_.size(), none);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    std::uint32_t& own = patch_of[groups[t]];
    if (own == none) {
      own = static_cast<std::uint32_t>(patches_.size());
      patches_.emplace_back();
    }
    Triangle& triangle = triangles_[t];
    triangle.patch = own;
    const auto corner = [&](std::size_t k) { return corners_[triangle.corners[k]]; };
    patches_[own].normal += cross(corner(1) - corner(0), corner(2) - corner(0));
  }
  for (Patch& patch : patches_) {
    const double size = norm(patch.normal);
    patch.normal = size > 0 ? (1 / size) * patch.normal : Vec3{0, 0, 1};
    patch.offset = -std::numeric_limits<double>::infinity();
  }
  for (const Triangle& t : triangles_)
    for (const std::uint32_t c : t.corners) {
      Patch& patch = patches_[t.patch];
      patch.offset = std::max(patch.offset, dot(patch.normal, corners_[c]));
    }
}

/// Notes the corners at valleys, too. Patches meet in a valley where they share a side that does not stick out, or a
/// corner from which such a side goes out and no edge of both. Each gets the first colour that none of those has which
/// it meets so.
void Polyhedron::colour_patches(std::span<const Side> all) {
  using Pair = std::array<std::uint32_t, 2>;
  const auto pair_of = [](std::uint32_t a, std::uint32_t b) { return Pair{std::min(a, b), std::max(a, b)}; };
  std::set<Pair> valleys, ridges;
  sunken_.assign(corners_.size(), 0);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Side &one = all[i], &other = all[i + 1];
    if (one.from != other.from || one.to != other.to) continue;
    const Triangle &a = triangles_[one.triangle], &b = triangles_[other.triangle];
    if (a.patch == b.patch || a.is_flat_side[one.number]) continue;
    if (a.edges[one.number] != no_edge || b.edges[other.number] != no_edge) {
      ridges.insert(pair_of(a.patch, b.patch));
      continue;
    }
    valleys.insert(pair_of(a.patch, b.patch));
    sunken_[one.from] = sunken_[one.to] = 1;
  }
  std::map<std::uint32_t, std::set<std::uint32_t>> at_corner;  // patches
  for (const Triangle& t : triangles_)
    for (const std::uint32_t c : t.corners)
      if (sunken_[c] != 0) at_corner[c].insert(t.patch);
  for (const auto& [corner, patches] : at_corner)
    for (const std::uint32_t a : patches)
      for (const std::uint32_t b : patches)
        if (a < b && !ridges.contains({a, b})) valleys.insert({a, b});
  std::vector<std::vector<std::uint32_t>> beside(patches_.size());
  for (const auto& [a, b] : valleys) beside[b].push_back(a);  // those that have a colour by then
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    std::set<std::uint32_t> taken;
    for (const std::uint32_t other : beside[p]) taken.insert(patches_[other].colour);
    while (taken.contains(patches_[p].colour)) ++patches_[p].colour;
    patch_colours_ = std::max<std::size_t>(patch_colours_, patches_[p].colour + 1);
  }
}

void Polyhedron::find_directions() {
  first_direction_.assign(corners_.size() + 1, 0);
  for (const auto& ends : ends_)
    for (const std::uint32_t corner : ends) ++first_direction_[corner + 1];
  for (std::size_t c = 0; c < corners_.size(); ++c) first_direction_[c + 1] += first_direction_[c];
  directions_.resize(2 * edges_.size());
  for (std::size_t c = 0; c < corners_.size(); ++c)
    if (!directions_from(c).empty()) sunken_[c] = 0;
  std::vector<std::size_t> next(first_direction_.begin(), first_direction_.end() - 1);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    directions_[next[ends_[e][0]]++] = edges_[e].direction;
    directions_[next[ends_[e][1]]++] = -edges_[e].direction;
  }
}

}  // namespace polyform::contact
