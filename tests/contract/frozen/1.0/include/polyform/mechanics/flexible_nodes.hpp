// Kinematics of the nodes of flexible bodies: from modal coordinates to frames, from wrenches to modal forces.
//
// The node frame is at ρ = point + Φu η + ½ Γ[η, η] from the body frame origin, turned by R = exp(θ) with θ = Φθ η;
// body axes. With the left Jacobian of SO(3), J(θ) = 1 + a θ̃ + b θ̃θ̃, a = (1 − cos φ)/φ², b = (φ − sin φ)/φ³, φ = |θ|
// (Solà et al. 2018, Eq. 145), its twist relative to the body frame is
//
//   [ω; ρ̇] = H η̇,   H = [J Φθ; Φu + Γ·η],   and at η̈ = 0   ω̇ = ȧ θ×θ̇ + ḃ θ×(θ×θ̇) + b θ̇×(θ×θ̇),   ρ̈ = Γ[η̇, η̇]
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"

namespace polyform {

/// Motion of a node frame relative to its body frame, body axes.
struct NodeMotion {
  Mat3 R = Mat3::identity();
  Vec3 p;         ///< ρ, from the body frame origin
  Spatial twist;  ///< H η̇
  Spatial bias;   ///< derivative of the twist in the body frame at η̈ = 0
};

/// eta, etadot: m each. H: its m columns are written, body axes.
void node_motion(const FlexibleNode&, std::span<const double> eta, std::span<const double> etadot, NodeMotion&,
                 std::span<Spatial> H) noexcept;

/// The node frame from the body frame, and the body frame from that of a node.
void node_from_body(const NodeMotion&, const BodyMotion& body, BodyMotion& node) noexcept;
void body_from_node(const NodeMotion&, const BodyMotion& node, BodyMotion& body) noexcept;
/// Acceleration of the node frame's origin (ground axes) from that of the body frame. relative: Ḣη̇ + H η̈, where
/// NodeMotion::bias is the first term.
Spatial node_acceleration(const NodeMotion&, const BodyMotion& body, const Spatial& body_acceleration,
                          const Spatial& relative) noexcept;
/// The converse: acceleration of the body frame's origin from that of a node.
Spatial body_acceleration(const NodeMotion&, const BodyMotion& body, const Spatial& node_acceleration,
                          const Spatial& relative) noexcept;
/// A wrench on a node about the node's origin as one about the origin of the body frame; ground axes.
Spatial wrench_on_body(const NodeMotion&, const BodyMotion& body, const Spatial& wrench_on_node) noexcept;

/// All nodes of a system at one state. Nothing allocates after construction. Unless a function says otherwise, eta,
/// etadot and etaddot are those of all modes of the system, and frames are those of the bodies, then of the nodes.
class NodeMotions {
 public:
  explicit NodeMotions(const SystemView&);
  bool empty() const { return motions_.empty(); }
  void evaluate(const double* eta, const double* etadot) noexcept;

  const NodeMotion& operator[](std::size_t node) const { return motions_[node]; }
  /// The columns of a node, one per mode of its body.
  std::span<const Spatial> H(std::size_t node) const {
    return {columns_.data() + slices_[node].column, slices_[node].modes};
  }
  /// The first mode of a node's body among those of the system.
  std::size_t mode_offset(std::size_t node) const { return slices_[node].mode; }
  /// Nodes of a body: first and end.
  std::size_t first_of(BodyIndex b) const { return first_[at(b)]; }
  std::size_t end_of(BodyIndex b) const { return first_[at(b) + 1]; }

  /// Fills the node part of the frames from the body part.
  void place(std::span<BodyMotion> frames) const noexcept;
  /// Fills the body frame and the nodes of a body from the one of these frames that is placed.
  void place_body(BodyIndex, FrameIndex placed, std::span<BodyMotion> frames) const noexcept;
  /// exp(Φθ η) of a node as a quaternion, continuous in η; the state need not have been evaluated.
  Quat turn(std::size_t node, const double* eta) const noexcept;
  /// Fills the node part of the frames' orientations from the body part.
  void orient(const double* eta, std::span<Quat> frames) const noexcept;
  /// Ḣη̇ + H η̈ of a node. etaddot: of the modes of its body.
  Spatial relative_acceleration(std::size_t node, const double* etaddot) const noexcept;
  /// Fills the node part of accelerations of frame origins from the body part.
  void accelerate(std::span<const BodyMotion> frames, const double* etaddot, std::span<Spatial> out) const noexcept;
  /// Adds a wrench on a node (about its origin, ground axes) to that on its body (about the body frame's origin) and to
  /// the modal forces Hᵀ w (of the modes of that body).
  void add_wrench(std::size_t node, std::span<const BodyMotion> frames, const Spatial& wrench, Spatial& on_body,
                  double* forces) const noexcept;

 private:
  struct Slice {
    std::size_t body, column, modes, mode;
  };
  const SystemView& view_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> first_;  ///< per body its first node, and the end
  std::vector<NodeMotion> motions_;
  std::vector<Spatial> columns_;
};

}  // namespace polyform
