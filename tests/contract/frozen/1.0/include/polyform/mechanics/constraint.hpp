// The constraint side of a joint, derived from its motion subspace alone: what lets a joint that was written once
// stand in the tree, as the cut joint of a loop, and in formulations without joint coordinates.
//
// With T (6 × rows) an orthonormal basis of the complement of H (Tᵀ H = 0), all in F axes at the origin of M:
//
//   position      Tᵀ e = 0,     e: rotation vector and translation from the joint's nearest pose to the actual one
//   velocity      Tᵀ (V_FM − s) = 0        s: the drift of a joint that depends on time, else zero
//   acceleration  Tᵀ (A_FM − bias) = 0     bias: Ḣ v, and what time adds to it
//
// T need not be differentiated: any basis of the complement gives the same constraint.
#pragma once

#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

struct JointConstraint {
  std::size_t rows = 0;     ///< 6 − nv
  Spatial T[6];             ///< complement of H, F axes at the origin of M
  double residual[6]{};     ///< position
  JointMotion motion;       ///< the joint at its nearest coordinates and velocities
  RelativeMotion relative;  ///< the actual motion; its twist is V_FM − s
  Spatial drift;            ///< s; not written where the joint is a sequence of primitives, and so zero
};

/// Coordinates q (a guess on entry), velocities v and the constraint of a joint between two bodies at any poses.
void joint_constraint(const JointData&, const BodyMotion& base, const BodyMotion& moving, double* q, double* v,
                      JointConstraint&) noexcept;

/// Orthonormal basis of the complement of the first nv columns of H. Returns its size.
std::size_t complement(const Spatial* H, std::size_t nv, Spatial* T) noexcept;
/// Least-squares solution v of H v = w.
void solve_least_squares(const Spatial* H, std::size_t nv, const Spatial& w, double* v) noexcept;

/// A row t (F axes at the origin of M) as rows of the twists of the frame origins of moving and base (ground axes):
/// t · V_FM = moving · V_moving + base · V_base. Read as wrenches, they are the constraint forces of a unit multiplier.
struct ConstraintRow {
  Spatial moving, base;
};
ConstraintRow constraint_row(const JointData&, const BodyMotion& base, const BodyMotion& moving,
                             const Spatial& t) noexcept;

/// A wrench on the moving body at the origin of M in F axes (a row times its multiplier), turned to ground axes.
Spatial reaction_in_ground(const BodyMotion& base, const Spatial& wrench_F) noexcept;

/// The wrench in F axes at M with Hᵀ w = effort in the span of H: how a generalized force acts on the moving body.
Spatial effort_wrench(const JointMotion&, std::size_t nv, const double* effort) noexcept;

}  // namespace polyform
