// Quickhull in three dimensions: Barber, Dobkin and Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls".
#include <algorithm>
#include <limits>

#include "polyform/helpers/triangle_mesh.hpp"

namespace polyform {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

struct Facet {
  std::array<std::uint32_t, 3> corners;
  std::array<std::size_t, 3> beside{none, none, none};  ///< across the side from corner k to the next
  Vec3 normal;
  double offset = 0;
  std::vector<std::uint32_t> outside;
  bool is_gone = false, is_seen = false;
};

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3> points) : points_(points) {}

  std::optional<TriangleMesh> hull() {
    if (!start()) return std::nullopt;
    for (std::size_t f = 0; f < facets_.size(); ++f)
      while (!facets_[f].is_gone && !facets_[f].outside.empty())
        if (!add_farthest(f)) return std::nullopt;
    return result();
  }

 private:
  double height(const Facet& f, std::uint32_t p) const { return dot(f.normal, points_[p]) - f.offset; }

  /// A tetrahedron of points far from each other.
  bool start() {
    if (points_.size() < 4) return false;
    std::array<std::uint32_t, 2> ends{0, 0};
    double widest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto along = [k](const Vec3& p) { return p[k]; };
      const auto [low, high] = std::ranges::minmax_element(points_, {}, along);
      if (!((*high)[k] - (*low)[k] > widest)) continue;
      widest = (*high)[k] - (*low)[k];
      ends = {number_of(low), number_of(high)};
    }
    constexpr double rounding = 1e-10;
    least_ = rounding * widest;
    if (!(widest > 0)) return false;
    const Vec3 from = points_[ends[0]], line = (1 / norm(points_[ends[1]] - from)) * (points_[ends[1]] - from);
    const std::uint32_t third = farthest([&](const Vec3& p) { return norm(cross(line, p - from)); });
    Vec3 normal = cross(line, points_[third] - from);
    const double size = norm(normal);
    if (!(size > least_)) return false;
    normal = (1 / size) * normal;
    const std::uint32_t top = farthest([&](const Vec3& p) { return std::abs(dot(normal, p - from)); });
    const double high = dot(normal, points_[top] - from);
    if (!(std::abs(high) > least_)) return false;
    std::array<std::uint32_t, 4> v{ends[0], ends[1], third, top};
    if (high > 0) std::swap(v[1], v[2]);  // so that the first facet looks away from the top
    for (const auto& c : {std::array{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
      add({v[static_cast<std::size_t>(c[0])], v[static_cast<std::size_t>(c[1])], v[static_cast<std::size_t>(c[2])]});
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        if (a != b) join(a, b);
    std::vector<std::uint32_t> all(points_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    share(all, 0);
    return true;
  }
  std::uint32_t number_of(std::span<const Vec3>::iterator at) const {
    return static_cast<std::uint32_t>(at - points_.begin());
  }
  template <class Distance>
  std::uint32_t farthest(Distance distance) const {
    return number_of(std::ranges::max_element(points_, {}, distance));
  }

  std::size_t add(const std::array<std::uint32_t, 3>& corners) {
    Facet& f = facets_.emplace_back();
    f.corners = corners;
    const Vec3 a = points_[corners[0]], n = cross(points_[corners[1]] - a, points_[corners[2]] - a);
    const double size = norm(n);
    f.normal = size > 0 ? (1 / size) * n : n;
    f.offset = std::max({dot(f.normal, a), dot(f.normal, points_[corners[1]]), dot(f.normal, points_[corners[2]])});
    return facets_.size() - 1;
  }
  /// Makes b the neighbour of a across the side that they share, if they do.
  void join(std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        if (facets_[a].corners[i] == facets_[b].corners[(k + 1) % 3] &&
            facets_[a].corners[(i + 1) % 3] == facets_[b].corners[k])
          facets_[a].beside[i] = b;
  }
  /// Gives each point to the first facet from `first` on that it is outside of; others are inside.
  void share(std::span<const std::uint32_t> points, std::size_t first) {
    for (const std::uint32_t p : points)
      for (std::size_t f = first; f < facets_.size(); ++f)
        if (height(facets_[f], p) > least_) {
          facets_[f].outside.push_back(p);
          break;
        }
  }

  struct Side {
    std::uint32_t from, to;
    std::size_t beyond;
  };
  /// The facets that a point sees, or lies in the plane of, from one of them on; sides: those around them, in order of
  /// the search.
  void look(std::size_t from, std::uint32_t p, std::vector<std::size_t>& seen, std::vector<Side>& sides) {
    seen = {from};
    facets_[from].is_seen = true;
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (const std::size_t next : facets_[seen[i]].beside)
        if (!facets_[next].is_seen && height(facets_[next], p) > -least_) {
          facets_[next].is_seen = true;
          seen.push_back(next);
        }
    for (const std::size_t f : seen)
      for (std::size_t k = 0; k < 3; ++k)
        if (const std::size_t next = facets_[f].beside[k]; !facets_[next].is_seen)
          sides.push_back({facets_[f].corners[k], facets_[f].corners[(k + 1) % 3], next});
  }
  /// Replaces what the farthest point outside a facet sees by a cone. False where rounding leaves no closed cone.
  bool add_farthest(std::size_t facet) {
    const std::vector<std::uint32_t>& outside = facets_[facet].outside;
    const std::uint32_t p =
        *std::ranges::max_element(outside, {}, [&](std::uint32_t k) { return height(facets_[facet], k); });
    std::vector<std::size_t> seen;
    std::vector<Side> sides;
    look(facet, p, seen, sides);
    const std::size_t first = facets_.size();
    for (const Side& side : sides) {
      const std::size_t made = add({side.from, side.to, p});
      join(side.beyond, made);
      facets_[made].beside[0] = side.beyond;
    }
    // Around the point: the facet whose side begins where another one's ends.
    for (std::size_t a = first; a < facets_.size(); ++a) {
      std::size_t found = 0;
      for (std::size_t b = first; b < facets_.size(); ++b) {
        if (facets_[b].corners[0] == facets_[a].corners[1]) facets_[a].beside[1] = b, ++found;
        if (facets_[b].corners[1] == facets_[a].corners[0]) facets_[a].beside[2] = b, ++found;
      }
      if (found != 2) return false;
    }
    std::vector<std::uint32_t> left;
    for (const std::size_t f : seen) {
      left.insert(left.end(), facets_[f].outside.begin(), facets_[f].outside.end());
      facets_[f].outside = {};
      facets_[f].is_gone = true;
    }
    std::erase(left, p);
    share(left, first);
    return true;
  }

  TriangleMesh result() const {
    TriangleMesh mesh;
    std::vector<std::uint32_t> number(points_.size(), 0);
    for (const Facet& f : facets_)
      if (!f.is_gone)
        for (const std::uint32_t p : f.corners) number[p] = 1;
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (number[p] == 1) {
        number[p] = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(points_[p]);
      }
    for (const Facet& f : facets_)
      if (!f.is_gone) mesh.faces.push_back({number[f.corners[0]], number[f.corners[1]], number[f.corners[2]]});
    return mesh;
  }

  std::span<const Vec3> points_;
  std::vector<Facet> facets_;
  double least_ = 0;  ///< a height of less is none, m
};

}  // namespace

std::optional<TriangleMesh> convex_hull(std::span<const Vec3> points) { return Quickhull(points).hull(); }

}  // namespace polyform
