// The Riccati transfer step: the algebra of one body and one hinge (Rui et al. 2020, Sects. 2 and 3).
//
// The paper's state vector at a connection point is z = [r̈ Ω̇ m q 1]. From a free tip on, the forces z_a = (m, q) are
// a linear function of the accelerations z_b = (Ω̇, r̈), and that function is what travels from tip to root:
//
//     z_a = S z_b + e                                                                   (Eq. 21)
//
// Here z_a is the wrench that the hinge puts on its outboard body, at the hinge point P, all in ground axes; S is
// symmetric and kept so by construction (six values per symmetric block). S is the articulated inertia of what hangs on
// P, and the columns H of a hinge span its motion subspace.
#pragma once

#include <algorithm>
#include <cmath>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// z_a = S z_b + e at a point: [moment; force] = [aa au; auᵀ uu] [Ω̇; r̈] + e.
template <class T>
struct Transfer {
  Symmetric3<T> aa;  ///< moment per angular acceleration
  Matrix3<T> au;     ///< moment per acceleration of the point
  Symmetric3<T> uu;  ///< force per acceleration of the point
  SpatialVector<T> e;

  Transfer& operator+=(const Transfer& b) {
    aa += b.aa;
    au += b.au;
    uu += b.uu;
    e += b.e;
    return *this;
  }
};

template <class T>
SpatialVector<T> multiply(const Transfer<T>& s, const SpatialVector<T>& z) {
  return {s.aa * z.angular + s.au * z.linear, transpose_times(s.au, z.angular) + s.uu * z.linear};
}

/// A body about its hinge point P, in body axes or, turned, in ground axes. Its inertia tensor about P is J = λ 1 + a
/// aᵀ + b bᵀ with the smallest principal moment λ: to turn two vectors costs less than to turn a tensor, and a small λ
/// keeps its digits next to large moments.
template <class T>
struct Inertia {
  T mass{}, least{};  ///< λ
  Vector3<T> moment;  ///< mass times the vector from P to the mass centre
  Vector3<T> a, b;    ///< along the other principal axes

  Inertia turned(const Matrix3<T>& R) const { return {mass, least, R * moment, R * a, R * b}; }
  /// The moment of inertia about a unit axis through P.
  T about(const Vector3<T>& axis) const {
    const T of_a = dot(a, axis), of_b = dot(b, axis);
    return least + of_a * of_a + of_b * of_b;
  }
};

/// Adds S and e of a body with a free output end (Eqs. 3–5 with z_a,O = 0), at P, in ground axes.
template <class T>
void add_body(Transfer<T>& s, const Inertia<T>& body, const Vector3<T>& omega) {
  const Vector3<T>&a = body.a, &b = body.b, &c = body.moment;
  s.aa.xx = s.aa.xx + body.least + a.x * a.x + b.x * b.x;
  s.aa.yy = s.aa.yy + body.least + a.y * a.y + b.y * b.y;
  s.aa.zz = s.aa.zz + body.least + a.z * a.z + b.z * b.z;
  s.aa.xy = s.aa.xy + a.x * a.y + b.x * b.y;
  s.aa.xz = s.aa.xz + a.x * a.z + b.x * b.z;
  s.aa.yz = s.aa.yz + a.y * a.z + b.y * b.z;
  s.au.m[1] -= c.z;  // the skew matrix of the static moment
  s.au.m[2] += c.y;
  s.au.m[3] += c.z;
  s.au.m[5] -= c.x;
  s.au.m[6] -= c.y;
  s.au.m[7] += c.x;
  s.uu.xx += body.mass;
  s.uu.yy += body.mass;
  s.uu.zz += body.mass;
  // Ω̃ J Ω, where λ falls out, and Ω̃Ω̃ c
  const Vector3<T> spin = dot(a, omega) * a + dot(b, omega) * b;
  s.e.angular = add_cross(s.e.angular, omega, spin);
  s.e.linear = add_cross(s.e.linear, omega, cross(omega, c));
}

/// m + r̃ u.
template <class T>
Matrix3<T> add_cross_columns(const Matrix3<T>& m, const Vector3<T>& r, const Symmetric3<T>& u) {
  const Vector3<T> x = add_cross(m.column(0), r, Vector3<T>{u.xx, u.xy, u.xz});
  const Vector3<T> y = add_cross(m.column(1), r, Vector3<T>{u.xy, u.yy, u.yz});
  const Vector3<T> z = add_cross(m.column(2), r, Vector3<T>{u.xz, u.yz, u.zz});
  return {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}
/// s + the symmetric part of r̃ mᵀ.
template <class T>
Symmetric3<T> add_cross_rows(const Symmetric3<T>& s, const Vector3<T>& r, const Matrix3<T>& m) {
  const Vector3<T> h = T(0.5) * r;
  return {s.xx + r.y * m(0, 2) - r.z * m(0, 1),
          s.yy + r.z * m(1, 0) - r.x * m(1, 2),
          s.zz + r.x * m(2, 1) - r.y * m(2, 0),
          s.xy + h.y * m(1, 2) - h.z * m(1, 1) + h.z * m(0, 0) - h.x * m(0, 2),
          s.xz + h.y * m(2, 2) - h.z * m(2, 1) + h.x * m(0, 1) - h.y * m(0, 0),
          s.yz + h.z * m(2, 0) - h.x * m(2, 2) + h.x * m(1, 1) - h.y * m(1, 0)};
}

/// Passing a body: the same wrench referred to the point from which P lies at r, in the same body with angular
/// velocity omega (Eqs. 3–5: r̈_O = r̈_I − r̃ Ω̇ + Ω̃Ω̃ r, m_I = m_O + r̃ q).
template <class T>
Transfer<T> shift(const Transfer<T>& s, const Vector3<T>& r, const Vector3<T>& omega) {
  Transfer<T> t;
  const Vector3<T> gamma = cross(omega, cross(omega, r));
  t.uu = s.uu;
  // au' = au + r̃ uu;  aa' = aa + r̃ auᵀ + (r̃ auᵀ)ᵀ − r̃ uu r̃ = aa + sym(r̃ (au + au')ᵀ)
  t.au = add_cross_columns(s.au, r, s.uu);
  t.aa = add_cross_rows(s.aa, r, s.au + t.au);
  t.e.linear = add_product(s.e.linear, s.uu, gamma);
  t.e.angular = add_cross(add_product(s.e.angular, s.au, gamma), r, t.e.linear);
  return t;
}
/// As shift() does, if e already holds the term of Ω̃Ω̃ r, or if nothing moves (corrections of positions and
/// velocities).
template <class T>
Transfer<T> shift(const Transfer<T>& s, const Vector3<T>& r) {
  const Matrix3<T> au = add_cross_columns(s.au, r, s.uu);
  return {add_cross_rows(s.aa, r, s.au + au), au, s.uu, {add_cross(s.e.angular, r, s.e.linear), s.e.linear}};
}

/// One direction of motion H (ground axes, at P) that is eliminated from a hinge, and the numbers that the way back
/// needs.
template <class T>
struct Column {
  SpatialVector<T> H;
  SpatialVector<T> U;  ///< S H
  T inverse{};         ///< 1 / (Hᵀ S H)
  T free{};            ///< τ − Hᵀ e

  /// Eq. 33: v̇ from the accelerations z that the rest of the hinge gives.
  T rate(const SpatialVector<T>& z) const { return inverse * (free - dot(U, z)); }
};

/// S ← S + factor · y yᵀ.
template <class T>
void add_stiffness(Transfer<T>& s, const SpatialVector<T>& y, const T& factor) {
  const Vector3<T>&a = y.angular, &u = y.linear;
  const Vector3<T> ai = factor * a, ui = factor * u;
  s.aa += Symmetric3<T>{ai.x * a.x, ai.y * a.y, ai.z * a.z, ai.x * a.y, ai.x * a.z, ai.y * a.z};
  s.uu += Symmetric3<T>{ui.x * u.x, ui.y * u.y, ui.z * u.z, ui.x * u.y, ui.x * u.z, ui.y * u.z};
  s.au += Matrix3<T>{
      {ai.x * u.x, ai.x * u.y, ai.x * u.z, ai.y * u.x, ai.y * u.y, ai.y * u.z, ai.z * u.x, ai.z * u.y, ai.z * u.z}};
}

/// Eqs. 29, 30 for one direction: S ← S − U D⁻¹ Uᵀ and e ← e + U D⁻¹ (τ − Hᵀ e) with U, 1/D and τ − Hᵀ e of the column.
template <class T>
void condense(Transfer<T>& s, const Column<T>& column) {
  add_stiffness(s, column.U, T(-column.inverse));
  s.e += (column.inverse * column.free) * column.U;
}

/// A hinge pivot below this part of the inertia that it comes from is rounding: the hinge moves nothing.
inline constexpr double smallest_pivot = 1e-14;
/// An inertia of the outboard body below this part counts as zero: rounding of a model's numbers makes as much of zero.
inline constexpr double least_own_inertia = 1e-20;

/// The pivot of a hinge. All that is outboard resists at least as the outboard body does, by `own`. So a pivot that is
/// lost in the rounding of `terms`, which much heavier bodies further out make, is at least `own`. Zero if nothing is
/// known to resist.
template <class T>
T pivot_of(const T& computed, const T& terms, const T& own) {
  using std::max;
  if (computed > T(smallest_pivot) * terms) return computed;
  return own > T(least_own_inertia) * terms ? max(computed, own) : T(0);
}

/// The size against which the pivots of a hinge are judged: S before any of its directions is eliminated, because what
/// several directions leave of S may be rounding.
template <class T>
struct PivotScale {
  T angular, linear;

  explicit PivotScale(const Transfer<T>& s)
      : angular(s.aa.xx + s.aa.yy + s.aa.zz), linear(s.uu.xx + s.uu.yy + s.uu.zz) {}
};

/// Eqs. 24, 25 for one direction of a hinge, whose condition Hᵀ z_a = τ gives its rate (the decoupled hinge equation):
/// U, D = Hᵀ S H and τ − Hᵀ e. False when D is not positive against the scale. own: a lower bound of D, from the
/// outboard body alone.
template <class T>
bool prepare(const Transfer<T>& s, const PivotScale<T>& scale, Column<T>& column, const T& effort,
             const T& own = T(0)) {
  const SpatialVector<T>& H = column.H;
  column.U = multiply(s, H);
  const T size = dot(H.angular, H.angular) * scale.angular + dot(H.linear, H.linear) * scale.linear;
  const T d = pivot_of(dot(H, column.U), size, own);
  if (!(d > T(0))) return false;
  column.inverse = T(1) / d;
  column.free = effort - dot(H, s.e);
  return true;
}
/// Does as prepare() for a unit direction without translation: a revolute hinge.
template <class T>
bool prepare_rotation(const Transfer<T>& s, Column<T>& column, const T& effort) {
  const Vector3<T>& axis = column.H.angular;
  column.U = {s.aa * axis, transpose_times(s.au, axis)};
  const T d = dot(axis, column.U.angular);
  if (!(d > T(smallest_pivot) * (s.aa.xx + s.aa.yy + s.aa.zz))) return false;
  column.inverse = T(1) / d;
  column.free = effort - dot(axis, s.e.angular);
  return true;
}
/// Takes over after prepare_rotation() has failed: a straight chain of 100 000 bodies is 1e15 times harder to turn
/// across its pins than about them. The pivot counts if it stands out of the rounding of its own terms; otherwise it is
/// at least the body's own moment of inertia about the axis.
template <class T>
bool prepare_small_rotation(const Transfer<T>& s, Column<T>& column, const T& effort, const T& own) {
  using std::abs;
  const Vector3<T>& h = column.H.angular;
  const T rounding =
      T(smallest_pivot) * (h.x * h.x * abs(s.aa.xx) + h.y * h.y * abs(s.aa.yy) + h.z * h.z * abs(s.aa.zz) +
                           T(2) * (abs(h.x * h.y * s.aa.xy) + abs(h.x * h.z * s.aa.xz) + abs(h.y * h.z * s.aa.yz)));
  const T d = own > T(0) ? pivot_of(dot(h, column.U.angular), rounding / T(smallest_pivot), own) : T(0);
  if (!(d > T(0))) return false;
  column.inverse = T(1) / d;
  column.free = effort - dot(h, s.e.angular);
  return true;
}
/// Does as prepare() for a unit direction without rotation: a prismatic hinge.
template <class T>
bool prepare_translation(const Transfer<T>& s, Column<T>& column, const T& effort) {
  const Vector3<T>& axis = column.H.linear;
  column.U = {s.au * axis, s.uu * axis};
  const T d = dot(axis, column.U.linear);
  if (!(d > T(smallest_pivot) * (s.uu.xx + s.uu.yy + s.uu.zz))) return false;
  column.inverse = T(1) / d;
  column.free = effort - dot(axis, s.e.linear);
  return true;
}

/// Hinge elimination of one direction: S ← S − S H D⁻¹ Hᵀ S, e ← e + S H D⁻¹ (τ − Hᵀ e). Several directions are
/// eliminated one after the other, last first, as through bodies without mass between them (of a ball hinge Eq. 10 in
/// three steps). False when prepare() fails.
template <class T>
bool eliminate(Transfer<T>& s, const PivotScale<T>& scale, Column<T>& column, const T& effort, const T& own = T(0)) {
  if (!prepare(s, scale, column, effort, own)) return false;
  condense(s, column);
  return true;
}

/// The result of condense() and then shift(), in the other order: the shift does not wait for the division in D⁻¹.
template <class T>
Transfer<T> shift_condensed(const Transfer<T>& s, const Column<T>& column, const Vector3<T>& r,
                            const Vector3<T>& omega) {
  Transfer<T> t = shift(s, r, omega);
  const Vector3<T>& u = column.U.linear;
  const T free = column.free - dot(u, cross(omega, cross(omega, r)));
  condense(t, Column<T>{{}, {add_cross(column.U.angular, r, u), u}, column.inverse, free});
  return t;
}

}  // namespace polyform
