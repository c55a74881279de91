// What a small displacement of the bodies of a tree changes, as the blocks that Newton's sweep reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/newton/six.hpp"

namespace polyform {

/// The motion to linearize about: of the tree joints, with their rates.
struct TreeMoment {
  double time = 0;
  std::span<const double> q, v, x;   ///< of all joints (v, q: canonical order; those of tree joints count), and states
  std::span<const double> vdot;      ///< of the tree joints
  std::span<const Spatial> cut;      ///< what each cut joint puts on its moving body at the origin of M, ground axes
};

/// Blocks per body. Wrenches and displacements are taken about P, the body's hinge point, in ground axes.
struct TreeBlocks {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// A body and the joint that carries it.
  struct Body {
    std::int32_t parent = -1;
    std::uint32_t v = 0, count = 0;     ///< the joint's velocity coordinates
    std::uint32_t square = 0;           ///< first of count² numbers
    std::uint32_t coupling = none;      ///< to the parent, by what acts between the two
    bool reversed = false;              ///< the directions turn with this body, not with the parent
    Vec3 r;                             ///< of P from the parent's P (a body on ground: zero)
    Vec3 force;                         ///< that the joint transmits to the body
  };
  /// What a displacement of the parent does to the body (inner), and the other way round (outer).
  struct Coupling {
    Six<double> inner_K, inner_G, outer_K, outer_G;
  };
  /// A displacement of the system as a number, and the load that does its work: wrenches about P of up to two bodies,
  /// or an effort on a velocity coordinate of the tree.
  struct Pattern {
    std::uint32_t body[2] = {none, none};
    Spatial wrench[2];
    std::uint32_t v = none;
  };

  explicit TreeBlocks(const SystemView&);
  /// A row t of a cut joint (F axes at the origin of M) by displacements of its two bodies. Needs to_P.
  Pattern cut_pattern(const JointData& cut, std::span<const BodyMotion> frames, const Spatial& t) const noexcept;

  std::vector<Body> bodies;
  std::vector<Six<double>> M, G, K;     ///< of a body, with all forces on it by its own displacement
  std::vector<Coupling> couplings;
  std::vector<double> stiffness, damping, turn_rate;  ///< of joints: see LinearizedTree
  std::vector<Vec3> to_P;               ///< of bodies, from their frame origins, ground axes
  std::vector<Spatial> wrenches;        ///< that the joint of a body transmits: its inertia less what acts on it
};

}  // namespace polyform
