// Contact of boxes with each other and with capsules: corners in faces, and edges across edges.
#pragma once

#include <cstddef>
#include <span>

#include "placed_shape.hpp"

namespace polyform::contact {

/// Each corner of either box, and for each edge of the first one place where it goes in over the second box and one
/// where it comes out. A place that is none now is farther away than the boxes are large. Carried: places go on beyond
/// their ends (ContactPoint::place).
inline constexpr std::size_t corners_of_box = 8, edges_of_box = 12;
inline constexpr std::size_t box_box_points = 2 * corners_of_box + 2 * edges_of_box;
template <bool carried>
void box_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept;

/// Both half balls, the places where the axis goes in over the box and comes out, and its corners beside the axis.
inline constexpr std::size_t capsule_box_points = 4 + corners_of_box;
void capsule_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept;

/// The nearest place of a ball of a radius about a point and a box.
ContactPoint ball_at_box(const Vec3& center, double radius, const PlacedShape& box) noexcept;

}  // namespace polyform::contact
