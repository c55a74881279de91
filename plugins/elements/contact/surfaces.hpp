// The place of a surface that is nearest to a ball: for each kind of shape.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "placed_shape.hpp"

namespace polyform::contact {

struct SurfacePlace;

// Each gives the point of contact of a ball of a radius about a centre, as the first shape, with the shape. A radius of
// 0 is that of a corner. A centre may lie within.
ContactPoint ball_at_plane(const Vec3& center, double radius, const PlacedShape& plane) noexcept;
ContactPoint ball_at_cylinder(const Vec3& center, double radius, const PlacedShape& cylinder) noexcept;
/// A centre within is pushed out at the place that is nearest.
ContactPoint ball_at_ellipsoid(const Vec3& center, double radius, const PlacedShape& ellipsoid) noexcept;
ContactPoint ball_at_mesh(const Vec3& center, double radius, const PlacedShape& mesh) noexcept;
/// At the place of the mesh, in its axes, that is nearest to the centre.
ContactPoint ball_at_place(const Vec3& center, double radius, const PlacedShape& mesh, const SurfacePlace&) noexcept;
/// The foot of the perpendicular from the centre, by Newton's method from the place below it.
ContactPoint ball_at_heights(const Vec3& center, double radius, const PlacedShape& height_field) noexcept;

/// The part of a cylinder that another body is the farthest out of.
enum class CylinderPart : std::uint32_t { low_end, high_end, side };
/// A corner over a part of a cylinder, or over its plane or surface beyond (ContactPoint::place).
ContactPoint corner_over_cylinder(const Vec3& corner, const PlacedShape& cylinder, CylinderPart,
                                  double around) noexcept;
/// A corner of a convex body at a cylinder. out_of_ends: how far that body is out of the planes of its ends, that of -z
/// first; negative where it reaches beyond. A corner within leaves by the side if the whole body would have the longer
/// way out of the end.
ContactPoint corner_at_cylinder(const Vec3& corner, const PlacedShape& cylinder,
                                const std::array<double, 2>& out_of_ends) noexcept;
/// A corner at the side of a capsule, which is the first shape; nothing where its nearest place is one of the half
/// balls.
std::optional<ContactPoint> corner_at_side(const Vec3& corner, const PlacedShape& capsule) noexcept;

/// The place of an ellipsoid that is nearest to a point, and the outward normal there (unit).
struct EllipsoidPlace {
  Vec3 nearest, out;
};
/// In the axes of the ellipsoid, by the only root of Σ (a c/(t + a²))² = 1 above −(the least a)² (Eberly 2013,
/// "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid").
EllipsoidPlace nearest_of_ellipsoid(const Vec3& point, const Vec3& half_axes) noexcept;
/// The point of an ellipsoid that reaches farthest along a unit direction.
Vec3 farthest_of_ellipsoid(const PlacedShape& ellipsoid, const Vec3& direction) noexcept;

}  // namespace polyform::contact
