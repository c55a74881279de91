#include "polyform/mechanics/constraint.hpp"

#include <cmath>

namespace polyform {
namespace {

/// A column of H keeps at most this part without those before it if it repeats their freedom (gimbal lock).
constexpr double dependent_column = 1e-12;

/// A reflection 1 − scale v vᵀ.
struct Reflection {
  double v[6];
  double scale;

  void apply(double* x) const {
    double s = 0;
    for (std::size_t i = 0; i < 6; ++i) s += v[i] * x[i];
    s *= scale;
    for (std::size_t i = 0; i < 6; ++i) x[i] -= s * v[i];
  }
};

}  // namespace

std::size_t complement(const Spatial* H, std::size_t nv, Spatial* T) noexcept {
  // Householder's QR with row pivoting: reflections turn the columns of H into unit vectors; they turn the other unit
  // vectors into the complement.
  Reflection reflections[6];
  bool taken[6]{};
  std::size_t rank = 0;
  for (std::size_t j = 0; j < nv && rank < 6; ++j) {
    double x[6] = {H[j].angular.x, H[j].angular.y, H[j].angular.z, H[j].linear.x, H[j].linear.y, H[j].linear.z};
    double length = 0, left = 0;
    for (const double e : x) length += e * e;
    for (std::size_t i = 0; i < rank; ++i) reflections[i].apply(x);
    std::size_t pivot = 6;
    for (std::size_t i = 0; i < 6; ++i) {
      if (taken[i]) x[i] = 0;
      left += x[i] * x[i];
      if (!taken[i] && (pivot == 6 || std::abs(x[i]) > std::abs(x[pivot]))) pivot = i;
    }
    if (!(left > dependent_column * dependent_column * length)) continue;  // depends on the columns before
    Reflection& r = reflections[rank++];
    for (std::size_t i = 0; i < 6; ++i) r.v[i] = x[i];
    r.v[pivot] += std::copysign(std::sqrt(left), x[pivot]);
    r.scale = 1 / (std::sqrt(left) * std::abs(r.v[pivot]));
    taken[pivot] = true;
  }
  std::size_t size = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    if (taken[k]) continue;
    double t[6]{};
    t[k] = 1;
    for (std::size_t i = rank; i-- > 0;) reflections[i].apply(t);
    T[size++] = {{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
  }
  return size;
}

void solve_least_squares(const Spatial* H, std::size_t nv, const Spatial& w, double* v) noexcept {
  // H = Q R by Gram and Schmidt, each column made orthogonal twice; columns that depend on earlier ones are left out.
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
    used[j] = left > dependent_column * length;
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
  // H does not depend on v: the first evaluation gives H, H gives v, the second evaluation has them both.
  const double no_velocity[6]{};
  joint_motion(joint, q, no_velocity, c.motion);
  if (joint.kernel != nullptr) {  // primitives do not depend on time
    c.drift = c.motion.twist;
    c.relative.twist -= c.drift;
  }
  solve_least_squares(c.motion.H, joint.nv, c.relative.twist, v);
  joint_motion(joint, q, v, c.motion);
  c.rows = complement(c.motion.H, joint.nv, c.T);
  const Spatial error{rotation_vector(quaternion_of(times_transpose(c.relative.R_FM, c.motion.R_FM))),
                      c.relative.p_FM - c.motion.p_FM};
  for (std::size_t i = 0; i < c.rows; ++i) c.residual[i] = dot(c.T[i], error);
}

ConstraintRow constraint_row(const JointData& joint, const BodyMotion& base, const BodyMotion& moving,
                             const Spatial& t) noexcept {
  const Vec3 to_M = moving.R * joint.p_moving;
  const Vec3 from_base = moving.p + to_M - base.p;
  const Vec3 couple = base.R * t.angular, force = base.R * t.linear;
  return {{couple + cross(to_M, force), force}, {-(couple + cross(from_base, force)), -force}};
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
  for (std::size_t j = 0; j < nv; ++j) {  // Rᵀ c = effort
    double s = effort[j];
    for (std::size_t i = 0; i < j; ++i) s -= R[i][j] * c[i];
    c[j] = R[j][j] > 0 ? s / R[j][j] : 0;
    w += c[j] * Q[j];
  }
  return w;
}

}  // namespace polyform
