// Matrices that take the displacement of a body (rotation, displacement of its hinge point) to a wrench about that
// point.
#pragma once

#include <cstddef>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// Rows first: [moment; force] = m [rotation; displacement].
template <class T>
struct Six {
  T m[36]{};

  T& operator()(std::size_t i, std::size_t j) { return m[6 * i + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return m[6 * i + j]; }
  Six& operator+=(const Six& b) {
    for (std::size_t i = 0; i < 36; ++i) m[i] += b.m[i];
    return *this;
  }
  /// Adds factor · b.
  template <class U>
  void add(const U& factor, const Six<double>& b) {
    for (std::size_t i = 0; i < 36; ++i) m[i] += factor * b.m[i];
  }
  /// Adds a 3 × 3 block at (row, column), both 0 or 3.
  void add(std::size_t row, std::size_t column, const Mat3& b, double factor = 1) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m[6 * (row + i) + column + j] += factor * b(i, j);
  }
};

template <class A, class T>
SpatialVector<T> multiply(const Six<A>& m, const SpatialVector<T>& z) {
  SpatialVector<T> out;
  const T x[6] = {z.angular.x, z.angular.y, z.angular.z, z.linear.x, z.linear.y, z.linear.z};
  T y[6];
  for (std::size_t i = 0; i < 6; ++i) {
    T sum{};
    for (std::size_t j = 0; j < 6; ++j) sum += m.m[6 * i + j] * x[j];
    y[i] = sum;
  }
  out = {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  return out;
}

/// m takes displacements about a point; afterwards it takes those about the first point, from which that one lies at r.
template <class T>
void shift_columns(Six<T>& m, const Vec3& r) {
  // u' = u − r̃ φ
  for (std::size_t i = 0; i < 6; ++i) {
    const T a = m.m[6 * i + 3], b = m.m[6 * i + 4], c = m.m[6 * i + 5];
    m.m[6 * i + 0] -= b * r.z - c * r.y;
    m.m[6 * i + 1] -= c * r.x - a * r.z;
    m.m[6 * i + 2] -= a * r.y - b * r.x;
  }
}
/// m gives wrenches about the point at r; afterwards it gives them about the first point.
template <class T>
void shift_rows(Six<T>& m, const Vec3& r) {
  for (std::size_t j = 0; j < 6; ++j) {
    const T a = m.m[18 + j], b = m.m[24 + j], c = m.m[30 + j];
    m.m[j] += r.y * c - r.z * b;
    m.m[6 + j] += r.z * a - r.x * c;
    m.m[12 + j] += r.x * b - r.y * a;
  }
}

/// The products of real geometry with numbers that may be complex.
template <class T>
Vector3<T> cross_with(const Vec3& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T dot_with(const Vec3& a, const Vector3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
T dot_with(const Spatial& a, const SpatialVector<T>& b) {
  return dot_with(a.angular, b.angular) + dot_with(a.linear, b.linear);
}
template <class T>
void add_scaled(SpatialVector<T>& to, const T& factor, const Spatial& a) {
  to.angular.x += factor * a.angular.x;
  to.angular.y += factor * a.angular.y;
  to.angular.z += factor * a.angular.z;
  to.linear.x += factor * a.linear.x;
  to.linear.y += factor * a.linear.y;
  to.linear.z += factor * a.linear.z;
}

}  // namespace polyform
