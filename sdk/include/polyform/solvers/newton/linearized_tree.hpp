// A system in joint coordinates, linearized about a motion: how a small displacement of its bodies, and its rate,
// changes the wrenches that accelerate them. Flexible bodies: linearized_modes.hpp.
//
// A body's displacement is ξ = [φ; u]: its rotation and that of its hinge point P, ground axes. About a motion with
// angular velocity ω and acceleration α, static moment c, inertia J about P and acceleration a of P less gravity, the
// wrench about P that accelerates a rigid body changes by M ξ̈ + G ξ̇ + K ξ with
//
//   moment   J φ̈ + c×ü  +  J(φ̇×ω) + φ̇×Jω + ω×Jφ̇  +  φ×(Jα + ω×Jω) + (φ×c)×a
//   force    m ü + φ̈×c  +  2 φ̇×(ω×c)               +  φ×(α×c + ω×(ω×c))
//
// because ω and α change by φ̇ + φ×ω and φ̈ + φ̇×ω + φ×α, and the rest turns with the body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/newton/linearized_forces.hpp"
#include "polyform/solvers/newton/linearized_modes.hpp"
#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

/// Trees of rigid and flexible bodies, with closed loops and constraint elements. Nothing allocates after construction.
/// Its functions are many because the sweep of Newton's matrix reads it body by body, one block at a time.
class LinearizedTree {
 public:
  static constexpr std::uint32_t none = TreeBlocks::none;
  using Body = TreeBlocks::Body;
  using Coupling = TreeBlocks::Coupling;
  using Pattern = TreeBlocks::Pattern;
  using Far = LinearizedForces::Far;
  /// A displacement that stays zero, as a sum of patterns: a row of a cut joint or of a constraint element.
  struct Row {
    std::size_t first = 0, end = 0;  ///< of its patterns
    std::size_t group = 0;           ///< in ClosingConstraints
  };

  /// closing: what closes the tree, or none. The arguments outlive the object.
  LinearizedTree(const SystemView&, const Vec3& origin, const ClosingConstraints* closing);

  bool good() const { return forces_.good() && modes_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }
  void evaluate(const TreeMoment&) noexcept;

  std::span<const Body> bodies() const { return blocks_.bodies; }
  /// Velocity coordinates of the tree joints, then modes.
  std::size_t directions() const { return view_.nv_tree + view_.modes; }
  std::size_t modes() const { return view_.nv_tree; }  ///< number of the first mode among them
  const LinearizedModes& flexible() const { return modes_; }
  /// M: of a rigid body. G, K: of a frame, with all forces on it that its own displacement changes.
  const Six<double>& M(std::size_t body) const { return blocks_.M[body]; }
  const Six<double>& G(std::size_t frame) const { return blocks_.G[frame]; }
  const Six<double>& K(std::size_t frame) const { return blocks_.K[frame]; }
  std::size_t frames() const { return blocks_.K.size(); }
  const Coupling& coupling(const Body& b) const { return blocks_.couplings[b.coupling]; }
  /// Directions of the joint at P: outboard body over inboard one, in the order of the velocity coordinates.
  const Spatial* H(const Body& b) const { return H_.data() + b.v; }
  /// H × (wrench in the joint): the change of their efforts per rotation that turns the directions.
  const Vec3* turning(const Body& b) const { return turning_.data() + b.v; }
  /// count², rows first: derivatives of the joint's efforts by its coordinates (in steps of the velocity coordinates)
  /// and velocities; and B of δ̇ = δv + B δ for steps δ in the coordinates (a ball's angular velocity).
  const double* stiffness(const Body& b) const { return blocks_.stiffness.data() + b.square; }
  const double* damping(const Body& b) const { return blocks_.damping.data() + b.square; }
  const double* turn_rate(const Body& b) const { return blocks_.turn_rate.data() + b.square; }
  const ForceDerivatives& derivatives() const { return forces_.derivatives(); }
  const LinearizedStates& states() const { return forces_.states(); }
  std::span<const Far> far() const { return forces_.far(); }
  const Pattern& pattern(std::size_t i) const { return forces_.pattern(i); }
  const double* far_K(const Far& f) const { return forces_.far_K(f); }
  const double* far_G(const Far& f) const { return forces_.far_G(f); }
  std::span<const Row> rows() const { return rows_; }
  std::span<const Pattern> patterns(const Row& r) const {
    return std::span(row_patterns_).subspan(r.first, r.end - r.first);
  }
  /// For the cut joints: the part of a relative displacement that belongs to the velocity coordinates.
  std::span<const Pattern> cut_directions() const { return cut_directions_; }

  /// Turns steps in the coordinates of a joint into steps in its velocity coordinates; a part that does not belong to
  /// such a step is lost. q: the joint's coordinates.
  static void to_velocity_steps(const JointData&, const double* q, const double* step, double* out) noexcept;

 private:
  void place(const TreeMoment&) noexcept;
  void add_inertia(std::size_t body, const BodyMotion&, const Spatial& acceleration) noexcept;
  void find_rows(const TreeMoment&) noexcept;
  void find_cut_directions(const ClosingConstraints&) noexcept;
  void load(FrameIndex, const Spatial& wrench, const Vec3& lever) noexcept;
  void find_joint_wrenches() noexcept;

  const SystemView& view_;
  TreeKinematics kinematics_;
  TreeBlocks blocks_;
  LinearizedForces forces_;
  LinearizedModes modes_;
  std::vector<Spatial> H_;
  std::vector<Vec3> turning_;
  std::vector<Spatial> accelerations_;
  std::vector<Row> rows_;
  std::vector<Pattern> row_patterns_, cut_directions_;
};

}  // namespace polyform
