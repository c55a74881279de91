// The directions in which points slide, from one state to the next.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// An element chooses the two tangents of a point by the normal alone, and no choice is smooth for all normals: near
/// one of them the tangents turn round within no angle. So where tangents are lines in space, a direction is kept as a
/// vector in ground axes, and its two numbers are those along the tangents of the state that the set is evaluated at.
class SlidingDirections {
 public:
  using Pair = std::array<double, 2>;  ///< along the first tangent and the second one; of unit length, or zero

  explicit SlidingDirections(std::size_t points) : numbers_(3 * points) {}

  /// Zero where it is not known.
  Pair at(const UnilateralSet& set, std::size_t k) const {
    const double* const n = numbers_.data() + 3 * k;
    if (!has_lines(set, k)) return {n[0], n[1]};
    const Vec3 kept{n[0], n[1], n[2]};
    const Pair found{dot(kept, set.tangent(k, 0)), dot(kept, set.tangent(k, 1))};
    const double size = std::hypot(found[0], found[1]);
    return size > 0 ? Pair{found[0] / size, found[1] / size} : Pair{};
  }
  void put(const UnilateralSet& set, std::size_t k, const Pair& direction) {
    double* const n = numbers_.data() + 3 * k;
    Vec3 kept{direction[0], direction[1], 0};
    if (has_lines(set, k)) kept = direction[0] * set.tangent(k, 0) + direction[1] * set.tangent(k, 1);
    for (std::size_t i = 0; i < 3; ++i) n[i] = kept[i];
  }
  bool is_known(std::size_t k) const {
    return numbers_[3 * k] != 0 || numbers_[3 * k + 1] != 0 || numbers_[3 * k + 2] != 0;
  }
  /// Three per point, for a run that goes on later.
  std::vector<double>& numbers() { return numbers_; }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  static bool has_lines(const UnilateralSet& set, std::size_t k) {
    constexpr double line = 0.5;  // a tangent has unit length, or no part along a line at all
    return set.point(k).tangents == 2 && norm(set.tangent(k, 0)) > line && norm(set.tangent(k, 1)) > line;
  }
  std::vector<double> numbers_;
};

}  // namespace polyform::host::inline unilateral
