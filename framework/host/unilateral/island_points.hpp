// Which points of a heap touch the same islands of inertia, and so have a part in each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/unilateral/inertia_islands.hpp"

namespace polyform::host::inline unilateral {

/// Its members are lists that keep their room from one heap to the next.
class IslandPoints {
 public:
  /// Of a point: its two bodies, and the joint velocity that it is about.
  static constexpr std::size_t parts = 3, none = InertiaIslands::none;

  /// of(point, part): the island of a part of a point, or none.
  template <class Of>
  void list(std::size_t points, std::size_t islands, const Of& of) {
    of_parts_.resize(parts * points);
    for (std::size_t p = 0; p < points; ++p)
      for (std::size_t part = 0; part < parts; ++part) of_parts_[parts * p + part] = of(p, part);
    sort(points, islands);
  }
  /// The islands of the parts of a point, in order.
  std::span<const std::size_t> of(std::size_t point) const {
    return std::span(of_parts_).subspan(parts * point, parts);
  }
  /// The points that touch an island of this one, in ascending order, each of them once.
  std::span<const std::size_t> near(std::size_t point);

 private:
  void sort(std::size_t points, std::size_t islands);

  std::vector<std::size_t> of_parts_;
  std::vector<std::size_t> first_, in_;  ///< the points that touch an island, island after island
  std::vector<std::size_t> near_;
};

}  // namespace polyform::host::inline unilateral
