// Numbers with their first two derivatives in time.
#pragma once

#include "framework/host/expressions/scalar.hpp"

namespace polyform::host::inline expressions {

struct Jet {
  double value = 0, rate = 0, acceleration = 0;
};

/// f(x) from f, f′ and f″ at x.
inline Jet chain(const Jet& x, double f, double f1, double f2) noexcept {
  // What stands still has no rate, also where the slope is infinite.
  const double bend = x.rate == 0 ? 0 : f2 * x.rate * x.rate;
  return {f, x.rate == 0 ? 0 : f1 * x.rate, bend + (x.acceleration == 0 ? 0 : f1 * x.acceleration)};
}
inline Jet constant_jet(double value) noexcept { return {value, 0, 0}; }
inline Jet product(const Jet& a, const Jet& b) noexcept {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration};
}

Jet binary(Code, const Jet& a, const Jet& b) noexcept;
Jet unary(Code, const Jet&) noexcept;
inline Jet choose(const Jet& condition, const Jet& yes, const Jet& no) noexcept {
  if (std::isnan(condition.value)) return {no_number, no_number, no_number};
  return condition.value != 0 ? yes : no;
}
Jet look_up(const Table&, const Jet& x) noexcept;
inline Jet knot_of(const Table& table, const Jet& x) noexcept { return constant_jet(knot_of(table, x.value)); }
Jet look_up(const Surface&, const Jet& x, const Jet& y) noexcept;

}  // namespace polyform::host::inline expressions
