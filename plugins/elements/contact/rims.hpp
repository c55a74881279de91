// Points of the rims of a cylinder that touch a surface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "crossings.hpp"

namespace polyform::contact {

/// Directions of points of a rim about an axis, over a plane with a normal. The first is the lowest one.
/// Not carried: the other two are at the same height and go round with the lowest one. The effect of linear springs
/// there on a cylinder that stands does not depend on where the three begin.
/// Carried: where the cylinder rolls the lowest one, and three that stay on it, a little within, where it stands: while
/// it rolls these stay above the plane.
template <bool carried>
inline constexpr std::size_t points_of_rim = carried ? 4 : 3;
template <bool carried>
std::array<Vec3, points_of_rim<carried>> spokes_of_rim(const Mat3& R, const Vec3& axis, const Vec3& normal) noexcept {
  constexpr double cosine = -0.5, sine = 0.86602540378443864676, within = 1 - 1e-6;
  const Vec3 x = R.column(0), y = R.column(1), down = direction_across(-normal, axis).value_or(x);
  if constexpr (carried) {
    return {down, within * x, within * (cosine * x + sine * y), within * (cosine * x - sine * y)};
  } else {
    const Vec3 side = cross(axis, down);
    return {down, cosine * down + sine * side, cosine * down - sine * side};
  }
}

/// The sine of the angle between a rim and a surface with a normal, by ContactPoint::turn.
inline double turn_of_rim(const Vec3& axis, const Vec3& normal) noexcept { return norm(cross(axis, normal)); }

/// The rim at an end of a cylinder: 0 at the lower, 1 at the upper end of its axis.
inline Rim rim_of(const PlacedShape& cylinder, std::size_t end) noexcept {
  const double sign = end == 0 ? -1 : 1;
  return {cylinder.position + sign * half_axis(cylinder), sign * axis_of(cylinder.R), cylinder.radius};
}

/// How far another body is out of the side and the ends of a cylinder, whose least distance along a direction from the
/// centre of the cylinder is lowest(n).
template <class Lowest>
double out_of_cylinder(const PlacedShape& cylinder, const Vec3& to_other, Lowest lowest) noexcept {
  const Vec3 axis = axis_of(cylinder.R);
  const double of_ends = std::max(lowest(axis), lowest(-axis)) - cylinder.half_length;
  const std::optional<Vec3> side = direction_across(to_other, axis);
  return side ? std::max(of_ends, lowest(*side) - cylinder.radius) : of_ends;
}

/// Whether a surface is level below points of a rim: it has one plane at all of them. spokes: to the points.
template <std::size_t count>
bool is_level(const Rim& rim, const std::array<Vec3, count>& spokes, std::span<const ContactPoint> points) noexcept {
  const ContactPoint& first = points[0];
  for (std::size_t k = 1; k < count; ++k) {
    const double climbed = rim.radius * dot(first.normal, spokes[k] - spokes[0]);
    if (norm(points[k].normal - first.normal) > beside) return false;
    if (std::abs(points[k].gap - first.gap - climbed) > beside * rim.radius) return false;
  }
  return true;
}

/// Points of both rims of a cylinder against any surface: the lowest one of each and three that stay on it, all of
/// which are carried where the surface is smooth. surface(center, radius): the point of contact of a ball. Not carried:
/// where the surface is level it has the three points of a rim over a plane. The lowest one and three that stay would
/// be no law there for a cylinder that stands: which one is the lowest is chance.
inline constexpr std::size_t cylinder_surface_points = 8;
template <bool carried, class Surface>
void rims_at_surface(const PlacedShape& a, Surface surface, std::span<ContactPoint> out) noexcept {
  for (std::size_t end = 0; end < 2; ++end) {
    const Rim rim = rim_of(a, end);
    const auto of_rim = out.subspan(4 * end, 4);
    const auto at = [&](const Vec3& spoke) { return surface(rim.center + rim.radius * spoke, 0.0); };
    Vec3 normal = surface(rim.center, 0.0).normal;
    // The lowest point depends on the normal below it.
    constexpr int most = 30;
    constexpr double settled = 1e-14;
    bool is_settled = false;
    for (int i = 0; i < most && !is_settled; ++i) {
      of_rim[0] = at(spokes_of_rim<true>(a.R, rim.axis, normal)[0]);
      is_settled = norm(of_rim[0].normal - normal) < settled;
      normal = of_rim[0].normal;
    }
    of_rim[0].is_carried = is_settled;
    of_rim[0].turn = turn_of_rim(rim.axis, normal);
    if constexpr (!carried) {
      const auto spokes = spokes_of_rim<false>(a.R, rim.axis, normal);
      for (std::size_t k = 1; k < spokes.size(); ++k) of_rim[k] = at(spokes[k]), of_rim[k].is_carried = false;
      if (is_level(rim, spokes, of_rim)) {
        of_rim[3] = of_rim[0];
        of_rim[3].gap += 2 * (a.radius + a.half_length);  // not there
        continue;
      }
    }
    const auto spokes = spokes_of_rim<true>(a.R, rim.axis, normal);
    for (std::size_t k = 1; k < 4; ++k) of_rim[k] = at(spokes[k]);
  }
}

}  // namespace polyform::contact
