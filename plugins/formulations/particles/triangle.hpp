// The primary particles 1, 2 and 4 of a body, whose motion is that of the body, and what follows from them for any
// other of its points. There is no angle and no rotation matrix, only differences of positions and their cross product.
#pragma once

#include "polyform/contract/spatial.hpp"

namespace polyform::particles {

/// Signed invariants of a point k of the body, Eq 2.10: r_k = r_1 + λ r̃21 r41 + μ r41 + τ r21.
struct Invariants {
  double lambda = 0, mu = 0, tau = 0;
};

/// Positions of 2 and 4 from 1 with their normal, and what follows from them.
struct Triangle {
  Vec3 r21, r41, normal;    ///< normal = r̃21 r41
  Vec3 in_plane;            ///< ñ r21, across r21
  double per_normal = 0;    ///< 1 / |normal|²
  double per_in_plane = 0;  ///< 1 / |in_plane|²

  Triangle() = default;
  Triangle(const Vec3& r1, const Vec3& r2, const Vec3& r4) : r21(r2 - r1), r41(r4 - r1) {
    normal = cross(r21, r41);
    in_plane = cross(normal, r21);
    per_normal = 1 / dot(normal, normal);
    per_in_plane = 1 / dot(in_plane, in_plane);
  }

  /// The 3 × 3 system of Eq 2.10 for a point at r_k1 from particle 1, signs included (Eqs 2.7 lose that of λ).
  Invariants invariants(const Vec3& r_k1) const {
    return {per_normal * dot(r_k1, normal), per_normal * dot(cross(r21, r_k1), normal),
            per_normal * dot(cross(r_k1, r41), normal)};
  }
  /// Eq 2.10 without r_1.
  Vec3 point(const Invariants& k) const { return k.lambda * normal + k.mu * r41 + k.tau * r21; }

  /// The vector ω with ω × r21 = u21 and ω × r41 = u41, from three of the six components: the motions of the direction
  /// of r21 and of the plane of the triangle. A rigid triangle has no others.
  Vec3 rotation(const Vec3& u21, const Vec3& u41) const {
    return per_normal * (dot(u41, normal) * r21 - dot(u21, normal) * r41) + per_in_plane * dot(u21, in_plane) * normal;
  }
  /// The transpose: forces on particles 1, 2 and 4 that are equivalent to a wrench about particle 1.
  void distribute(const Spatial& wrench, Vec3& f1, Vec3& f2, Vec3& f4) const {
    f4 = per_normal * dot(r21, wrench.angular) * normal;
    f2 = per_in_plane * dot(normal, wrench.angular) * in_plane - per_normal * dot(r41, wrench.angular) * normal;
    f1 = wrench.linear - f2 - f4;
  }
  /// Orthonormal axes along r21, across it in the plane, and along the normal, as columns. They serve observations, and
  /// forces and joints that are given in body axes.
  Mat3 axes() const {
    const Vec3 a = (1 / norm(r21)) * r21, c = std::sqrt(per_normal) * normal, b = cross(c, a);
    return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  }
};

/// The coefficients of r̈_1, r̈_2 and r̈_4 in the acceleration of a point, Eq 2.14:
/// 1 − μ − τ + λ r̃42, τ − λ r̃41, μ + λ r̃21. Each is s 1 + ũ.
struct PointRows {
  double s[3];
  Vec3 u[3];

  PointRows(const Triangle& t, const Invariants& k)
      : s{1 - k.mu - k.tau, k.tau, k.mu}, u{k.lambda * (t.r41 - t.r21), -k.lambda * t.r41, k.lambda * t.r21} {}
  Mat3 matrix(std::size_t i) const { return s[i] * Mat3::identity() + skew(u[i]); }
  /// Eq 2.14 without its velocity term.
  Vec3 operator()(const Vec3& a1, const Vec3& a2, const Vec3& a4) const {
    return s[0] * a1 + s[1] * a2 + s[2] * a4 + cross(u[0], a1) + cross(u[1], a2) + cross(u[2], a4);
  }
};

/// ω × (ω × r).
inline Vec3 centripetal(const Vec3& omega, const Vec3& r) { return cross(omega, cross(omega, r)); }

/// The term that Eq 2.14 drops and Eqs 2.13, 2.15 and 2.16 have: 2 λ ṙ̃21 ṙ41.
inline Vec3 velocity_term(const Invariants& k, const Vec3& v21, const Vec3& v41) {
  return 2 * k.lambda * cross(v21, v41);
}

}  // namespace polyform::particles
