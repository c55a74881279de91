// Bounds of the values of an expression while its inputs go through ranges.
#pragma once

#include "framework/host/expressions/scalar.hpp"

namespace polyform::host::inline expressions {

struct Interval {
  double low = 0, high = low;
  Interval() = default;
  Interval(double value) : low(value), high(value) {}
  Interval(double from, double to) : low(from), high(to) {}
  bool is_point() const { return low == high; }
};

Interval binary(Code, const Interval& a, const Interval& b) noexcept;
Interval unary(Code, const Interval&) noexcept;
Interval choose(const Interval& condition, const Interval& yes, const Interval& no) noexcept;
Interval look_up(const Table&, const Interval& x) noexcept;
Interval knot_of(const Table&, const Interval& x) noexcept;
Interval look_up(const Surface&, const Interval& x, const Interval& y) noexcept;

}  // namespace polyform::host::inline expressions
