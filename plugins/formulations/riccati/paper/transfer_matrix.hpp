// Transfer matrices of the paper's elements: rigid bodies with one input (Eqs 3–5) and with several (Eqs 6–9), the ball
// hinge (Eq 10) and, beyond the paper, a hinge with any motion subspace.
#pragma once

#include <span>

#include "state_vector.hpp"

namespace polyform::riccati::paper {

using Matrix13 = Eigen::Matrix<double, 13, 13>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
/// 6 × nv and nv × anything, without allocation.
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using Rows13 = Eigen::Matrix<double, Eigen::Dynamic, 13, 0, 6, 13>;
using Effort = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Rows6 = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6>;

/// A rigid body at an instant, ground axes.
struct RigidBody {
  double mass = 0;  ///< kg
  Vec3 r_IC, r_IO;  ///< from the (first) input end to the mass centre and to the output end, m
  Mat3 J_I;         ///< A J' Aᵀ: inertia about the (first) input end, kg m²
  Vec3 Omega;       ///< rad/s
  Vec3 f_C, m_C;    ///< applied force and moment about the mass centre, gravity among them
};

/// Inertia about a point from which the mass centre lies at r, from that about the mass centre.
Mat3 inertia_about(double mass, const Vec3& r, const Sym3& J_C);

/// Eq 4, 13 × 13: z_O = U z_I.
Matrix13 transfer_matrix(const RigidBody&);
/// Eq 8, 13 × (13 + 6 (L − 1)): z_O = U z_{I1−IL}. others: from I1 to I2 … IL.
Matrix multi_input_transfer_matrix(const RigidBody&, std::span<const Vec3> others);

/// Eq 10: the transfer matrix of a ball hinge before a body with transfer matrix `outboard` (13 × 13, or 7 × 7), whose
/// other end carries no moment: that condition gives the body's angular acceleration.
Matrix ball_hinge(const Layout&, const Matrix& outboard);

/// A hinge at an instant: the motion of the element before it relative to the one that follows, as H v̇ + bias, ground
/// axes, at the point that both share; [linear; angular] as in the state vector.
struct HingeMotion {
  Columns H;
  Vector6 bias = Vector6::Zero();
  Effort effort;  ///< τ: along H, on the element before the hinge

  /// Cᵀ z_a = τ is the hinge's condition on z_a = [m q].
  Columns condition() const {
    Columns C(6, H.cols());
    C.topRows<3>() = H.bottomRows<3>();
    C.bottomRows<3>() = -H.topRows<3>();
    return C;
  }
};

/// Eq 10 for any joint: v̇ = rates z_I follows from the condition of the next hinge, at the other end of the body with
/// transfer matrix `outboard`; then z_O = U z_I. Both hinges must have equally many directions.
struct GeneralHinge {
  Matrix13 U = Matrix13::Identity();
  Rows13 rates;
  /// False if the next hinge cannot feel the motion of this one: then there is no transfer matrix.
  bool set(const HingeMotion& hinge, const Matrix13& outboard, const HingeMotion& next);
};

}  // namespace polyform::riccati::paper
