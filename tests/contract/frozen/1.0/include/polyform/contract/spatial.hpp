// Spatial algebra of the hot kernels: 3-vectors, 3x3 matrices, symmetric 3x3 matrices, quaternions.
//
// Templates over the scalar, plain aggregates without padding or hidden state, so that they cross the
// plugin boundary and vectorize. Axes and points are named by the variables, not by the types.
#pragma once

#include <cmath>
#include <cstddef>

namespace polyform {

template <class T>
struct Vector3 {
  T x{}, y{}, z{};

  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  constexpr Vector3& operator+=(const Vector3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  constexpr Vector3& operator-=(const Vector3& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  constexpr Vector3& operator*=(const T& s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }

  friend constexpr Vector3 operator+(Vector3 a, const Vector3& b) { return a += b; }
  friend constexpr Vector3 operator-(Vector3 a, const Vector3& b) { return a -= b; }
  friend constexpr Vector3 operator-(const Vector3& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vector3 operator*(const T& s, Vector3 a) { return a *= s; }
  friend constexpr Vector3 operator*(Vector3 a, const T& s) { return a *= s; }
};

template <class T>
constexpr T dot(const Vector3<T>& a, const Vector3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// A size that costs no root: |x| + |y| + |z|.
template <class T>
T size(const Vector3<T>& a) {
  using std::abs;
  return abs(a.x) + abs(a.y) + abs(a.z);
}
template <class T>
constexpr Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// p + a × b, two fused operations per element.
template <class T>
constexpr Vector3<T> add_cross(const Vector3<T>& p, const Vector3<T>& a, const Vector3<T>& b) {
  return {p.x + a.y * b.z - a.z * b.y, p.y + a.z * b.x - a.x * b.z, p.z + a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Vector3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// A general 3x3 matrix, rows first.
template <class T>
struct Matrix3 {
  T m[9]{};

  constexpr T& operator()(std::size_t i, std::size_t j) { return m[3 * i + j]; }
  constexpr const T& operator()(std::size_t i, std::size_t j) const { return m[3 * i + j]; }
  static constexpr Matrix3 identity() { return {{T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}}; }
  constexpr Vector3<T> column(std::size_t j) const { return {m[j], m[3 + j], m[6 + j]}; }
  constexpr Vector3<T> row(std::size_t i) const { return {m[3 * i], m[3 * i + 1], m[3 * i + 2]}; }

  constexpr Matrix3& operator+=(const Matrix3& b) {
    for (int i = 0; i < 9; ++i) m[i] += b.m[i];
    return *this;
  }
  constexpr Matrix3& operator-=(const Matrix3& b) {
    for (int i = 0; i < 9; ++i) m[i] -= b.m[i];
    return *this;
  }
  friend constexpr Matrix3 operator+(Matrix3 a, const Matrix3& b) { return a += b; }
  friend constexpr Matrix3 operator-(Matrix3 a, const Matrix3& b) { return a -= b; }
  friend constexpr Matrix3 operator*(const T& s, Matrix3 a) {
    for (T& e : a.m) e *= s;
    return a;
  }
};

template <class T>
constexpr Vector3<T> operator*(const Matrix3<T>& a, const Vector3<T>& b) {
  return {a.m[0] * b.x + a.m[1] * b.y + a.m[2] * b.z, a.m[3] * b.x + a.m[4] * b.y + a.m[5] * b.z,
          a.m[6] * b.x + a.m[7] * b.y + a.m[8] * b.z};
}
/// aᵀ b
template <class T>
constexpr Vector3<T> transpose_times(const Matrix3<T>& a, const Vector3<T>& b) {
  return {a.m[0] * b.x + a.m[3] * b.y + a.m[6] * b.z, a.m[1] * b.x + a.m[4] * b.y + a.m[7] * b.z,
          a.m[2] * b.x + a.m[5] * b.y + a.m[8] * b.z};
}
template <class T>
constexpr Matrix3<T> operator*(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c.m[3 * i + j] = a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return c;
}
template <class T>
constexpr Matrix3<T> transpose(const Matrix3<T>& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
/// aᵀ b
template <class T>
constexpr Matrix3<T> transpose_times(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c.m[3 * i + j] = a.m[i] * b.m[j] + a.m[3 + i] * b.m[3 + j] + a.m[6 + i] * b.m[6 + j];
  return c;
}
/// a bᵀ
template <class T>
constexpr Matrix3<T> times_transpose(const Matrix3<T>& a, const Matrix3<T>& b) {
  return a * transpose(b);
}
/// The skew matrix ã with ã b = a x b.
template <class T>
constexpr Matrix3<T> skew(const Vector3<T>& a) {
  return {{T(0), -a.z, a.y, a.z, T(0), -a.x, -a.y, a.x, T(0)}};
}

/// A symmetric 3x3 matrix by its six elements: symmetric by construction.
template <class T>
struct Symmetric3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  constexpr Symmetric3& operator+=(const Symmetric3& b) {
    xx += b.xx;
    yy += b.yy;
    zz += b.zz;
    xy += b.xy;
    xz += b.xz;
    yz += b.yz;
    return *this;
  }
  constexpr Symmetric3& operator-=(const Symmetric3& b) {
    xx -= b.xx;
    yy -= b.yy;
    zz -= b.zz;
    xy -= b.xy;
    xz -= b.xz;
    yz -= b.yz;
    return *this;
  }
  friend constexpr Symmetric3 operator+(Symmetric3 a, const Symmetric3& b) { return a += b; }
  friend constexpr Symmetric3 operator-(Symmetric3 a, const Symmetric3& b) { return a -= b; }
  static constexpr Symmetric3 diagonal(const T& d) { return {d, d, d, T(0), T(0), T(0)}; }
  constexpr Matrix3<T> full() const { return {{xx, xy, xz, xy, yy, yz, xz, yz, zz}}; }
};

template <class T>
constexpr Vector3<T> operator*(const Symmetric3<T>& a, const Vector3<T>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
/// p + a b, three fused operations per element.
template <class T>
constexpr Vector3<T> add_product(const Vector3<T>& p, const Matrix3<T>& a, const Vector3<T>& b) {
  return {p.x + a.m[0] * b.x + a.m[1] * b.y + a.m[2] * b.z, p.y + a.m[3] * b.x + a.m[4] * b.y + a.m[5] * b.z,
          p.z + a.m[6] * b.x + a.m[7] * b.y + a.m[8] * b.z};
}
template <class T>
constexpr Vector3<T> add_product(const Vector3<T>& p, const Symmetric3<T>& a, const Vector3<T>& b) {
  return {p.x + a.xx * b.x + a.xy * b.y + a.xz * b.z, p.y + a.xy * b.x + a.yy * b.y + a.yz * b.z,
          p.z + a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
/// p + aᵀ b
template <class T>
constexpr Vector3<T> add_transpose_product(const Vector3<T>& p, const Matrix3<T>& a, const Vector3<T>& b) {
  return {p.x + a.m[0] * b.x + a.m[3] * b.y + a.m[6] * b.z, p.y + a.m[1] * b.x + a.m[4] * b.y + a.m[7] * b.z,
          p.z + a.m[2] * b.x + a.m[5] * b.y + a.m[8] * b.z};
}
/// R a Rᵀ: a symmetric tensor in turned axes.
template <class T>
constexpr Symmetric3<T> rotate(const Matrix3<T>& r, const Symmetric3<T>& a) {
  const Vector3<T> u = a * r.row(0), v = a * r.row(1), w = a * r.row(2);
  return {dot(r.row(0), u), dot(r.row(1), v), dot(r.row(2), w), dot(r.row(0), v), dot(r.row(0), w), dot(r.row(1), w)};
}
/// −r̃ r̃ = |r|² 1 − r rᵀ: inertia of a unit mass at r.
template <class T>
constexpr Symmetric3<T> unit_mass_inertia(const Vector3<T>& r) {
  return {r.y * r.y + r.z * r.z, r.x * r.x + r.z * r.z, r.x * r.x + r.y * r.y, -r.x * r.y, -r.x * r.z, -r.y * r.z};
}

/// A quaternion w x y z, scalar first; unit where it is an orientation.
template <class T>
struct Quaternion {
  T w{1}, x{}, y{}, z{};

  friend constexpr Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};
template <class T>
constexpr Quaternion<T> conjugate(const Quaternion<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class T>
constexpr T dot(const Quaternion<T>& a, const Quaternion<T>& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
T norm(const Quaternion<T>& q) {
  using std::sqrt;
  return sqrt(dot(q, q));
}
template <class T>
Quaternion<T> normalized(const Quaternion<T>& q) {
  const T s = T(1) / norm(q);
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
/// Rotation matrix of q, scaled so that the length of q (if not zero) does not matter.
template <class T>
constexpr Matrix3<T> rotation_matrix(const Quaternion<T>& q) {
  const T s = T(2) / dot(q, q);
  const T xs = q.x * s, ys = q.y * s, zs = q.z * s;
  const T wx = q.w * xs, wy = q.w * ys, wz = q.w * zs;
  const T xx = q.x * xs, xy = q.x * ys, xz = q.x * zs, yy = q.y * ys, yz = q.y * zs, zz = q.z * zs;
  return {{T(1) - (yy + zz), xy - wz, xz + wy, xy + wz, T(1) - (xx + zz), yz - wx, xz - wy, yz + wx, T(1) - (xx + yy)}};
}
/// Rotation about a unit axis. Continuous in the angle over many turns (the sign of the result changes each turn).
template <class T>
Quaternion<T> axis_angle(const Vector3<T>& axis, const T& angle) {
  using std::cos;
  using std::sin;
  const T s = sin(angle * T(0.5));
  return {cos(angle * T(0.5)), axis.x * s, axis.y * s, axis.z * s};
}
/// Rotation matrix about a unit axis (Rodrigues).
template <class T>
constexpr Matrix3<T> axis_rotation(const Vector3<T>& a, const T& c, const T& s) {
  const T k = T(1) - c;
  return {{c + k * a.x * a.x, k * a.x * a.y - s * a.z, k * a.x * a.z + s * a.y, k * a.x * a.y + s * a.z,
           c + k * a.y * a.y, k * a.y * a.z - s * a.x, k * a.x * a.z - s * a.y, k * a.y * a.z + s * a.x,
           c + k * a.z * a.z}};
}
/// d/dt of q under the angular velocity w given in the axes q leads to (ground side): ½ (0, w) q.
template <class T>
constexpr Quaternion<T> quaternion_rate(const Quaternion<T>& q, const Vector3<T>& w) {
  const T h(0.5);
  return {h * (-w.x * q.x - w.y * q.y - w.z * q.z), h * (w.x * q.w + w.y * q.z - w.z * q.y),
          h * (-w.x * q.z + w.y * q.w + w.z * q.x), h * (w.x * q.y - w.y * q.x + w.z * q.w)};
}

using Vec3 = Vector3<double>;
using Mat3 = Matrix3<double>;
using Sym3 = Symmetric3<double>;
using Quat = Quaternion<double>;

/// Below these angles (rad) a series of two terms is exact to rounding: its next term is 1e-36 and 1e-27 of the first.
inline constexpr double small_angle = 1e-9, series_angle = 1e-6;

/// Rotation vector (axis times angle, |angle| ≤ π) of a unit quaternion of either sign.
inline Vec3 rotation_vector(const Quat& q) {
  const Vec3 v{q.x, q.y, q.z};
  const double s = norm(v);
  const double sign = q.w < 0 ? -1.0 : 1.0;
  const double scale = s < small_angle ? 2.0 * (1.0 + s * s / 6.0) : 2.0 * std::atan2(s, sign * q.w) / s;
  return (sign * scale) * v;
}
/// Unit quaternion of a rotation vector.
inline Quat from_rotation_vector(const Vec3& v) {
  const double a = norm(v);
  const double s = a < series_angle ? 0.5 - a * a / 48.0 : std::sin(0.5 * a) / a;
  return {std::cos(0.5 * a), s * v.x, s * v.y, s * v.z};
}
/// Unit quaternion of a rotation matrix (Shepperd's method), w ≥ 0.
inline Quat quaternion_of(const Mat3& r) {
  const double trace = r.m[0] + r.m[4] + r.m[8];
  Quat q;
  if (trace >= r.m[0] && trace >= r.m[4] && trace >= r.m[8]) {
    q = {1.0 + trace, r.m[7] - r.m[5], r.m[2] - r.m[6], r.m[3] - r.m[1]};
  } else if (r.m[0] >= r.m[4] && r.m[0] >= r.m[8]) {
    q = {r.m[7] - r.m[5], 1.0 + 2.0 * r.m[0] - trace, r.m[1] + r.m[3], r.m[2] + r.m[6]};
  } else if (r.m[4] >= r.m[8]) {
    q = {r.m[2] - r.m[6], r.m[1] + r.m[3], 1.0 + 2.0 * r.m[4] - trace, r.m[5] + r.m[7]};
  } else {
    q = {r.m[3] - r.m[1], r.m[2] + r.m[6], r.m[5] + r.m[7], 1.0 + 2.0 * r.m[8] - trace};
  }
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  return normalized(q);
}

/// A pair of 3-vectors at one point: a twist (angular velocity, velocity of the point), its rate
/// (angular acceleration, acceleration of the point), or a wrench (moment about the point, force).
template <class T>
struct SpatialVector {
  Vector3<T> angular, linear;

  constexpr T& operator[](std::size_t i) { return i < 3 ? angular[i] : linear[i - 3]; }
  constexpr const T& operator[](std::size_t i) const { return i < 3 ? angular[i] : linear[i - 3]; }
  constexpr SpatialVector& operator+=(const SpatialVector& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
  constexpr SpatialVector& operator-=(const SpatialVector& b) {
    angular -= b.angular;
    linear -= b.linear;
    return *this;
  }
  friend constexpr SpatialVector operator+(SpatialVector a, const SpatialVector& b) { return a += b; }
  friend constexpr SpatialVector operator-(SpatialVector a, const SpatialVector& b) { return a -= b; }
  friend constexpr SpatialVector operator*(const T& s, const SpatialVector& a) { return {s * a.angular, s * a.linear}; }
};
template <class T>
constexpr T dot(const SpatialVector<T>& a, const SpatialVector<T>& b) {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
using Spatial = SpatialVector<double>;

/// A frame in another: orientation and origin.
struct Pose {
  Quat orientation;
  Vec3 position;
};

}  // namespace polyform
