// Places of corners over the flat parts of a mesh that need not be convex, for the law that wants them
// carried.
#pragma once

#include <cstddef>
#include <span>

#include "placed_shape.hpp"

namespace polyform::contact {

// A corner has a place over the nearest patch of each colour (Polyhedron::Patch), so that it can touch the floor
// and the walls of a tray at once. It goes on over the plane of the patch beyond its end.

/// How many places the corners of `a` have over the patches of `b`, of which each has those that corner_places()
/// counts.
std::size_t corners_at_patches_points(const PlacedShape& a, const PlacedShape& b) noexcept;
/// none: what stands in the place of a corner that is not near.
void corners_at_patches(const PlacedShape& a, const PlacedShape& b, const ContactPoint& none,
                        std::span<ContactPoint> out) noexcept;

}  // namespace polyform::contact
