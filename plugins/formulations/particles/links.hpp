// The bodies of the tree as the recursion passes them: set up once.
#pragma once

#include <cstdint>
#include <vector>

#include "layout.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform::particles {

enum class Hinge : unsigned char { spherical, spherical_in_loop, revolute, fixed, free, general };

/// A body and its inboard joint: all that the sweeps read of it, side by side in memory.
struct Link {
  Hinge hinge;
  bool looped;     ///< forces of cut joints pass the joint, or act on the body
  bool postponed;  ///< the joint moves next to nothing: loops are closed first (postponed_hinges.hpp)
  Representation representation;
  /// For the particles 2, 3 and 4 (0 to 2 here): weight_ij and Σ_j weight_ij; `third` tells where 3 is.
  double mass, weight[3][3], total[3];
  double least;  ///< moment of inertia about any axis, at least
  Invariants third;
  std::int32_t parent;
  std::uint32_t particle[3], parent_particle;  ///< parent_particle: particle 1 of the inboard body
  std::uint32_t direction, directions;         ///< among the motions of all joints but spherical ones
  std::uint32_t own, owns;                     ///< in Links::own: the particles that the body brought
  std::uint32_t rate;    ///< among the rates of all joints: of its directions, of a spherical joint of α
  std::int8_t place[2];  ///< of the first two shared particles in the inboard body: 1, 2, 4 (0 to 2), dependent (3)
};

struct Links {
  Links(const SystemView&, const Layout&, const LoopClosure&);
  const Link& operator[](std::size_t body) const { return all[body]; }
  std::size_t size() const { return all.size(); }

  std::vector<Link> all;           ///< per body
  std::vector<std::uint32_t> own;  ///< particles, body after body
  std::uint32_t directions = 0, rates = 0;
};

}  // namespace polyform::particles
