#include "framework/host/expressions/interval.hpp"

#include <numbers>

namespace polyform::host::inline expressions {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const Interval everything{-infinite, infinite};

/// The interval, made wider by the rounding of its ends.
Interval rounded(double low, double high) noexcept {
  if (std::isnan(low) || std::isnan(high)) return everything;
  constexpr double part = 8 * std::numeric_limits<double>::epsilon();
  constexpr double largest = std::numeric_limits<double>::max();
  return {low == infinite ? largest : low - part * std::abs(low),
          high == -infinite ? -largest : high + part * std::abs(high)};
}

Interval hull(const Interval& a, const Interval& b) noexcept {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// 0 times infinity is 0 here: bounds of a product with a factor that is 0.
double times(double a, double b) noexcept { return a == 0 || b == 0 ? 0 : a * b; }

Interval product(const Interval& a, const Interval& b) noexcept {
  const double all[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  return rounded(*std::min_element(all, all + 4), *std::max_element(all, all + 4));
}

template <class F>
Interval rising(const F& f, const Interval& x, double from = -infinite, double to = infinite) noexcept {
  if (x.high < from || x.low > to) return everything;
  return rounded(f(std::max(x.low, from)), f(std::min(x.high, to)));
}

/// The range of sin(x), which needs to know whether x contains π/2 + 2πk, and −π/2 + 2πk.
Interval sine_of(const Interval& x) noexcept {
  constexpr double turn = 2 * std::numbers::pi;
  if (!(x.high - x.low < turn) || std::abs(x.low) > 1e15) return {-1, 1};
  const auto holds = [&](double place) {
    return std::floor((x.high - place) / turn) > std::floor((x.low - place) / turn);
  };
  const double a = std::sin(x.low), b = std::sin(x.high);
  Interval out = rounded(std::min(a, b) - 1e-15, std::max(a, b) + 1e-15);
  if (holds(std::numbers::pi / 2)) out.high = 1;
  if (holds(-std::numbers::pi / 2)) out.low = -1;
  return out;
}

Interval power_of(const Interval& a, const Interval& b) noexcept {
  if (b.is_point() && b.low == std::floor(b.low) && b.low > 0 && b.low < 1e6) {
    const double p = b.low, low = std::pow(a.low, p), high = std::pow(a.high, p);
    if (std::fmod(p, 2) != 0) return rounded(low, high);
    if (a.low > 0 || a.high < 0) return rounded(std::min(low, high), std::max(low, high));
    return rounded(0, std::max(low, high));
  }
  if (!(a.low > 0)) return everything;
  const double all[] = {std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low),
                        std::pow(a.high, b.high)};
  return rounded(*std::min_element(all, all + 4), *std::max_element(all, all + 4));
}

Interval truth(bool surely, bool never_so) noexcept {
  return surely ? Interval(1) : never_so ? Interval(0) : Interval(0, 1);
}

}  // namespace

Interval binary(Code code, const Interval& a, const Interval& b) noexcept {
  switch (code) {
    case Code::add: return rounded(a.low + b.low, a.high + b.high);
    case Code::subtract: return rounded(a.low - b.high, a.high - b.low);
    case Code::multiply: return product(a, b);
    case Code::divide:
      if (b.low <= 0 && b.high >= 0) return everything;
      return product(a, rounded(1 / b.high, 1 / b.low));
    case Code::power: return power_of(a, b);
    case Code::arc_tangent2:
      if (b.low > 0) return unary(Code::arc_tangent, binary(Code::divide, a, b));
      return {-std::numbers::pi, std::numbers::pi};
    case Code::hypotenuse: {
      const Interval x = unary(Code::absolute, a), y = unary(Code::absolute, b);
      return rounded(std::hypot(x.low, y.low), std::hypot(x.high, y.high));
    }
    case Code::minimum: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Code::maximum: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Code::less: return truth(a.high < b.low, a.low >= b.high);
    case Code::less_equal: return truth(a.high <= b.low, a.low > b.high);
    case Code::equal: return truth(a.is_point() && b.is_point() && a.low == b.low, a.high < b.low || b.high < a.low);
    case Code::conjunction: return {std::min(a.low, b.low) > 0 ? 1.0 : 0.0, a.high == 0 || b.high == 0 ? 0.0 : 1.0};
    case Code::disjunction: return {std::max(a.low, b.low) > 0 ? 1.0 : 0.0, a.high == 0 && b.high == 0 ? 0.0 : 1.0};
    default: return everything;
  }
}

Interval unary(Code code, const Interval& x) noexcept {
  const auto f = [code](double at) { return unary(code, at); };
  switch (code) {
    case Code::negate: return {-x.high, -x.low};
    case Code::invert: return truth(x.low == 0 && x.high == 0, x.low > 0 || x.high < 0);
    case Code::absolute:
      if (x.low >= 0) return x;
      if (x.high <= 0) return {-x.high, -x.low};
      return {0, std::max(-x.low, x.high)};
    case Code::sign:
    case Code::step:
    case Code::floor: return {f(x.low), f(x.high)};
    case Code::sine: return sine_of(x);
    case Code::cosine: return sine_of(binary(Code::add, x, std::numbers::pi / 2));
    case Code::tangent: {
      const Interval c = unary(Code::cosine, x);
      if (c.low <= 0 && c.high >= 0) return everything;
      return rounded(std::tan(x.low), std::tan(x.high));
    }
    case Code::arc_sine: return rising(f, x, -1, 1);
    case Code::arc_cosine: {
      const Interval s = rising([](double at) { return -std::acos(at); }, x, -1, 1);
      return {-s.high, -s.low};
    }
    case Code::arc_tangent:
    case Code::hyperbolic_sine:
    case Code::hyperbolic_tangent:
    case Code::area_sine:
    case Code::exponential:
    case Code::cube_root: return rising(f, x);
    case Code::hyperbolic_cosine: {
      const Interval a = unary(Code::absolute, x);
      return rounded(std::cosh(a.low), std::cosh(a.high));
    }
    case Code::area_cosine: return rising(f, x, 1);
    case Code::area_tangent:
      if (x.low <= -1 || x.high >= 1) return everything;
      return rising(f, x);
    case Code::logarithm:
    case Code::decimal_logarithm:
      if (x.high <= 0) return everything;
      return {x.low <= 0 ? -infinite : rounded(f(x.low), f(x.low)).low, rounded(f(x.high), f(x.high)).high};
    case Code::square_root: return rising(f, x, 0);
    default: return everything;
  }
}

Interval choose(const Interval& condition, const Interval& yes, const Interval& no) noexcept {
  if (condition.low > 0 || condition.high < 0) return yes;
  if (condition.low == 0 && condition.high == 0) return no;
  return hull(yes, no);
}

Interval look_up(const Table& table, const Interval& x) noexcept {
  double low = *std::ranges::min_element(table.y), high = *std::ranges::max_element(table.y);
  // A spline leaves the range of its rows by h² x″/8 at most.
  double bend = 0, width = 0;
  for (const double second : table.second) bend = std::max(bend, std::abs(second));
  for (std::size_t i = 1; i < table.x.size(); ++i) width = std::max(width, table.x[i] - table.x[i - 1]);
  low -= bend * width * width / 8;
  high += bend * width * width / 8;
  // The slope gives better bounds near one place.
  const double middle = x.low + (x.high - x.low) / 2;
  if (std::isfinite(middle)) {
    double slope = 0;
    for (std::size_t i = 1; i < table.x.size(); ++i)
      slope = std::max(slope, std::abs(table.y[i] - table.y[i - 1]) / (table.x[i] - table.x[i - 1]));
    const double reach = (slope + bend * width) * (x.high - x.low) / 2, value = look_up(table, middle);
    low = std::max(low, value - reach);
    high = std::min(high, value + reach);
  }
  return rounded(low, high);
}

Interval knot_of(const Table& table, const Interval& x) noexcept {
  if (!std::isfinite(x.low) || !std::isfinite(x.high)) {
    if (table.periodic) return {-1, 1};
    const double low = std::isfinite(x.low) ? row_number(table, x.low) : -0.5;
    const double high = std::isfinite(x.high) ? row_number(table, x.high) : static_cast<double>(table.x.size()) - 0.5;
    return sine_of({std::numbers::pi * low, std::numbers::pi * high});
  }
  return sine_of({std::numbers::pi * row_number(table, x.low), std::numbers::pi * row_number(table, x.high)});
}

Interval look_up(const Surface& s, const Interval&, const Interval&) noexcept {
  return {*std::ranges::min_element(s.z), *std::ranges::max_element(s.z)};
}

}  // namespace polyform::host::inline expressions
