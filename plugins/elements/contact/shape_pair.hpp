// Where two shapes are nearest to each other, or lie deepest in each other: by closed forms, for each pair of kinds.
#pragma once

#include <cstddef>
#include <span>

#include "placed_shape.hpp"

namespace polyform::contact {

/// The pose of a body's frame in ground.
struct Placement {
  const Mat3& R;
  const Vec3& position;
};

/// Two shapes of two bodies. Each pair of kinds has a number of points that never changes, so that a point keeps its
/// place among them while the bodies move.
class ShapePair {
 public:
  /// The number of points: 0 if there are no closed forms for the two kinds.
  static std::size_t points_of(GeometricShape::Kind first, GeometricShape::Kind second) noexcept;
  /// Which points a law wants: all of them, or those alone whose gap changes with the velocity of the surfaces there
  /// (is_carried), which are other ones where a cylinder stands or rolls on a plane.
  enum class Points { all, carried };

  /// points_of(first.kind, second.kind) > 0.
  ShapePair(const GeometricShape& first, const GeometricShape& second, Points = Points::all) noexcept;

  std::size_t points() const noexcept { return points_; }
  /// A length of the smaller of the two, m, with which motions are compared.
  double size() const noexcept;
  /// The points where the frames of the bodies stand so; out.size() is points().
  void locate(const Placement& first, const Placement& second, std::span<ContactPoint> out) const noexcept;
  /// The points of two shapes that stand in ground; out.size() is points_of() their kinds.
  static void locate(const PlacedShape& first, const PlacedShape& second, std::span<ContactPoint> out) noexcept;

 private:
  using Locate = void (*)(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
  struct Way;
  static Way way_of(GeometricShape::Kind first, GeometricShape::Kind second, Points = Points::all) noexcept;

  PlacedShape first_, second_;  ///< in the frames of their bodies
  Locate locate_;
  std::size_t points_;
  bool swapped_;  ///< whether locate_ takes the second shape first
};

}  // namespace polyform::contact
