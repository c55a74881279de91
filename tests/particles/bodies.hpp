// Random rigid bodies and places of their particles.
#pragma once

#include "equivalent_particles.hpp"
#include "tests/elements/random.hpp"

namespace polyform::test {

struct SolidBody {
  double mass;
  Vec3 center;
  Sym3 inertia;  ///< about the mass centre
};

/// A body made of point masses; `flat` and `line` keep them in a plane or on a line.
inline SolidBody random_body(Random& random, bool flat = false, bool line = false) {
  const Vec3 origin = random.vector(0.5), a = random.direction(), b = random.direction(), c = random.direction();
  Vec3 points[8];
  double masses[8];
  SolidBody body{0, {}, {}};
  for (std::size_t i = 0; i < 8; ++i) {
    points[i] = origin + random.uniform(-1, 1) * a;
    if (!line) points[i] += random.uniform(-1, 1) * b;
    if (!line && !flat) points[i] += random.uniform(-1, 1) * c;
    masses[i] = random.uniform(0.1, 1);
    body.mass += masses[i];
    body.center += masses[i] * points[i];
  }
  body.center *= 1 / body.mass;
  for (std::size_t i = 0; i < 8; ++i) {
    const Sym3 unit = unit_mass_inertia(points[i] - body.center);
    body.inertia += Sym3{masses[i] * unit.xx, masses[i] * unit.yy, masses[i] * unit.zz,
                         masses[i] * unit.xy, masses[i] * unit.xz, masses[i] * unit.yz};
  }
  return body;
}

/// Masses of the ten particles: of a primary one, and of the secondary one between two.
inline double mass_at(const particles::EquivalentParticles& p, std::size_t i) {
  double mass = p.weight[i][i];
  for (std::size_t j = 0; j < 4; ++j)
    if (j != i) mass -= p.weight[i][j];
  return mass;
}
inline double mass_between(const particles::EquivalentParticles& p, std::size_t i, std::size_t j) {
  return 4 * p.weight[i][j];
}

/// Four places that span at least the given part of a box.
inline void random_places(Random& random, Vec3 (&place)[4], double least = 0.05) {
  do {
    for (Vec3& p : place) p = random.vector(1.5);
  } while (particles::spread(place) < least);
}

}  // namespace polyform::test
