// H2 of the tree: the velocity transformation q̇ = H2 q̇2 with Φ_q H2 = 0 (Sections III and IV of the paper).
//
// Per body q̇ = [v; ω]: velocity of the mass centre in ground axes, angular velocity in body axes, so that the
// generalized mass M = diag(m 1, J) is constant. A joint between body i and its inboard body k gives six rows, its
// velocity relationship at the origin of M,
//
//   X_i q̇_i − Y_i q̇_k = S_i v_i,     X_i = [1  −ã_i R_i]   Y_i = [1   −ã_k R_k ]     a: from the mass centre to M
//                                          [0      1   ]         [0   R_iᵀ R_k  ]
//
// (rows of H_a and H_b in Eq 16; S: motion subspace of the joint, B_i of the paper with the lever it acts at), and the
// rows of the Jacobian are Φ_i = [−C_iᵀ Y_i   C_iᵀ X_i] with C_iᵀ S_i = 0 (H_c of Section IV). Either way every body is
// left with
//
//   q̇_i = T_i q̇_k + N_i u_i,         [H1 H2] = (1 − T)⁻¹ diag([P_i N_i])
//
// where 1 − T has one block per body and a unit diagonal: H2 itself, one block per body and joint inboard of it, need
// not be formed.
//
//   velocity:     T_i = X_i⁻¹ Y_i,             N_i = X_i⁻¹ S_i,  P_i = X_i⁻¹ C_i       H2 = H_a⁻¹ H_b (Eq 17), u = v
//   null space:   T_i = P_i C_iᵀ Y_i,   [P_i N_i] = [C_iᵀ X_i; N_iᵀ]⁻¹                 Φ_q [H1 H2] = [1 0] (Eq 9)
//
// The second knows nothing of S: N_i is an orthonormal basis of the null space of C_iᵀ X_i.
//
// Ḣ2 q̇2 = (1 − T)⁻¹ γ follows from Eq 18 times q̇2, X_i γ_i = (Ḣ_b q̇2 − Ḣ_a q̇)_i, or in the second construction from
// Φ_q (Ḣ2 q̇2) = −Φ̇_q q̇ alone, as H1 (−Φ̇_q q̇): this fixes it up to H2 times anything, that is up to what q̈2 means.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::thompson {

enum class Construction { null_space, velocity };

using Vector6 = Eigen::Matrix<double, 6, 1>;  ///< linear part (ground axes), angular part (body axes)
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using BodyVectors = std::vector<Vector6>;  ///< one per body: velocities, accelerations, generalized forces
/// Generalized forces: on the bodies, and along the further coordinates of q̇2 (nothing stands at those of the joints).
struct Forces {
  BodyVectors bodies;
  std::vector<double> further;  ///< as many as q̇2
};

inline Vec3 linear(const Vector6& x) { return {x[0], x[1], x[2]}; }
inline Vec3 angular(const Vector6& x) { return {x[3], x[4], x[5]}; }
inline Vector6 stacked(const Vec3& linear, const Vec3& angular) {
  return Vector6(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
}

/// H2 at the motions last evaluated. Its functions are many because most read one number of that evaluation.
class H2 {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A body and the joint that carries it: q̇_i = T q̇_k + basis [u; e].
  struct Body {
    Matrix6 T = Matrix6::Identity();                      ///< no meaning where the inboard body is ground
    Matrix6 basis;                                        ///< N_i (freedoms columns), then P_i
    Vector6 gamma;                                        ///< share of Ḣ2 q̇2 at q̈_k = 0
    std::size_t inboard = none, first = 0, freedoms = 0;  ///< first: of its coordinates in q̇2
  };

  /// The modes of a flexible body among the coordinates of q̇2.
  struct Modes {
    std::size_t first = 0, count = 0;
    std::size_t own = none, inboard = none;  ///< first of the columns of the body and of the inboard body's modes
  };

  H2(const SystemView&, Construction);

  /// At these motions of all frames; with_H1: for the constraint vector. False if the axes of a joint have become
  /// dependent, so that its rows have no inverse: failed_joint() tells.
  bool evaluate(const TreeKinematics&, bool with_H1) noexcept;
  std::size_t failed_joint() const { return failed_; }

  /// P: of q̇2. Coordinates of the joints, then rates of the modes, then variables of the modules.
  std::size_t size() const { return size_; }
  std::size_t joint_coordinates() const { return view_.nv_tree; }
  std::size_t first_variable() const { return view_.nv_tree + view_.modes; }
  bool has_modes() const { return !modes_.empty(); }
  /// The modes of a body; none for a rigid one. Call it only if has_modes().
  const Modes& modes(std::size_t body) const { return modes_[body]; }
  /// The effect on q̇ of a body that is carried at a node by its own modes, and by those of its inboard body: q̇_i = T
  /// q̇_k + basis [u; e] + Σ own η̇_i + Σ inboard η̇_k. Empty if there is none.
  std::span<const Vector6> own_columns(std::size_t body) const {
    const Modes& m = modes_[body];
    return m.own == none ? std::span<const Vector6>() : std::span(columns_).subspan(m.own, m.count);
  }
  std::span<const Vector6> inboard_columns(std::size_t body) const {
    const Modes& m = modes_[body];
    return m.inboard == none ? std::span<const Vector6>()
                             : std::span(columns_).subspan(m.inboard, modes_[bodies_[body].inboard].count);
  }
  /// Whether a coordinate of q̇2 carries all bodies outboard of it along as one, as T = X⁻¹ Y does.
  bool is_relative() const { return construction_ == Construction::velocity; }
  std::span<const Body> bodies() const { return bodies_; }
  /// The centre of a body from its frame origin, ground axes: the mass centre; for a flexible body the frame origin
  /// itself, whose velocity is part of q̇.
  const Vec3& center(std::size_t body) const { return centers_[body]; }
  /// The same of any frame.
  Vec3 center_of(FrameIndex f) const { return is_ground(f) || at(f) >= centers_.size() ? Vec3{} : centers_[at(f)]; }
  /// Acceleration of a frame's origin, and its angular acceleration, when q̈ and η̈ are zero.
  Spatial velocity_terms(FrameIndex, const TreeKinematics&) const noexcept;

  /// q̇ = H2 u, or q̈ = H2 u̇ + Ḣ2 q̇2.
  void to_bodies(const double* u, bool with_gamma, BodyVectors& out) const noexcept;
  /// y = H2ᵀ f, added to the forces that stand in y along modes (and modules, to which bodies do nothing). f is left as
  /// (1 − T)⁻ᵀ f: what each joint carries.
  void to_joints(BodyVectors& f, double* y) const noexcept;
  /// Coordinates of the joints' own velocities from velocities of the bodies and u (with_gamma: accelerations).
  void joint_rates(const BodyVectors& rates, const double* u, bool with_gamma, const TreeKinematics&,
                   double* v) const noexcept;
  /// Constraint force −C λ of a tree joint, λ = H1ᵀ f (Eq 19), as a wrench on its moving body at the origin of M, F
  /// axes. carried: of the body, as to_joints left it.
  Spatial constraint_wrench(std::size_t body, const Vector6& carried) const noexcept;

 private:
  /// The velocity relationship of one joint, at one instant.
  struct Relation {
    const JointData& joint;
    const JointMotion& motion;
    const BodyMotion &body, &inboard;  ///< of the frames that the joint sits on
    Vec3 body_arm, inboard_arm;  ///< from the mass centres (or nodes) to M, ground axes; of ground from its origin

    const BodyMotion& base() const { return joint.reversed ? body : inboard; }
    Vector6 row(const Spatial& in_F) const noexcept;
    Vector6 times_X(const Vector6& c) const noexcept;
    Vector6 times_Y(const Vector6& c) const noexcept;
    Vector6 solve_X(const Vector6& s) const noexcept;
    void set_transfer(Matrix6& T) const noexcept;
  };
  /// q̇ of a node, stacked as of a body, from that of its body: B q̇ + E η̇, and its rate at q̈ = 0, η̈ = 0.
  struct NodeVelocity {
    Matrix6 B, inverse;
    Vector6 bias;
  };
  Relation relation(std::size_t i, const TreeKinematics&) const noexcept;
  void construct_by_velocities(std::size_t i, const Relation&, const TreeKinematics&, bool with_H1) noexcept;
  bool construct_by_null_space(std::size_t i, const Relation&, const TreeKinematics&) noexcept;
  Vector6 bias(const Relation&, const TreeKinematics&) const noexcept;
  // Flexible bodies (h2_flexible.cpp).
  void find_modes();
  NodeVelocity node_velocity(FrameIndex node, const TreeKinematics&) const noexcept;
  Vector6 node_column(FrameIndex node, std::size_t mode, const TreeKinematics&) const noexcept;
  void pass_nodes(std::size_t i, const TreeKinematics&) noexcept;
  void add_modes(std::size_t i, const double* u, Vector6& x) const noexcept;
  void add_modal_forces(std::size_t i, const Vector6& f, double* y) const noexcept;
  Vector6 rates_of(FrameIndex, const BodyVectors& rates, const double* u, bool with_bias,
                   const TreeKinematics&) const noexcept;

  const SystemView& view_;
  Construction construction_;
  std::size_t size_ = 0, failed_ = 0;
  std::vector<Body> bodies_;
  std::vector<Modes> modes_;      ///< per body; empty if all are rigid
  std::vector<Vector6> columns_;  ///< of the modes, see own_columns()
  std::vector<Vec3> centers_;
  std::vector<Spatial> complements_;  ///< C: six per joint, F axes at the origin of M
};

}  // namespace polyform::thompson
