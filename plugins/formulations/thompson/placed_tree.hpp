// The tree at one state.
#pragma once

#include <span>
#include <vector>

#include "closing_constraints.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/joint_state.hpp"

namespace polyform::thompson {

/// Motions of the bodies, coordinates of all joints and residuals of the constraints that close the tree, all at one
/// state. Only MovingTree makes one, so that its users need not check whether it has been evaluated.
class PlacedTree {
 public:
  PlacedTree(const PlacedTree&) = delete;
  PlacedTree& operator=(const PlacedTree&) = delete;

  const TreeKinematics& kinematics() const { return tree_; }
  std::span<const BodyMotion> bodies() const { return tree_.bodies(); }
  std::span<const BodyMotion> frames() const { return tree_.frames(); }
  const ClosingConstraints& closing() const { return closing_; }
  /// Coordinates of all joints, cut ones too.
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  std::span<const double> eta() const { return eta_; }
  std::span<const double> etadot() const { return etadot_; }
  const JointMotion& motion_of_joint(std::size_t j) const noexcept { return closing_.motion_of_joint(j, tree_); }

 private:
  friend class MovingTree;
  PlacedTree(const SystemView& view, ClosingConstraints& closing)
      : tree_(view), closing_(closing), q_(view.nq), v_(view.nv), eta_(view.modes), etadot_(view.modes) {}

  TreeKinematics tree_;
  ClosingConstraints& closing_;
  std::vector<double> q_, v_, eta_, etadot_;
};

/// The joints of a state vector, and the tree that is placed by them.
class MovingTree {
 public:
  /// The arguments outlive the object.
  MovingTree(const SystemView& view, const JointState& layout, ClosingConstraints& closing)
      : view_(view), layout_(layout), joints_(layout.size()), placed_(view, closing) {}

  /// The joints as in JointState. After a change of them the tree has to be placed anew.
  std::span<double> joints() { return joints_; }
  std::span<const double> joints() const { return joints_; }
  JointState::Parts parts() const { return layout_.split(joints_); }
  /// Moves positions, or changes velocities, by a step along q̇2 of relative coordinates: those of joints, modes and
  /// modules (for positions the integrals of their variables, for velocities the variables).
  void move(std::span<const double> by) noexcept;
  void accelerate(std::span<const double> by) noexcept;
  /// Places the tree at joints() and time t, s.
  const PlacedTree& place(double t) noexcept;
  /// The tree as last placed.
  const PlacedTree& placed() const { return placed_; }
  /// Finds ẏ of all positions, in the order of JointState, at the state last placed.
  void find_position_rates(std::span<double> rates) const noexcept;

 private:
  const SystemView& view_;
  const JointState& layout_;
  std::vector<double> joints_;
  PlacedTree placed_;
};

}  // namespace polyform::thompson
