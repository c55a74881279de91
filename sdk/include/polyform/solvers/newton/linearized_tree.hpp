// A system in joint coordinates, linearized about a motion: what a small displacement of its bodies, and the rate of it,
// changes in the wrenches that accelerate them.
//
// A body's displacement is ξ = [φ; u]: its rotation and that of its hinge point P, ground axes. About a motion with
// angular velocity ω and acceleration α, static moment c, inertia J about P and acceleration a of P less gravity, the
// wrench about P that accelerates a rigid body changes by M ξ̈ + G ξ̇ + K ξ with
//
//   moment   J φ̈ + c×ü  +  J(φ̇×ω) + φ̇×Jω + ω×Jφ̇  +  φ×(Jα + ω×Jω) + (φ×c)×a
//   force    m ü + φ̈×c  +  2 φ̇×(ω×c)               +  φ×(α×c + ω×(ω×c))
//
// for ω and α change by φ̇ + φ×ω and φ̈ + φ̇×ω + φ×α, and the rest turns with the body.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/force_derivatives.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/newton/six.hpp"

namespace polyform {

/// The motion to linearize about: of the tree joints, with their rates.
struct TreeMoment {
  double time = 0;
  std::span<const double> q, v, x;   ///< of all joints (v, q: canonical order; those of tree joints count), and states
  std::span<const double> vdot;      ///< of the tree joints
  std::span<const Spatial> cut;      ///< what each cut joint puts on its moving body at the origin of M, ground axes
};

/// Trees of rigid bodies, with closed loops. Nothing allocates after construction.
class LinearizedTree {
 public:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// A body and the joint that carries it; wrenches and displacements about P, ground axes.
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

  /// A displacement of the system as a number, and the load that does its work: wrenches about P of up to two bodies, or
  /// an effort on a velocity coordinate of the tree.
  struct Pattern {
    std::uint32_t body[2] = {none, none};
    Spatial wrench[2];
    std::uint32_t v = none;
  };
  /// What acts between bodies that are no neighbours, or between joints: loads = (K + G d/dt) · displacements of its
  /// patterns. first: of the patterns; matrix: of count², rows first.
  struct Far {
    std::size_t first = 0, count = 0, matrix = 0;
  };

  /// The view outlives the object.
  LinearizedTree(const SystemView&, const Vec3& origin);

  bool good() const { return derivatives_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept { derivatives_.follow(discrete); }
  void evaluate(const TreeMoment&) noexcept;

  std::span<const Body> bodies() const { return bodies_; }
  /// Of a body, with all forces on it by its own displacement.
  const Six<double>& M(std::size_t body) const { return body_M_[body]; }
  const Six<double>& G(std::size_t body) const { return body_G_[body]; }
  const Six<double>& K(std::size_t body) const { return body_K_[body]; }
  const Coupling& coupling(const Body& b) const { return couplings_[b.coupling]; }
  /// Directions of the joint at P: outboard body over inboard one, in the order of the velocity coordinates.
  const Spatial* H(const Body& b) const { return H_.data() + b.v; }
  /// H × (wrench in the joint): what turning the directions adds to their efforts, per rotation.
  const Vec3* turning(const Body& b) const { return turning_.data() + b.v; }
  /// count², rows first: derivatives of the joint's efforts by its coordinates (in steps of the velocity coordinates) and
  /// velocities; and B of δ̇ = δv + B δ for steps δ in the coordinates (a ball's angular velocity).
  const double* stiffness(const Body& b) const { return stiffness_.data() + b.square; }
  const double* damping(const Body& b) const { return damping_.data() + b.square; }
  const double* turn_rate(const Body& b) const { return turn_rate_.data() + b.square; }
  const ForceDerivatives& derivatives() const { return derivatives_; }
  std::span<const Far> far() const { return far_; }
  const Pattern& pattern(std::size_t i) const { return patterns_[i]; }
  const double* far_K(const Far& f) const { return far_K_.data() + f.matrix; }
  const double* far_G(const Far& f) const { return far_G_.data() + f.matrix; }
  /// Rows of the cut joints: displacements that stay zero.
  std::span<const Pattern> rows() const { return rows_; }

  /// Steps in the velocity coordinates of a joint, from steps in its coordinates; and what of these is no such step.
  /// q: the joint's coordinates.
  static void to_velocity_steps(const JointData&, const double* q, const double* step, double* out) noexcept;

 private:
  void place(const TreeMoment&) noexcept;
  void add_inertia(std::size_t body, const BodyMotion&, const Spatial& acceleration) noexcept;
  /// Whose displacements an instance depends on: six numbers for each body, then the joints' coordinates.
  struct Plan {
    std::vector<std::uint32_t> bodies, joints;
    std::size_t count = 0, far = none;
  };
  void plan_forces();
  void add_forces() noexcept;
  void add_loads(const ForceDerivatives::Instance&) noexcept;
  void find_matrices(const ForceDerivatives::Instance&, const Plan&) noexcept;
  void add_local(const Plan&) noexcept;
  void keep_far(const Plan&) noexcept;
  void find_rows(const TreeMoment&) noexcept;
  Pattern tie(const JointData& cut, const Spatial& t) const noexcept;
  void find_joint_wrenches() noexcept;

  const SystemView& view_;
  TreeKinematics kinematics_;
  ForceDerivatives derivatives_;
  std::vector<Body> bodies_;
  std::vector<Six<double>> body_M_, body_G_, body_K_;
  std::vector<Coupling> couplings_;
  std::vector<Spatial> H_;
  std::vector<Vec3> turning_;
  std::vector<double> stiffness_, damping_, turn_rate_;
  std::vector<Vec3> to_P_;            ///< of bodies, from their frame origins, ground axes
  std::vector<Spatial> accelerations_, wrenches_;
  std::vector<Plan> plans_;           ///< of the instances
  std::vector<double> K_, G_;         ///< of one instance
  std::vector<Far> far_;
  std::vector<Pattern> patterns_, rows_;
  std::vector<double> far_K_, far_G_;
  std::vector<JointConstraint> cuts_;
  std::vector<double> cut_q_, cut_v_;
};

}  // namespace polyform
