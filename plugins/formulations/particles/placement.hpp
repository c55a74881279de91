// Places of the primary particles in one body.
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"

namespace polyform::particles {

/// A point of a body that is to be a particle.
struct Wanted {
  Vec3 place;
  std::size_t particle = none;  ///< when it exists already
};

struct Placement {
  Wanted primary[3];         ///< 1, 2, 4
  std::vector<Wanted> tied;  ///< the rest of what was wanted
  Vec3 third;                ///< particle 3
};

/// Chooses 1, 2 and 4: first what is inherited (at most three), then wanted points that make a well-shaped triangle,
/// then points of its own around the mass centre, so that bodies whose mass lies on a line or in a plane need no
/// particle beside it. Particle 3 is a wanted point off the plane, or else stands above the triangle.
Placement choose_places(const BodyData&, double length, std::span<const Wanted> inherited, std::vector<Wanted> wanted);

}  // namespace polyform::particles
