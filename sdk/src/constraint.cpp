#include "polyform/constraint.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {
namespace {

/// Orthonormal basis of the first nv columns of H by modified Gram–Schmidt, done twice for round-off.
std::size_t orthonormalize(const Spatial* H, std::size_t nv, Spatial* Q) noexcept {
  std::size_t rank = 0;
  for (std::size_t j = 0; j < nv; ++j) {
    Spatial h = H[j];
    const double length = std::sqrt(dot(h, h));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < rank; ++i) h -= dot(Q[i], h) * Q[i];
    const double left = std::sqrt(dot(h, h));
    if (left > 1e-12 * length) Q[rank++] = (1 / left) * h;
  }
  return rank;
}

}  // namespace

std::size_t complement(const Spatial* H, std::size_t nv, Spatial* T) noexcept {
  Spatial Q[12];
  std::size_t size = orthonormalize(H, nv, Q);
  const std::size_t first = size;
  // What is left of each unit vector, squared, when the basis so far is taken from it.
  double left[6];
  const auto take = [&left](const Spatial& b) {
    const double c[6] = {b.angular.x, b.angular.y, b.angular.z, b.linear.x, b.linear.y, b.linear.z};
    for (std::size_t k = 0; k < 6; ++k) left[k] -= c[k] * c[k];
  };
  std::fill(left, left + 6, 1.0);
  for (std::size_t i = 0; i < size; ++i) take(Q[i]);
  // Unit vectors in the order of what is left of them: always the best-conditioned next one.
  for (; size < 6; ++size) {
    std::size_t most = 0;
    for (std::size_t k = 1; k < 6; ++k)
      if (left[k] > left[most] + 1e-12) most = k;
    Spatial best;
    best[most] = 1;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < size; ++i) best -= dot(Q[i], best) * Q[i];
    Q[size] = (1 / std::sqrt(dot(best, best))) * best;
    take(Q[size]);
  }
  for (std::size_t i = first; i < 6; ++i) T[i - first] = Q[i];
  return 6 - first;
}

void solve_least_squares(const Spatial* H, std::size_t nv, const Spatial& w, double* v) noexcept {
  // Householder-free QR: H = Q R with R found on the way; columns of H are few and independent.
  Spatial Q[6];
  double R[6][6]{};
  double c[6]{};
  bool used[6]{};
  for (std::size_t j = 0; j < nv; ++j) {
    Spatial h = H[j];
    const double length = std::sqrt(dot(h, h));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        if (!used[i]) continue;
        const double r = dot(Q[i], h);
        R[i][j] += r;
        h -= r * Q[i];
      }
    const double left = std::sqrt(dot(h, h));
    used[j] = left > 1e-12 * length;
    if (!used[j]) continue;
    R[j][j] = left;
    Q[j] = (1 / left) * h;
    c[j] = dot(Q[j], w);
  }
  for (std::size_t j = nv; j-- > 0;) {
    v[j] = 0;
    if (!used[j]) continue;
    double s = c[j];
    for (std::size_t k = j + 1; k < nv; ++k) s -= R[j][k] * v[k];
    v[j] = s / R[j][j];
  }
}

void joint_constraint(const JointData& joint, const BodyMotion& base, const BodyMotion& moving, double* q, double* v,
                      JointConstraint& c) noexcept {
  c.relative = relative_motion(joint, base, moving);
  joint_coordinates(joint, c.relative.R_FM, c.relative.p_FM, q);
  // The motion subspace does not depend on v: once for H, then with the velocities that fit best.
  const double no_velocity[6]{};
  joint_motion(joint, q, no_velocity, c.motion);
  solve_least_squares(c.motion.H, joint.nv, c.relative.twist, v);
  joint_motion(joint, q, v, c.motion);
  c.rows = complement(c.motion.H, joint.nv, c.T);
  const Spatial error{rotation_vector(quaternion_of(times_transpose(c.relative.R_FM, c.motion.R_FM))),
                      c.relative.p_FM - c.motion.p_FM};
  for (std::size_t i = 0; i < c.rows; ++i) c.residual[i] = dot(c.T[i], error);
}

ConstraintRow constraint_row(const JointData& joint, const BodyMotion& base, const BodyMotion& moving, const Spatial& t) noexcept {
  const Vec3 to_M = moving.R * joint.p_moving;
  const Vec3 from_base = moving.p + to_M - base.p;
  const Vec3 couple = base.R * t.angular, force = base.R * t.linear;
  return {{couple + cross(to_M, force), force}, {-(couple + cross(from_base, force)), -force}};
}

Spatial velocity_terms(const JointData& joint, const BodyMotion& base, const BodyMotion& moving) noexcept {
  return relative_acceleration(joint, base, {}, moving, {});
}

Spatial reaction_in_ground(const BodyMotion& base, const Spatial& wrench_F) noexcept {
  return {base.R * wrench_F.angular, base.R * wrench_F.linear};
}

Spatial effort_wrench(const JointMotion& m, std::size_t nv, const double* effort) noexcept {
  // w = H (HᵀH)⁻¹ effort, through the orthonormal basis of H.
  Spatial Q[6];
  double R[6][6]{};
  for (std::size_t j = 0; j < nv; ++j) {
    Spatial h = m.H[j];
    for (std::size_t i = 0; i < j; ++i) {
      R[i][j] = dot(Q[i], h);
      h -= R[i][j] * Q[i];
    }
    R[j][j] = std::sqrt(dot(h, h));
    Q[j] = R[j][j] > 0 ? (1 / R[j][j]) * h : Spatial{};
  }
  Spatial w;
  double c[6]{};
  for (std::size_t j = 0; j < nv; ++j) {   // Rᵀ c = effort
    double s = effort[j];
    for (std::size_t i = 0; i < j; ++i) s -= R[i][j] * c[i];
    c[j] = R[j][j] > 0 ? s / R[j][j] : 0;
    w += c[j] * Q[j];
  }
  return w;
}

}  // namespace polyform
