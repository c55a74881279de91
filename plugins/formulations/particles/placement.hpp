// Places of the primary particles in one body.
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"

namespace polyform::particles {

/// A point of a body at which a particle is wanted.
struct Wanted {
  Vec3 place;
  std::size_t particle = none;  ///< when it exists already
  std::size_t wanted = none;    ///< its place in the list of what the body's joints want
};

struct Placement {
  Wanted primary[3];              ///< 1, 2, 4
  std::vector<Wanted> dependent;  ///< the rest of what was wanted
  Vec3 third;                     ///< particle 3
};

/// Chooses 1, 2 and 4: first what is inherited (at most three), then wanted points that make a well-shaped triangle,
/// then points of its own through the mass centre or else where the mass extends most, so that the mass of a rod lies
/// on the line of 1 and 2, and that of a plate in the plane of 1, 2 and 4, wherever its joints leave the choice.
/// Particle 3 is a wanted point off the plane, or else stands above the triangle.
Placement choose_places(const BodyData&, double length, std::span<const Wanted> inherited, std::vector<Wanted> wanted);

}  // namespace polyform::particles
