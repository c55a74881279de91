#include "h2.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "polyform/mechanics/constraint.hpp"

namespace polyform::thompson {

H2::H2(const SystemView& view, Construction construction)
    : view_(view),
      construction_(construction),
      size_(view.nv_tree + view.modes),
      bodies_(view.bodies.size()),
      centers_(view.bodies.size()),
      complements_(6 * view.bodies.size()) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const JointData& joint = view.joints[i];
    bodies_[i].inboard = is_ground(joint.inboard()) ? none : at(joint.inboard());
    bodies_[i].first = joint.v_offset;
    bodies_[i].freedoms = joint.nv;
  }
  for (const ModuleInstances& group : view.modules) size_ += group.type->variables().size() * group.instances.size();
  if (!view.flexible.empty()) find_modes();
}

/// Arms along the joint itself, not between places in ground: far from the origin these have lost digits.
H2::Relation H2::relation(std::size_t i, const TreeKinematics& tree) const noexcept {
  const JointData& joint = view_.joints[i];
  const JointMotion& motion = tree.joints()[i];
  const auto frames = tree.frames();
  const Vec3 from_base = motion_of(joint.base_frame, frames).R * (joint.p_base + motion.p_FM);
  const Vec3 from_moving = motion_of(joint.moving_frame, frames).R * joint.p_moving;
  return {joint,
          motion,
          motion_of(joint.outboard_frame(), frames),
          motion_of(joint.inboard_frame(), frames),
          (joint.reversed ? from_base : from_moving) - center_of(joint.outboard_frame()),
          (joint.reversed ? from_moving : from_base) - center_of(joint.inboard_frame())};
}

/// A relative twist or a wrench in F axes, of moving over base, as rows of outboard over inboard.
Vector6 H2::Relation::row(const Spatial& in_F) const noexcept {
  const Vec3 l = base().R * in_F.linear, a = transpose_times(body.R, base().R * in_F.angular);
  return joint.reversed ? stacked(-l, -a) : stacked(l, a);
}

/// X_iᵀ c
Vector6 H2::Relation::times_X(const Vector6& c) const noexcept {
  return stacked(linear(c), angular(c) + transpose_times(body.R, cross(body_arm, linear(c))));
}

/// Y_iᵀ c
Vector6 H2::Relation::times_Y(const Vector6& c) const noexcept {
  return stacked(linear(c), transpose_times(inboard.R, body.R * angular(c) + cross(inboard_arm, linear(c))));
}

/// X_i⁻¹ s
Vector6 H2::Relation::solve_X(const Vector6& s) const noexcept {
  return stacked(linear(s) + cross(body_arm, body.R * angular(s)), angular(s));
}

/// X_i⁻¹ Y_i, body i as if it were fixed in k, into a matrix whose first three columns are those of unity.
void H2::Relation::set_transfer(Matrix6& T) const noexcept {
  const Mat3 lever = skew(body_arm - inboard_arm) * inboard.R, turn = transpose_times(body.R, inboard.R);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      T(r, 3 + c) = lever.m[3 * r + c];
      T(3 + r, 3 + c) = turn.m[3 * r + c];
    }
}

bool H2::evaluate(const TreeKinematics& tree, bool with_H1) noexcept {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (view_.bodies[i].flexible == rigid) centers_[i] = tree.bodies()[i].R * view_.bodies[i].center_of_mass;
    const Relation r = relation(i, tree);
    if (construction_ == Construction::velocity) {
      construct_by_velocities(i, r, tree, with_H1);
    } else if (!construct_by_null_space(i, r, tree)) {
      failed_ = i;
      return false;
    }
    if (has_modes()) pass_nodes(i, tree);
  }
  return true;
}

/// Eqs 17, 18.
void H2::construct_by_velocities(std::size_t i, const Relation& r, const TreeKinematics& tree, bool with_H1) noexcept {
  Body& b = bodies_[i];
  if (b.inboard != none) r.set_transfer(b.T);
  for (std::size_t k = 0; k < b.freedoms; ++k) b.basis.col(static_cast<int>(k)) = r.solve_X(r.row(r.motion.H[k]));
  b.gamma = bias(r, tree);
  if (!with_H1) return;
  const std::size_t rows = complement(r.motion.H, b.freedoms, complements_.data() + 6 * i);
  for (std::size_t k = 0; k < std::min(rows, 6 - b.freedoms); ++k)
    b.basis.col(static_cast<int>(b.freedoms + k)) = r.solve_X(r.row(complements_[6 * i + k]));
}

/// Eq 9, joint by joint: [P N] = [C X; Nᵀ]⁻¹, N an orthonormal basis of the null space of C X.
bool H2::construct_by_null_space(std::size_t i, const Relation& r, const TreeKinematics& tree) noexcept {
  Body& b = bodies_[i];
  Spatial* C = complements_.data() + 6 * i;
  const std::size_t rows = 6 - b.freedoms;
  if (complement(r.motion.H, b.freedoms, C) != rows) return false;
  Matrix6 square;
  Spatial jacobian[6], null_space[6];
  for (std::size_t k = 0; k < rows; ++k) {
    const Vector6 row = r.times_X(r.row(C[k]));
    square.row(static_cast<int>(b.freedoms + k)) = row;
    jacobian[k] = {angular(row), linear(row)};
  }
  if (complement(jacobian, rows, null_space) != b.freedoms) return false;
  for (std::size_t k = 0; k < b.freedoms; ++k)
    square.row(static_cast<int>(k)) = stacked(null_space[k].linear, null_space[k].angular);
  b.basis = square.inverse();
  b.T.setZero();
  b.gamma.setZero();
  const Vector6 by_velocities = bias(r, tree);
  for (std::size_t k = 0; k < rows; ++k) {
    const Vector6 c = r.row(C[k]);
    const auto P = b.basis.col(static_cast<int>(b.freedoms + k));
    if (b.inboard != none) b.T.noalias() += P * r.times_Y(c).transpose();
    b.gamma += r.times_X(c).dot(by_velocities) * P;  // the row of −Φ̇_q q̇
  }
  return true;
}

/// X⁻¹ (Ḣ_b v − Ḣ_a q̇)_i: q̈ of the carried frame when q̈_k, η̈ and v̇ are zero.
Vector6 H2::bias(const Relation& r, const TreeKinematics& tree) const noexcept {
  static constexpr double at_rest[6]{};
  const Spatial A = outboard_acceleration(r.joint, r.motion, r.inboard, velocity_terms(r.joint.inboard_frame(), tree),
                                          r.body, at_rest);
  const Vec3 c = center_of(r.joint.outboard_frame());
  const Vec3& w = r.body.V.angular;
  return stacked(A.linear + cross(A.angular, c) + cross(w, cross(w, c)), transpose_times(r.body.R, A.angular));
}

Spatial H2::velocity_terms(FrameIndex f, const TreeKinematics& tree) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = bodies_.size();
  if (at(f) < n) {
    const Vec3& w = tree.bodies()[at(f)].V.angular;
    return {{}, -cross(w, cross(w, centers_[at(f)]))};
  }
  const std::size_t node = at(f) - n;
  return node_acceleration(tree.nodes()[node], tree.bodies()[at(view_.nodes[node].body)], {}, tree.nodes()[node].bias);
}

void H2::to_bodies(const double* u, bool with_gamma, BodyVectors& out) const noexcept {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    Vector6 x = with_gamma ? b.gamma : Vector6(Vector6::Zero());
    for (std::size_t k = 0; k < b.freedoms; ++k) x += u[b.first + k] * b.basis.col(static_cast<int>(k));
    if (b.inboard != none) x.noalias() += b.T * out[b.inboard];
    if (has_modes()) add_modes(i, u, x);
    out[i] = x;
  }
}

void H2::to_joints(BodyVectors& f, double* y) const noexcept {
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    const Body& b = bodies_[i];
    for (std::size_t k = 0; k < b.freedoms; ++k) y[b.first + k] = f[i].dot(b.basis.col(static_cast<int>(k)));
    if (b.inboard != none) f[b.inboard].noalias() += b.T.transpose() * f[i];
    if (has_modes()) add_modal_forces(i, f[i], y);
  }
}

void H2::joint_rates(const BodyVectors& rates, const double* u, bool with_gamma, const TreeKinematics& tree,
                     double* v) const noexcept {
  Matrix6 T = Matrix6::Identity();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Relation r = relation(i, tree);
    // S v, less X. The velocity terms of an inboard node stand in bias().
    Vector6 own = rates_of(r.joint.outboard_frame(), rates, u, with_gamma, tree);
    if (bodies_[i].inboard != none) {
      r.set_transfer(T);
      own.noalias() -= T * rates_of(r.joint.inboard_frame(), rates, u, false, tree);
    }
    if (with_gamma) own -= bias(r, tree);
    Vec3 l = linear(own) - cross(r.body_arm, r.body.R * angular(own)), a = r.body.R * angular(own);
    if (r.joint.reversed) {
      l = -l;
      a = -a;
    }
    solve_least_squares(r.motion.H, r.joint.nv, {transpose_times(r.base().R, a), transpose_times(r.base().R, l)},
                        v + r.joint.v_offset);
  }
}

Spatial H2::constraint_wrench(std::size_t body, const Vector6& carried) const noexcept {
  const Body& b = bodies_[body];
  Spatial wrench;
  for (std::size_t k = b.freedoms; k < 6; ++k)
    wrench -= carried.dot(b.basis.col(static_cast<int>(k))) * complements_[6 * body + k - b.freedoms];
  return wrench;
}

}  // namespace polyform::thompson
