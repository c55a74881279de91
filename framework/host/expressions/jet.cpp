#include "framework/host/expressions/jet.hpp"

namespace polyform::host::inline expressions {

namespace {

Jet quotient(const Jet& a, const Jet& b) noexcept {
  if (b.value == 0) return {no_number, no_number, no_number};
  const double q = a.value / b.value, rate = (a.rate - q * b.rate) / b.value;
  return {q, rate, (a.acceleration - 2 * rate * b.rate - q * b.acceleration) / b.value};
}

Jet jet_power(const Jet& a, const Jet& b) noexcept {
  const double f = raise(a.value, b.value);
  if (b.rate == 0 && b.acceleration == 0) {
    const double p = b.value;
    const double first = p == 0 ? 0 : p * raise(a.value, p - 1);
    const double second = p == 0 || p == 1 ? 0 : p * (p - 1) * raise(a.value, p - 2);
    return chain(a, f, first, second);
  }
  // a^b = exp(b log a)
  const double l = a.value > 0 ? std::log(a.value) : no_number;
  const Jet exponent = product(b, chain(a, l, 1 / a.value, -1 / (a.value * a.value)));
  return {f, f * exponent.rate, f * (exponent.rate * exponent.rate + exponent.acceleration)};
}

/// atan2(y, x)
Jet angle_of(const Jet& y, const Jet& x) noexcept {
  const double r2 = x.value * x.value + y.value * y.value;
  const double value = std::atan2(y.value, x.value);
  if (y.rate == 0 && x.rate == 0 && y.acceleration == 0 && x.acceleration == 0) return constant_jet(value);
  const double cross = x.value * y.rate - y.value * x.rate, along = x.value * x.rate + y.value * y.rate;
  const double rate = cross / r2;
  return {value, rate, (x.value * y.acceleration - y.value * x.acceleration) / r2 - 2 * along * rate / r2};
}

}  // namespace

Jet binary(Code code, const Jet& a, const Jet& b) noexcept {
  switch (code) {
    case Code::add: return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration};
    case Code::subtract: return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration};
    case Code::multiply: return product(a, b);
    case Code::divide: return quotient(a, b);
    case Code::power: return jet_power(a, b);
    case Code::arc_tangent2: return angle_of(a, b);
    case Code::hypotenuse: {
      const double h = binary(code, a.value, b.value);
      const Jet squares = {
          h * h, 2 * (a.value * a.rate + b.value * b.rate),
          2 * (a.rate * a.rate + a.value * a.acceleration + b.rate * b.rate + b.value * b.acceleration)};
      return chain(squares, h, 0.5 / h, -0.25 / (h * h * h));
    }
    case Code::minimum:
    case Code::maximum: {
      const double value = binary(code, a.value, b.value);
      if (std::isnan(value)) return {value, value, value};
      return (code == Code::minimum) == (b.value < a.value) && a.value != b.value ? b : a;
    }
    default: return constant_jet(binary(code, a.value, b.value));
  }
}

Jet unary(Code code, const Jet& x) noexcept {
  const double f = unary(code, x.value), v = x.value;
  switch (code) {
    case Code::negate: return {-x.value, -x.rate, -x.acceleration};
    case Code::absolute: return x.value < 0 ? Jet{-x.value, -x.rate, -x.acceleration} : x;
    case Code::sine: return chain(x, f, std::cos(v), -f);
    case Code::cosine: return chain(x, f, -std::sin(v), -f);
    case Code::tangent: return chain(x, f, 1 + f * f, 2 * f * (1 + f * f));
    case Code::arc_sine: {
      const double s = 1 - v * v;
      return chain(x, f, 1 / std::sqrt(s), v / (s * std::sqrt(s)));
    }
    case Code::arc_cosine: {
      const double s = 1 - v * v;
      return chain(x, f, -1 / std::sqrt(s), -v / (s * std::sqrt(s)));
    }
    case Code::arc_tangent: {
      const double s = 1 / (1 + v * v);
      return chain(x, f, s, -2 * v * s * s);
    }
    case Code::hyperbolic_sine: return chain(x, f, std::cosh(v), f);
    case Code::hyperbolic_cosine: return chain(x, f, std::sinh(v), f);
    case Code::hyperbolic_tangent: return chain(x, f, 1 - f * f, -2 * f * (1 - f * f));
    case Code::area_sine: {
      const double s = 1 + v * v;
      return chain(x, f, 1 / std::sqrt(s), -v / (s * std::sqrt(s)));
    }
    case Code::area_cosine: {
      const double s = v * v - 1;
      return chain(x, f, 1 / std::sqrt(s), -v / (s * std::sqrt(s)));
    }
    case Code::area_tangent: {
      const double s = 1 / (1 - v * v);
      return chain(x, f, s, 2 * v * s * s);
    }
    case Code::exponential: return chain(x, f, f, f);
    case Code::logarithm: return chain(x, f, 1 / v, -1 / (v * v));
    case Code::decimal_logarithm: {
      const double by = 1 / std::log(10.0);
      return chain(x, f, by / v, -by / (v * v));
    }
    case Code::square_root: return chain(x, f, 0.5 / f, -0.25 / (f * v));
    case Code::cube_root: return chain(x, f, 1 / (3 * f * f), -2 / (9 * f * f * v));
    default: return constant_jet(f);
  }
}

Jet look_up(const Table& table, const Jet& x) noexcept {
  const TableValue at = value_of(table, x.value);
  return chain(x, at.value, at.slope, at.curvature);
}

Jet look_up(const Surface& surface, const Jet& x, const Jet& y) noexcept {
  const SurfaceValue at = value_of(surface, x.value, y.value);
  return {at.value, at.along_x * x.rate + at.along_y * y.rate,
          at.along_x * x.acceleration + at.along_y * y.acceleration + 2 * at.mixed * x.rate * y.rate};
}

}  // namespace polyform::host::inline expressions
