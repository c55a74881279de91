// Where two shapes are nearest to each other, or lie deepest in each other: by closed forms, for each pair of kinds.
#pragma once

#include <cstddef>
#include <span>

#include "polyform/contract/shapes.hpp"

namespace polyform::contact {

/// A place where two surfaces meet or may meet, ground axes.
struct ContactPoint {
  double gap = 0;  ///< signed distance of the surfaces, m: negative where they overlap
  Vec3 normal;     ///< from the second surface to the first, unit
  Vec3 position;   ///< halfway between the surfaces, from the ground origin, m
  /// Whether the gap changes with the velocity of the surfaces here along the normal. Where it does not, a point that
  /// mirrors this one makes up for it: the gaps of both change with both velocities.
  bool is_carried = true;
};

/// The pose of a body's frame in ground.
struct Placement {
  const Mat3& R;
  const Vec3& position;
};

/// Two shapes of two bodies. Each pair of kinds has a number of points that never changes, so that a point keeps its
/// place among them while the bodies move.
class ShapePair {
 public:
  /// The number of points: 0 where there are no closed forms for the two kinds.
  static std::size_t points_of(GeometricShape::Kind first, GeometricShape::Kind second) noexcept;
  /// Which points a law wants: all of them, or those alone whose gap changes with the velocity of the surfaces there
  /// (is_carried), which are other ones where a cylinder stands or rolls on a plane.
  enum class Points { all, carried };

  /// points_of(first.kind, second.kind) > 0.
  ShapePair(const GeometricShape& first, const GeometricShape& second, Points = Points::all) noexcept;

  std::size_t points() const noexcept { return points_; }
  /// A length of the smaller of the two, m: what a motion is short or long beside.
  double size() const noexcept;
  /// The points where the frames of the bodies stand so; out.size() is points().
  void locate(const Placement& first, const Placement& second, std::span<ContactPoint> out) const noexcept;

 private:
  /// A shape in the frame of its body.
  struct Placed {
    explicit Placed(const GeometricShape&) noexcept;
    GeometricShape::Kind kind;
    Mat3 R;
    Vec3 position, half_edges;
    double radius, half_length;
  };
  using Locate = void (*)(const Placed&, const Placed&, std::span<ContactPoint>) noexcept;
  struct Way;
  static Way way_of(GeometricShape::Kind first, GeometricShape::Kind second, Points = Points::all) noexcept;

  Placed first_, second_;
  Locate locate_;
  std::size_t points_;
  bool swapped_;  ///< whether locate_ takes the second shape first
};

}  // namespace polyform::contact
