#include "framework/host/expressions/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline expressions {

namespace {

/// The row i with x_i ≤ x < x_{i+1}, of the first ones that have a next.
std::size_t row_before(const std::vector<double>& rows, double x) noexcept {
  const auto next = std::upper_bound(rows.begin() + 1, rows.end() - 1, x);
  return static_cast<std::size_t>(next - rows.begin()) - 1;
}

double in_period(const Table& table, double x) noexcept {
  const double period = table.x.back() - table.x.front();
  return x - period * std::floor((x - table.x.front()) / period);
}

/// Solves the tridiagonal system in place: `right` becomes the solution.
void solve(const std::vector<double>& low, std::vector<double> middle, const std::vector<double>& high,
           std::vector<double>& right) {
  for (std::size_t i = 1; i < middle.size(); ++i) {
    const double by = low[i] / middle[i - 1];
    middle[i] -= by * high[i - 1];
    right[i] -= by * right[i - 1];
  }
  for (std::size_t i = middle.size(); i-- > 0;)
    right[i] = (right[i] - (i + 1 < middle.size() ? high[i] * right[i + 1] : 0)) / middle[i];
}

/// h₀ x″₋ + 2 (h₀ + h₁) x″ + h₁ x″₊ = 6 ((x₊ − x)/h₁ − (x − x₋)/h₀), around the circle: a tridiagonal matrix and two
/// corners, by the formula of Sherman and Morrison.
void periodic_spline(Table& table) {
  const std::size_t n = table.x.size() - 1;  // the last row is the first
  table.second.assign(n + 1, 0);
  if (n < 3) {
    if (n < 2) return;
    // Two intervals: both equations have the same two unknowns, x″ of row 0 and of row 1.
    const double h0 = table.x[1] - table.x[0], h1 = table.x[2] - table.x[1];
    const double bend = 6 * ((table.y[2] - table.y[1]) / h1 - (table.y[1] - table.y[0]) / h0);
    const double sum = h0 + h1;  // 2 s a + s b = −bend, s a + 2 s b = bend
    table.second = {-bend / sum, bend / sum, -bend / sum};
    return;
  }
  const auto h = [&](std::size_t i) { return table.x[i + 1] - table.x[i]; };
  std::vector<double> low(n), middle(n), high(n), right(n), corner(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? n - 1 : i - 1;
    low[i] = h(before);
    high[i] = h(i);
    middle[i] = 2 * (low[i] + high[i]);
    right[i] = 6 * ((table.y[i + 1] - table.y[i]) / h(i) - (table.y[before + 1] - table.y[before]) / h(before));
  }
  const double gamma = -middle[0], top = low[0], bottom = high[n - 1];
  middle[0] -= gamma;
  middle[n - 1] -= top * bottom / gamma;
  corner[0] = gamma;
  corner[n - 1] = bottom;
  solve(low, middle, high, right);
  solve(low, middle, high, corner);
  const double by = (right[0] + top / gamma * right[n - 1]) / (1 + corner[0] + top / gamma * corner[n - 1]);
  for (std::size_t i = 0; i < n; ++i) table.second[i] = right[i] - by * corner[i];
  table.second[n] = table.second[0];
}

}  // namespace

void make_spline(Table& table) {
  if (table.periodic) return periodic_spline(table);
  const std::size_t n = table.x.size();
  table.second.assign(n, 0);
  if (n < 3) return;
  std::vector<double> low(n - 2), middle(n - 2), high(n - 2), right(n - 2);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    low[i - 1] = table.x[i] - table.x[i - 1];
    high[i - 1] = table.x[i + 1] - table.x[i];
    middle[i - 1] = 2 * (low[i - 1] + high[i - 1]);
    right[i - 1] = 6 * ((table.y[i + 1] - table.y[i]) / high[i - 1] - (table.y[i] - table.y[i - 1]) / low[i - 1]);
  }
  solve(low, middle, high, right);
  std::copy(right.begin(), right.end(), table.second.begin() + 1);
}

TableValue value_of(const Table& table, double x) noexcept {
  if (std::isnan(x)) return {x, x, x};
  if (table.x.size() < 2) return {table.y.front(), 0, 0};
  if (table.periodic)
    x = in_period(table, x);
  else if (x < table.x.front())
    return {table.y.front(), 0, 0};
  else if (x >= table.x.back())
    return {table.y.back(), 0, 0};
  const std::size_t i = row_before(table.x, x);
  const double h = table.x[i + 1] - table.x[i], slope = (table.y[i + 1] - table.y[i]) / h;
  if (table.second.empty()) return {table.y[i] + slope * (x - table.x[i]), slope, 0};
  const double a = (table.x[i + 1] - x) / h, b = (x - table.x[i]) / h;
  const double left = table.second[i], right = table.second[i + 1];
  return {a * table.y[i] + b * table.y[i + 1] + ((a * a * a - a) * left + (b * b * b - b) * right) * h * h / 6,
          slope + ((3 * b * b - 1) * right - (3 * a * a - 1) * left) * h / 6, a * left + b * right};
}

double row_number(const Table& table, double x) noexcept {
  if (std::isnan(x)) return x;
  if (table.x.size() < 2) return std::clamp(x - table.x.front(), -0.5, 0.5);
  double turns = 0;
  if (table.periodic) {
    const double place = in_period(table, x);
    turns = std::round((x - place) / (table.x.back() - table.x.front())) * static_cast<double>(table.x.size() - 1);
    x = place;
  }
  const std::size_t i = row_before(table.x, x);
  const double row = static_cast<double>(i) + (x - table.x[i]) / (table.x[i + 1] - table.x[i]);
  // Beyond its ends a table has no rows: half a row is the farthest.
  if (!table.periodic) return std::clamp(row, -0.5, static_cast<double>(table.x.size()) - 0.5);
  return turns + row;
}

SurfaceValue value_of(const Surface& s, double x, double y) noexcept {
  if (std::isnan(x) || std::isnan(y)) return {x + y, x + y, x + y, x + y};
  const double px = std::clamp(x, s.x.front(), s.x.back()), py = std::clamp(y, s.y.front(), s.y.back());
  const std::size_t i = row_before(s.x, px), j = row_before(s.y, py), n = s.y.size();
  const double hx = s.x[i + 1] - s.x[i], hy = s.y[j + 1] - s.y[j];
  const double a = (px - s.x[i]) / hx, b = (py - s.y[j]) / hy;
  const double z00 = s.z[i * n + j], z01 = s.z[i * n + j + 1], z10 = s.z[(i + 1) * n + j],
               z11 = s.z[(i + 1) * n + j + 1];
  const bool inside_x = px == x, inside_y = py == y;
  return {(1 - a) * ((1 - b) * z00 + b * z01) + a * ((1 - b) * z10 + b * z11),
          inside_x ? ((1 - b) * (z10 - z00) + b * (z11 - z01)) / hx : 0,
          inside_y ? ((1 - a) * (z01 - z00) + a * (z11 - z10)) / hy : 0,
          inside_x && inside_y ? (z00 - z01 - z10 + z11) / (hx * hy) : 0};
}

}  // namespace polyform::host::inline expressions
