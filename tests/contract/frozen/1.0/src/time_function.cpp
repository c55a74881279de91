#include "polyform/contract/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace polyform {

namespace {

using Value = TimeFunction::Value;

/// Horner's scheme for the value and both derivatives.
Value polynomial(std::span<const double> c, double t) {
  Value p{0, 0, 0};
  for (std::size_t i = c.size(); i-- > 0;) {
    p.acceleration = p.acceleration * t + 2 * p.rate;
    p.rate = p.rate * t + p.value;
    p.value = p.value * t + c[i];
  }
  return p;
}

Value ramp(const TimeFunction& f, double t) {
  if (t < f.start) return {0, 0, 0};
  if (t < f.end) return {f.rate * (t - f.start), f.rate, 0};
  return {f.rate * (f.end - f.start), 0, 0};
}

Value sine(const TimeFunction& f, double t) {
  const double w = 2 * std::numbers::pi * f.frequency;
  const double s = f.amplitude * std::sin(w * t + f.phase), c = f.amplitude * std::cos(w * t + f.phase);
  return {f.offset + s, w * c, -w * w * s};
}

/// Numbers per row of a table: t, x and, of a spline, x″.
std::size_t stride_of(TimeFunction::Kind kind) { return kind == TimeFunction::Kind::cubic_table ? 3 : 2; }

/// Rows of `stride` numbers that begin with t and x. The row i with t_i ≤ t < t_{i+1}; t lies inside the table.
std::size_t row_of(std::span<const double> data, std::size_t stride, double t) {
  std::size_t low = 0, high = data.size() / stride - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (data[stride * middle] <= t ? low : high) = middle;
  }
  return low;
}

Value linear(const double* row, double t) {
  const double slope = (row[3] - row[1]) / (row[2] - row[0]);
  return {row[1] + slope * (t - row[0]), slope, 0};
}

/// The cubic between two rows t, x, x″, with a = (t₊ − t)/h and b = (t − t₋)/h:
/// x = a x₋ + b x₊ + ((a³ − a) x″₋ + (b³ − b) x″₊) h²/6.
Value cubic(const double* row, double t) {
  const double h = row[3] - row[0];
  const double a = (row[3] - t) / h, b = (t - row[0]) / h;
  const double left = row[2], right = row[5];
  return {a * row[1] + b * row[4] + ((a * a * a - a) * left + (b * b * b - b) * right) * h * h / 6,
          (row[4] - row[1]) / h + ((3 * b * b - 1) * right - (3 * a * a - 1) * left) * h / 6, a * left + b * right};
}

Value table(std::span<const double> data, std::size_t stride, double t) {
  const std::size_t rows = data.size() / stride;
  if (rows == 0) return {0, 0, 0};
  if (!(t >= data[0])) return {data[1], 0, 0};
  const double* last = data.data() + stride * (rows - 1);
  if (t >= last[0]) return {last[1], 0, 0};
  const double* row = data.data() + stride * row_of(data, stride, t);
  return stride == 2 ? linear(row, t) : cubic(row, t);
}

}  // namespace

TimeFunction::Value TimeFunction::operator()(double t) const noexcept {
  switch (kind) {
    case Kind::constant: return {constant, 0, 0};
    case Kind::polynomial: return polynomial(data, t);
    case Kind::ramp: return ramp(*this, t);
    case Kind::sine: return sine(*this, t);
    case Kind::linear_table:
    case Kind::cubic_table: return table(data, stride_of(kind), t);
    case Kind::other: return source->value(t);
  }
  return {0, 0, 0};
}

double TimeFunction::next_knot(double t) const noexcept {
  constexpr double never = std::numeric_limits<double>::infinity();
  switch (kind) {
    case Kind::constant:
    case Kind::polynomial:
    case Kind::sine: return never;
    case Kind::ramp: return rate == 0 ? never : t < start ? start : t < end ? end : never;
    case Kind::other: return source->next_knot(t);
    case Kind::linear_table:
    case Kind::cubic_table: break;
  }
  const std::size_t stride = stride_of(kind), rows = data.size() / stride;
  if (rows < 2 || t >= data[stride * (rows - 1)]) return never;
  return t < data[0] ? data[0] : data[stride * (row_of(data, stride, t) + 1)];
}

double TimeFunction::shortest_time() const noexcept {
  double shortest = std::numeric_limits<double>::infinity();
  switch (kind) {
    case Kind::constant:
    case Kind::polynomial: break;
    case Kind::other: return source->shortest_time();
    case Kind::sine:
      if (amplitude != 0 && frequency != 0) shortest = 1 / std::abs(frequency);
      break;
    case Kind::ramp:
      if (rate != 0 && end > start) shortest = end - start;
      break;
    case Kind::linear_table:
    case Kind::cubic_table: {
      const std::size_t stride = stride_of(kind);
      for (std::size_t i = stride; i < data.size(); i += stride)
        shortest = std::min(shortest, data[i] - data[i - stride]);
      break;
    }
  }
  return shortest;
}

}  // namespace polyform
