// The operations of expressions on numbers. Division by zero and arguments outside of a function's domain give NaN,
// which goes on to the result unless a condition takes the other branch.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/tables.hpp"

namespace polyform::host::inline expressions {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

inline double divide(double a, double b) noexcept { return b == 0 ? no_number : a / b; }
inline double raise(double a, double b) noexcept {
  if (b == 2) return a * a;
  if (a == 0 && b < 0) return no_number;
  if (std::isnan(a) || std::isnan(b)) return no_number;
  return std::pow(a, b);
}
inline double both_number(double a, double b, double result) noexcept {
  return std::isnan(a) || std::isnan(b) ? no_number : result;
}

/// √(a² + b²), without overflow and underflow of the squares.
inline double hypotenuse(double a, double b) noexcept {
  constexpr double least = 1e-280, most = 1e280;  // of squares whose sum keeps its digits
  const double squares = a * a + b * b;
  return squares > least && squares < most ? std::sqrt(squares) : both_number(a, b, std::hypot(a, b));
}

inline double binary(Code code, double a, double b) noexcept {
  switch (code) {
    case Code::add: return a + b;
    case Code::subtract: return a - b;
    case Code::multiply: return a * b;
    case Code::divide: return divide(a, b);
    case Code::power: return raise(a, b);
    case Code::arc_tangent2: return std::atan2(a, b);
    case Code::hypotenuse: return hypotenuse(a, b);
    case Code::minimum: return both_number(a, b, b < a ? b : a);
    case Code::maximum: return both_number(a, b, b > a ? b : a);
    case Code::less: return both_number(a, b, a < b ? 1 : 0);
    case Code::less_equal: return both_number(a, b, a <= b ? 1 : 0);
    case Code::equal: return both_number(a, b, a == b ? 1 : 0);
    case Code::conjunction: return a == 0 ? 0 : std::isnan(a) || std::isnan(b) ? no_number : b != 0 ? 1 : 0;
    case Code::disjunction: return std::isnan(a) ? no_number : a != 0 ? 1 : std::isnan(b) ? no_number : b != 0 ? 1 : 0;
    default: return no_number;
  }
}

inline double unary(Code code, double x) noexcept {
  switch (code) {
    case Code::negate: return -x;
    case Code::invert: return std::isnan(x) ? no_number : x == 0 ? 1 : 0;
    case Code::absolute: return std::abs(x);
    case Code::sign: return std::isnan(x) ? no_number : x > 0 ? 1 : x < 0 ? -1 : 0;
    case Code::step: return std::isnan(x) ? no_number : x < 0 ? 0 : 1;
    case Code::floor: return std::floor(x);
    case Code::sine: return std::sin(x);
    case Code::cosine: return std::cos(x);
    case Code::tangent: return std::tan(x);
    case Code::arc_sine: return std::asin(x);
    case Code::arc_cosine: return std::acos(x);
    case Code::arc_tangent: return std::atan(x);
    case Code::hyperbolic_sine: return std::sinh(x);
    case Code::hyperbolic_cosine: return std::cosh(x);
    case Code::hyperbolic_tangent: return std::tanh(x);
    case Code::area_sine: return std::asinh(x);
    case Code::area_cosine: return std::acosh(x);
    case Code::area_tangent: return std::abs(x) < 1 ? std::atanh(x) : no_number;
    case Code::exponential: return std::exp(x);
    case Code::logarithm: return x > 0 ? std::log(x) : no_number;
    case Code::decimal_logarithm: return x > 0 ? std::log10(x) : no_number;
    case Code::square_root: return std::sqrt(x);
    case Code::cube_root: return std::cbrt(x);
    default: return no_number;
  }
}

inline double choose(double condition, double yes, double no) noexcept {
  return std::isnan(condition) ? no_number : condition != 0 ? yes : no;
}
inline double look_up(const Table& table, double x) noexcept { return value_of(table, x).value; }
inline double knot_of(const Table& table, double x) noexcept {
  return std::sin(3.14159265358979323846 * row_number(table, x));
}
inline double look_up(const Surface& surface, double x, double y) noexcept { return value_of(surface, x, y).value; }

}  // namespace polyform::host::inline expressions
