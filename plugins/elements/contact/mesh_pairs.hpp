// Contact of meshes with each other and with all other shapes.
#pragma once

#include <cstddef>
#include <span>

#include "placed_shape.hpp"

namespace polyform::contact {

// Each has a number of points for two shapes, which never changes, and a function for the points. A box serves as a
// convex mesh. Carried: places at convex meshes go on beyond their ends (ContactPoint::place).

/// The corners of a mesh.
std::size_t mesh_plane_points(const PlacedShape& mesh, const PlacedShape& plane) noexcept;
void mesh_plane(const PlacedShape& mesh, const PlacedShape& plane, std::span<ContactPoint> out) noexcept;

/// The nearest place; in a valley one of each sheet.
std::size_t sphere_mesh_points(const PlacedShape& sphere, const PlacedShape& mesh) noexcept;
void sphere_mesh(const PlacedShape& sphere, const PlacedShape& mesh, std::span<ContactPoint> out) noexcept;

/// Both half balls, the places where the axis goes in over the mesh and comes out, and its corners beside the axis.
std::size_t capsule_mesh_points(const PlacedShape& capsule, const PlacedShape& mesh) noexcept;
void capsule_mesh(const PlacedShape& capsule, const PlacedShape& mesh, std::span<ContactPoint> out) noexcept;

/// The place where face, edge or corner of the mesh and the ellipsoid are nearest to each other.
void ellipsoid_mesh(const PlacedShape& ellipsoid, const PlacedShape& mesh, std::span<ContactPoint> out) noexcept;

/// Of two convex ones the corners of each, above that face of the other one that it is farthest out of; of others the
/// corners at the nearest faces. For each edge of the first one, the places where it enters the second and leaves it.
std::size_t mesh_mesh_points(const PlacedShape& a, const PlacedShape& b) noexcept;
template <bool carried>
void mesh_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept;

/// The corners of the mesh; points of the rims at its faces, all of which are carried or three of each rim; the places
/// where the side of the cylinder enters over the mesh and leaves; and where edges cross the rims: all edges of a
/// convex mesh, of others the nearest ones of each rim.
template <bool carried>
std::size_t cylinder_mesh_points(const PlacedShape& cylinder, const PlacedShape& mesh) noexcept;
template <bool carried>
void cylinder_mesh(const PlacedShape& cylinder, const PlacedShape& mesh, std::span<ContactPoint> out) noexcept;

}  // namespace polyform::contact
