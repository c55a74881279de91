// Shapes of bodies: what a model gives under `geometry`, for elements that work between surfaces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "polyform/contract/growth.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A shape, centred on its pose. A capsule is a cylinder with half a ball on either end. A plane bounds a half space:
/// the z axis of its pose points out of it. A height field bounds what lies below a surface z(x, y) in the axes of its
/// pose: through heights at the corners of a grid whose middle is the origin, smooth between them and held beyond its
/// edge. A mesh is a closed surface of triangles, or the convex hull of its vertices.
struct GeometricShape {
  enum class Kind : std::int32_t { box, cylinder, sphere, capsule, plane, ellipsoid, mesh, height_field };

  Kind kind = Kind::box;
  Pose pose{};        ///< in the frame of its body
  Vec3 edges{};       ///< of a box, an ellipsoid or the grid of a height field: lengths along x, y and z, m
  double radius = 0;  ///< of a cylinder, sphere or capsule, m
  double length = 0;  ///< along z: of a cylinder, or of a capsule between the centres of its half balls, m
  std::span<const Vec3> vertices{};  ///< of a mesh, m
  /// Triangles of a mesh, three of its vertices each, against the clock when seen from outside. A convex mesh has those
  /// of its hull.
  std::span<const std::array<std::uint32_t, 3>> faces{};
  std::span<const double> heights{};  ///< of a height field, m: rows one after the other, from the least x on
  std::size_t rows = 0;               ///< of the heights, along x; each goes along y
  bool convex = false;                ///< whether a mesh is the convex hull of its vertices
};

/// The shapes of one body; none if the model gives none.
struct BodyShapes {
  Strided<const GeometricShape> shapes{};
};

}  // namespace polyform
