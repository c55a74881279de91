// Contact of cylinders with capsules and with each other.
#pragma once

#include <cstddef>
#include <span>

#include "flat_ends.hpp"
#include "placed_shape.hpp"
#include "rims.hpp"

namespace polyform::contact {

/// Both half balls, the place where axis and axis cross, and those where the axis of the capsule enters over each rim
/// and leaves.
inline constexpr std::size_t capsule_cylinder_points = 7;
void capsule_cylinder(const PlacedShape& capsule, const PlacedShape& cylinder, std::span<ContactPoint> out) noexcept;

/// The place where side and side cross; where the side of each enters over the rims of the other and leaves; points of
/// the rims of each over the end of the other; and where rim and rim cross. Not carried: of each rim the lowest point
/// over an end, and the four points of two ends that lie flat on each other (flat_ends.hpp).
template <bool carried>
inline constexpr std::size_t rim_points_at_end = carried ? points_of_rim<true> : 1;
template <bool carried>
inline constexpr std::size_t cylinder_cylinder_points = 1 + 8 + 4 * rim_points_at_end<carried> + 8 +
                                                        (carried ? 0 : flat_end_points);
template <bool carried>
void cylinder_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept;

}  // namespace polyform::contact
