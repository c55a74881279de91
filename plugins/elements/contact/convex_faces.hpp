// Faces of convex bodies: which one another body lies over, and how far a point is within it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "polyhedron.hpp"

namespace polyform::contact {

/// The face of a convex body that another body lies the farthest out of, or the least deep in. lowest(n, enough): the
/// least n · x of the other body, or any of its n · x that is not above `enough`.
struct Towards {
  const Polyhedron::Face& face;
  double apart;
};
template <class Lowest>
Towards face_towards(const Polyhedron& body, Lowest lowest) noexcept {
  const Polyhedron::Face* best = &body.faces().front();
  double widest = -std::numeric_limits<double>::infinity();
  for (const Polyhedron::Face& face : body.faces()) {
    const double apart = lowest(face.normal, widest + face.offset) - face.offset;
    if (!(apart > widest)) continue;
    widest = apart;
    best = &face;
  }
  return {*best, widest};
}

/// How far a point lies within the planes across the sides of a face and `around`, m; below zero it is not over it, as
/// where it lies below all of the body.
inline double place_over(const Polyhedron& body, const Polyhedron::Face& face, const Vec3& p, double height,
                         double around) noexcept {
  double place = height + 2 * body.half_width();
  for (std::size_t k = 0; k < face.count; ++k) {
    const Vec3 &from = body.corner_of(face, k), side = body.corner_of(face, k + 1) - from;
    const Vec3 out = cross(side, face.normal);
    place = std::min(place, around - dot(out, p - from) / norm(out));
  }
  return place;
}

inline std::uint32_t feature_of(const Polyhedron& body, const Polyhedron::Face& face) noexcept {
  return static_cast<std::uint32_t>(&face - body.faces().data());
}

}  // namespace polyform::contact
