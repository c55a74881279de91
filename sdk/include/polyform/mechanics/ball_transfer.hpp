// What a ball hinge passes inwards: its three rotations are eliminated at once (Rui et al. 2020, Eq. 10), and the rest,
// which has a force block only, is shifted.
#pragma once

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/transfer.hpp"

namespace polyform {

/// A determinant and its minors serve if it is at least this part of the trace cubed: with a least moment of 1e-7 of
/// the others they leave an error of a hundredth, which refinement takes away.
inline constexpr double even_determinant = 1e-7;

/// A ball hinge whole (Eq. 10): Ω̇ of the outboard body follows from its moment row, Ω̇ = gain r̈ + free.
template <class T>
struct Ball {
  Matrix3<T> gain;
  Vector3<T> free;
};

/// Does the work of eliminate_ball() if the moments of inertia differ by many orders of magnitude: one direction after
/// the other, the largest pivot first, each orthogonal to those before in the metric of aa. Then a heavy body further
/// out adds to uu by squares of its own size, and leaves the light bodies the digits that the rounded sum still has.
template <class T>
bool eliminate_uneven_ball(Transfer<T>& s, Ball<T>& ball, const Vector3<T>& moment, const T& own) {
  const Symmetric3<T>& j = s.aa;
  const T trace = j.xx + j.yy + j.zz;
  Matrix3<T> left{{j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz}};
  Vector3<T> direction[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  bool taken[3] = {};
  const Vector3<T> torque = moment - s.e.angular;
  ball = {};
  for (int step = 0; step < 3; ++step) {
    std::size_t p = 3;
    for (std::size_t k = 0; k < 3; ++k)
      if (!taken[k] && (p == 3 || left(k, k) > left(p, p))) p = k;
    taken[p] = true;
    const T pivot = pivot_of(left(p, p), trace, own);
    if (!(pivot > T(0))) return false;
    const Vector3<T> x = direction[p], y = transpose_times(s.au, x);
    const T inverse = T(1) / pivot, rate = inverse * dot(x, torque);
    const Vector3<T> back = T(-inverse) * y;
    for (std::size_t k = 0; k < 3; ++k) {
      ball.gain(k, 0) += x[k] * back.x;
      ball.gain(k, 1) += x[k] * back.y;
      ball.gain(k, 2) += x[k] * back.z;
    }
    ball.free += rate * x;
    s.uu += Symmetric3<T>{y.x * back.x, y.y * back.y, y.z * back.z, y.x * back.y, y.x * back.z, y.y * back.z};
    s.e.linear += rate * y;
    for (std::size_t k = 0; k < 3; ++k) {
      if (taken[k]) continue;
      const T part = inverse * left(k, p);
      direction[k] -= part * x;
      for (std::size_t c = 0; c < 3; ++c)
        if (!taken[c]) left(k, c) -= part * left(p, c);
    }
  }
  s.e.angular = moment;
  s.aa = {};
  s.au = {};
  return true;
}

/// What a ball hinge passes: only a force per acceleration of its point, and the joint's own moment.
/// False when the moment row cannot be solved (no inertia about some axis). own: the least moment of inertia of the
/// outboard body itself.
template <class T>
bool eliminate_ball(Transfer<T>& s, Ball<T>& ball, const Vector3<T>& moment, const T& own) {
  // Inverse of aa by its adjugate, whose differences have the rounding of the trace cubed.
  const Symmetric3<T>& j = s.aa;
  const Symmetric3<T> adjugate{j.yy * j.zz - j.yz * j.yz, j.xx * j.zz - j.xz * j.xz, j.xx * j.yy - j.xy * j.xy,
                               j.xz * j.yz - j.xy * j.zz, j.xy * j.yz - j.xz * j.yy, j.xy * j.xz - j.yz * j.xx};
  const T determinant = j.xx * adjugate.xx + j.xy * adjugate.xy + j.xz * adjugate.xz;
  const T trace = j.xx + j.yy + j.zz;
  if (!(determinant > T(even_determinant) * trace * trace * trace)) return eliminate_uneven_ball(s, ball, moment, own);
  const T inverse = T(1) / determinant;
  const Vector3<T> torque = moment - s.e.angular;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3<T> column = T(-inverse) * (adjugate * s.au.column(k));
    ball.gain(0, k) = column.x;
    ball.gain(1, k) = column.y;
    ball.gain(2, k) = column.z;
  }
  ball.free = inverse * (adjugate * torque);
  // uu + auᵀ gain is symmetric: only its six elements are formed.
  const Vector3<T> c0 = s.au.column(0), c1 = s.au.column(1), c2 = s.au.column(2);
  const Vector3<T> g0 = ball.gain.column(0), g1 = ball.gain.column(1), g2 = ball.gain.column(2);
  s.uu += Symmetric3<T>{dot(c0, g0), dot(c1, g1), dot(c2, g2), dot(c0, g1), dot(c0, g2), dot(c1, g2)};
  s.e.linear += transpose_times(s.au, ball.free);
  s.e.angular = moment;
  s.aa = {};
  s.au = {};
  return true;
}

/// r̃ u.
template <class T>
Matrix3<T> cross_columns(const Vector3<T>& r, const Symmetric3<T>& u) {
  return {{r.y * u.xz - r.z * u.xy, r.y * u.yz - r.z * u.yy, r.y * u.zz - r.z * u.yz, r.z * u.xx - r.x * u.xz,
           r.z * u.xy - r.x * u.yz, r.z * u.xz - r.x * u.zz, r.x * u.xy - r.y * u.xx, r.x * u.yy - r.y * u.xy,
           r.x * u.yz - r.y * u.xz}};
}
/// r̃ mᵀ with m = r̃ u, which makes it symmetric.
template <class T>
Symmetric3<T> cross_rows(const Vector3<T>& r, const Matrix3<T>& m) {
  return {r.y * m(0, 2) - r.z * m(0, 1), r.z * m(1, 0) - r.x * m(1, 2), r.x * m(2, 1) - r.y * m(2, 0),
          r.z * m(0, 0) - r.x * m(0, 2), r.x * m(0, 1) - r.y * m(0, 0), r.x * m(1, 1) - r.y * m(1, 0)};
}

/// As shift() does, for what a ball hinge passes: S has its force block only.
template <class T>
Transfer<T> shift_force(const Transfer<T>& s, const Vector3<T>& r, const Vector3<T>& omega) {
  Transfer<T> t;
  t.uu = s.uu;
  t.au = cross_columns(r, s.uu);
  t.aa = cross_rows(r, t.au);
  t.e.linear = add_product(s.e.linear, s.uu, cross(omega, cross(omega, r)));
  t.e.angular = add_cross(s.e.angular, r, t.e.linear);
  return t;
}
/// The same if e already holds the term of Ω̃Ω̃ r, or if nothing moves.
template <class T>
Transfer<T> shift_force(const Transfer<T>& s, const Vector3<T>& r) {
  const Matrix3<T> au = cross_columns(r, s.uu);
  return {cross_rows(r, au), au, s.uu, {add_cross(s.e.angular, r, s.e.linear), s.e.linear}};
}

}  // namespace polyform
