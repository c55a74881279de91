// Numbers of about 32 digits: the unevaluated sum of two doubles (Dekker 1971; Hida, Li and Bailey 2001). They are for
// residuals, whose terms cancel to less than the rounding of a double. Use them only in files that are compiled with
// -ffp-contract=off: a sum that is fused with the product before it has another rounding error than the one that is
// computed here.
#pragma once

#include <cmath>

#include "polyform/contract/spatial.hpp"

namespace polyform {

struct DoubleDouble {
  double high = 0, low = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // NOLINT: a double is one of these numbers
  constexpr DoubleDouble(double of_high, double of_low) : high(of_high), low(of_low) {}
  explicit operator double() const { return high + low; }

  /// a + b exactly.
  static DoubleDouble sum(double a, double b) {
    const double s = a + b, of_b = s - a;
    return {s, (a - (s - of_b)) + (b - of_b)};
  }
  /// The same if |a| ≥ |b|.
  static DoubleDouble ordered_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
  }
  /// a b exactly.
  static DoubleDouble product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
  }

  DoubleDouble& operator+=(const DoubleDouble& b) {
    const DoubleDouble s = sum(high, b.high), t = sum(low, b.low);
    const DoubleDouble first = ordered_sum(s.high, s.low + t.high);
    return *this = ordered_sum(first.high, first.low + t.low);
  }
  DoubleDouble& operator-=(const DoubleDouble& b) { return *this += -b; }
  DoubleDouble& operator*=(const DoubleDouble& b) {
    const DoubleDouble p = product(high, b.high);
    return *this = ordered_sum(p.high, p.low + (high * b.low + low * b.high));
  }
  DoubleDouble operator-() const { return {-high, -low}; }
  friend DoubleDouble operator+(DoubleDouble a, const DoubleDouble& b) { return a += b; }
  friend DoubleDouble operator-(DoubleDouble a, const DoubleDouble& b) { return a -= b; }
  friend DoubleDouble operator*(DoubleDouble a, const DoubleDouble& b) { return a *= b; }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    const DoubleDouble rest = a - DoubleDouble(first) * b;
    const double second = rest.high / b.high;
    const DoubleDouble last = rest - DoubleDouble(second) * b;
    return ordered_sum(first, second) + DoubleDouble(last.high / b.high);
  }
  DoubleDouble& operator/=(const DoubleDouble& b) { return *this = *this / b; }
};

/// Vectors of doubles as vectors of numbers with more digits, and back.
template <class T>
Vector3<T> widened(const Vec3& v) {
  return {v.x, v.y, v.z};
}
template <class T>
SpatialVector<T> widened(const Spatial& s) {
  return {widened<T>(s.angular), widened<T>(s.linear)};
}
template <class T>
Vec3 narrowed(const Vector3<T>& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
template <class T>
Spatial narrowed(const SpatialVector<T>& s) {
  return {narrowed(s.angular), narrowed(s.linear)};
}

}  // namespace polyform
