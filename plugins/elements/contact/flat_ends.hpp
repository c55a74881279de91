// Two cylinders that stand on each other end on end, also off their centres.
#pragma once

#include <array>
#include <span>

#include "rims.hpp"

namespace polyform::contact {

inline constexpr std::size_t flat_end_points = 4;

/// The area that two ends share has four points that go on as the bodies move: its farthest ones along the line of the
/// centres, and those at the sides, of the smaller rim or where both rims cross. They carry what lies flat. A body that
/// tilts stands on the lowest point of that area, which has the force that the four points lack: where the ends are
/// parallel, which one is the lowest is chance, and it has none.
class FlatEnds {
 public:
  /// The ends of two cylinders that look at each other. They have points if they are parallel but for some degrees and
  /// share an area.
  FlatEnds(const PlacedShape& a, const PlacedShape& b) noexcept;

  bool exist() const noexcept { return exist_; }
  /// Points from `b` to `a`; each has three quarters of the stiffness, as a rim of three points has on a plane.
  const std::array<ContactPoint, flat_end_points>& points() const noexcept { return points_; }
  /// Takes what the four points carry from the gap of the lowest point of the area. With the depths d of this point and
  /// r d of the middle of the four, it is as deep as d (1 - r^2)^2.
  void take_from(ContactPoint& lowest) const noexcept;

 private:
  bool exist_ = false;
  std::array<ContactPoint, flat_end_points> points_;
  Vec3 middle_;
  double gap_ = 0;   ///< in the middle, m
  double size_ = 0;  ///< of the smaller rim, m
};

}  // namespace polyform::contact
