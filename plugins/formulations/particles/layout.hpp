// Which particles a system has, and which bodies share them.
//
// A spherical joint shares one particle between its bodies, a revolute joint two on its axis, a fixed joint all three;
// any other joint without translation shares its point. On ground these particles are fixed. A body moves with three
// particles 1, 2, 4; what its further joints need depends on these by Eq 2.10.
#pragma once

#include <vector>

#include "equivalent_particles.hpp"
#include "polyform/contract/system_view.hpp"
#include "triangle.hpp"

namespace polyform::particles {

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// An independent particle, or one fixed to ground.
struct Particle {
  std::size_t body = none;  ///< the body that brought it, or none on ground
  Vec3 place;               ///< in that body from its frame origin, body axes; on ground its position
  std::size_t slot = none;  ///< among the moving particles, or none on ground
};

/// A shared particle beyond 1, 2 and 4 of its body, held by Eq 2.10 as three constraints.
struct DependentParticle {
  std::size_t particle;
  Invariants invariants;
};

struct ParticleBody {
  std::size_t particle[3];    ///< 1, 2, 4
  Vec3 place[3];              ///< body axes, from the frame origin
  std::size_t inherited = 0;  ///< how many of the three the inboard joint shares with the inboard body
  Mat3 to_body;               ///< from the axes of the triangle to body axes
  double length = 0;          ///< size of the body, m
  EquivalentParticles masses;
  Invariants third;  ///< of particle 3
  std::vector<DependentParticle> dependents;
};

/// Particles that a tree joint shares: 0 for a joint that translates and for a code-defined one.
std::size_t shared_particles(const JointData&);

struct Layout {
  explicit Layout(const SystemView&);

  std::vector<Particle> particles;
  std::vector<ParticleBody> bodies;
  std::size_t moving = 0;         ///< particles not on ground
  std::size_t degenerate = none;  ///< a body whose particles 1 to 4 lie in a plane, so that they cannot have its masses
};

}  // namespace polyform::particles
