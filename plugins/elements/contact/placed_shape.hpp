// Shapes and points of contact in ground axes, for the closed forms for pairs of shapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "polyform/contract/shapes.hpp"
#include "polyform/helpers/height_grid.hpp"

namespace polyform::contact {

/// A place where two surfaces meet or may meet, ground axes.
struct ContactPoint {
  double gap = 0;  ///< signed distance of the surfaces, m: negative where they overlap
  Vec3 normal;     ///< from the second surface to the first, unit
  Vec3 position;   ///< halfway between the surfaces, from the ground origin, m
  /// Whether the gap changes with the velocity of the surfaces here along the normal. If it does not, a point that
  /// mirrors this one makes up for it: the gaps of both change with both velocities.
  bool is_carried = true;
  /// The angle by which a body turns until the place is quite another one, rad: that between a rim and what it stands
  /// on, whose lowest point goes round the faster the flatter it lies, or that between two edges, which cross at a
  /// place that runs along them the faster the less it is.
  double turn = 1;
  double share = 1;  ///< of the stiffness of a contact
  /// The gap changes with the velocity of the surfaces here times `own` and, where `others` is not 0, with that at
  /// `middle` times `others`.
  double own = 1, others = 0;
  Vec3 middle{};
  /// How far the place reaches on from here, m: a corner lies over a face, edges cross between their ends. Below zero
  /// the place has ended, and the surfaces do not touch there. The points of a law that wants them carried (ShapePair)
  /// go on beyond: gap, normal and position are those of the whole plane of the face, or of the whole lines.
  double place = std::numeric_limits<double>::infinity();
  double begin =
      0;  ///< how far beyond the end it may begin to touch, m: places that end together do so but for rounding
  double hold = 0;            ///< how far beyond the end what touches before goes on to touch, m
  std::uint32_t feature = 0;  ///< which face or edge of a body it is at: where it changes, the place is another one
  double distance = 0;        ///< of the surfaces, m, where the place has ended and the point goes on beyond

  /// How far the surfaces are apart there, m.
  double apart() const noexcept { return place < 0 && distance > 0 ? distance : gap; }
  /// The rate of the gap where surfaces have the relative velocity velocity_at(place).
  template <class VelocityAt>
  double rate(VelocityAt velocity_at) const noexcept {
    const double here = own * dot(normal, velocity_at(position));
    return others == 0 ? here : here + others * dot(normal, velocity_at(middle));
  }
  /// A force along the normal and what acts in the surface, about an origin.
  Spatial wrench(double pressed, const Vec3& along_surface, const Vec3& origin) const noexcept {
    const Vec3 force = (own * pressed) * normal + along_surface;
    Spatial whole{cross(position - origin, force), force};
    if (others == 0) return whole;
    const Vec3 back = (others * pressed) * normal;
    return whole += Spatial{cross(middle - origin, back), back};
  }
  /// The part of a force along the normal that presses the surfaces together.
  double pressing() const noexcept { return std::max(0.0, own + others); }
};

class Polyhedron;
class CornerSlots;

/// A shape at a pose: of the frame of its body, or of ground.
struct PlacedShape {
  explicit PlacedShape(const GeometricShape&) noexcept;
  GeometricShape::Kind kind;
  Mat3 R;
  Vec3 position, half_edges;  ///< half_edges: half axes of an ellipsoid
  double radius, half_length;
  const Polyhedron* mesh = nullptr;    ///< of a mesh, or of a box as one where the pair wants it
  const HeightGrid* grid = nullptr;    ///< of a height field
  const CornerSlots* slots = nullptr;  ///< of a mesh of which a part is near the other shape
};

/// A point that is not there: as far away as the centres, and more. Its gap changes with the bodies' velocities like
/// others.
inline ContactPoint nowhere(const Vec3& a, const Vec3& b, double far) noexcept {
  const Vec3 line = a - b;
  const double distance = norm(line);
  const Vec3 normal = distance > 0 ? (1 / distance) * line : Vec3{0, 0, 1};
  ContactPoint none{distance + far, normal, 0.5 * (a + b)};
  none.place = -none.gap;
  return none;
}

/// Two convex bodies whose distance along some directions is `apart` at most cannot lie deeper in each other: a point
/// that does has the normal of another side, and is not there. size: of the smaller body, m; what is deeper by less
/// than a millionth of it may be so by rounding.
inline void drop_deeper(double apart, double size, const ContactPoint& none, std::span<ContactPoint> points) noexcept {
  constexpr double rounding = 1e-6;
  const double least = std::min(0.0, apart) - rounding * size;
  for (ContactPoint& point : points)
    if (point.gap < least && !(point.place < 0)) point = none;
}

/// The unit direction of a vector across an axis; nothing where it lies along the axis but for rounding. What the
/// vector has along the axis is taken off twice: of a difference of two equal numbers rounding leaves a part along the
/// axis.
inline std::optional<Vec3> direction_across(const Vec3& v, const Vec3& axis) noexcept {
  constexpr double rounding = 1e-12;
  const Vec3 first = v - dot(v, axis) * axis;
  const double size = norm(first);
  if (!(size > rounding * norm(v))) return std::nullopt;
  const Vec3 unit = (1 / size) * first, second = unit - dot(unit, axis) * axis;
  return (1 / norm(second)) * second;
}

inline Vec3 axis_of(const Mat3& R) noexcept { return {R(0, 2), R(1, 2), R(2, 2)}; }
/// Half of the axis of a cylinder or capsule, from its centre.
inline Vec3 half_axis(const PlacedShape& s) noexcept { return s.half_length * axis_of(s.R); }

}  // namespace polyform::contact
