// The changes by a small displacement of the bodies of a tree, as the blocks that Newton's sweep reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/closing_constraints.hpp"
#include "polyform/solvers/newton/six.hpp"

namespace polyform {

/// The motion to linearize about: of the tree joints, with their rates.
struct TreeMoment {
  double time = 0;
  std::span<const double> q, v, x;  ///< of all joints (v, q: canonical order; those of tree joints count), and states
  std::span<const double> vdot;     ///< of the tree joints
  std::span<const double> eta, etadot, etaddot;  ///< of all modes
  /// The constraints that close the tree at that motion, with the multipliers of their rows; none if nothing does.
  const ClosingConstraints* closing = nullptr;
  std::span<const double> multipliers;
  std::span<const Spatial> cut;  ///< wrench of each cut joint on its moving body at the origin of M, ground axes
};

/// Blocks per frame: bodies, then nodes of flexible bodies. Wrenches and displacements of a rigid body are taken about
/// P, its hinge point, those of a frame of a flexible body about its origin; all in ground axes.
struct TreeBlocks {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// A body and the joint that carries it.
  struct Body {
    std::int32_t parent = -1;        ///< the frame that the joint attaches to inboard; −1: ground
    std::uint32_t v = 0, count = 0;  ///< the joint's velocity coordinates
    std::uint32_t square = 0;        ///< first of count² numbers
    std::uint32_t coupling = none;   ///< to the parent, by loads between the two
    bool reversed = false;           ///< the directions turn with this body, not with the parent
    std::uint32_t element = none;    ///< of a flexible body: among those of LinearizedModes
    Vec3 r;                          ///< of P from the point of the parent's blocks (a body on ground: zero)
    Vec3 force;                      ///< that the joint transmits to the body
  };
  /// The loads on the body by a displacement of the parent (inner), and the reverse (outer).
  struct Coupling {
    Six<double> inner_K, inner_G, outer_K, outer_G;
  };
  /// A displacement of the system as a number, and the load that does its work: wrenches on up to two frames, or an
  /// effort on a velocity coordinate of the tree.
  struct Pattern {
    std::uint32_t frame[2] = {none, none};
    Spatial wrench[2];
    std::uint32_t v = none;
  };

  explicit TreeBlocks(const SystemView&);
  /// A row t of a cut joint (F axes at the origin of M) by displacements of its two frames. Needs to_P.
  Pattern cut_pattern(const JointData& cut, std::span<const BodyMotion> frames, const Spatial& t) const noexcept;

  std::vector<Body> bodies;
  std::vector<Six<double>> M;     ///< of a rigid body
  std::vector<Six<double>> G, K;  ///< of a frame, with all forces on it by its own displacement
  std::vector<Coupling> couplings;
  std::vector<double> stiffness, damping, turn_rate;  ///< of joints: see LinearizedTree
  std::vector<Vec3> to_P;                             ///< from the origins of the frames to the points of their blocks
  std::vector<Spatial> wrenches;  ///< of a frame: the inertia less the loads; of a body, the wrench of its joint
};

}  // namespace polyform
