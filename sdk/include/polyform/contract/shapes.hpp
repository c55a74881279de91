// Shapes of bodies: what a model gives under `geometry`, for elements that work between surfaces.
#pragma once

#include <cstdint>

#include "polyform/contract/growth.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A shape, centred on its pose. A capsule is a cylinder with half a ball on either end. A plane bounds a half space:
/// the z axis of its pose points out of it.
struct GeometricShape {
  enum class Kind : std::int32_t { box, cylinder, sphere, capsule, plane };

  Kind kind = Kind::box;
  Pose pose{};        ///< in the frame of its body
  Vec3 edges{};       ///< of a box: lengths along x, y and z, m
  double radius = 0;  ///< of a cylinder, sphere or capsule, m
  double length = 0;  ///< along z: of a cylinder, or of a capsule between the centres of its half balls, m
};

/// The shapes of one body; none if the model gives none.
struct BodyShapes {
  Strided<const GeometricShape> shapes{};
};

}  // namespace polyform
