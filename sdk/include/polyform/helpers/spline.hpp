// Curves through points: straight lines, and cubic splines with continuous second derivatives, natural or periodic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// A curve through the points (x_k, y_k) with x increasing. Outside of its points it goes on as a straight line with
/// the slope of its end. The last point of a periodic curve is the first, one period later.
///
/// With h_k = x_{k+1} − x_k the second derivatives c_k of a spline solve
///   h_{k−1} c_{k−1} + 2 (h_{k−1} + h_k) c_k + h_k c_{k+1} = 6 ((y_{k+1} − y_k)/h_k − (y_k − y_{k−1})/h_{k−1})
/// (de Boor, A Practical Guide to Splines, ch. IV). For straight lines they are zero.
class Spline {
 public:
  enum class Kind { linear, natural, periodic };

  Spline() = default;
  /// It needs two points at least; a periodic one needs four, with the last y equal to the first. Throws
  /// std::bad_alloc.
  Spline(std::span<const double> x, std::span<const double> y, Kind kind)
      : x_(x.begin(), x.end()), y_(y.begin(), y.end()), c_(x.size(), 0.0), periodic_(kind == Kind::periodic) {
    if (kind == Kind::natural && x.size() > 2) make_natural();
    if (kind == Kind::periodic) make_periodic();
  }

  struct Point {
    double value, slope, curvature;
  };
  Point at(double x) const noexcept { return at(x_, y_, c_, periodic_, x); }
  /// The value of a spline whose numbers are kept elsewhere: its points x and y, and the second derivatives c there.
  static Point at(std::span<const double> x, std::span<const double> y, std::span<const double> c, bool periodic,
                  double where) noexcept {
    const double begin = x.front(), end = x.back();
    if (periodic) where -= (end - begin) * std::floor((where - begin) / (end - begin));
    const std::size_t k = part_of(x, where);
    const double h = x[k + 1] - x[k], s = (y[k + 1] - y[k]) / h, c0 = c[k], c1 = c[k + 1];
    if (!periodic && where < begin) {
      const double slope = s - h / 6 * (2 * c0 + c1);
      return {y.front() + slope * (where - begin), slope, 0};
    }
    if (!periodic && where > end) {
      const double slope = s + h / 6 * (c0 + 2 * c1);
      return {y.back() + slope * (where - end), slope, 0};
    }
    const double b = (where - x[k]) / h, a = 1 - b;
    return {a * y[k] + b * y[k + 1] + h * h / 6 * ((a * a * a - a) * c0 + (b * b * b - b) * c1),
            s + h / 6 * ((3 * b * b - 1) * c1 - (3 * a * a - 1) * c0), a * c0 + b * c1};
  }
  /// ∫ y dx from the first point to x, for a curve that is not periodic.
  double integral(double x) const noexcept {
    const double begin = x_.front(), end = x_.back();
    if (x < begin) return (x - begin) * 0.5 * (y_.front() + at(x).value);
    double sum = 0;
    const std::size_t last = part_of(x_, x);
    for (std::size_t k = 0; k < last; ++k) sum += integral_of_part(k, 1);
    if (x <= end) return sum + integral_of_part(last, (x - x_[last]) / (x_[last + 1] - x_[last]));
    return sum + integral_of_part(last, 1) + (x - end) * 0.5 * (y_.back() + at(x).value);
  }

  std::span<const double> knots() const noexcept { return x_; }
  std::span<const double> curvatures() const noexcept { return c_; }

 private:
  static std::size_t part_of(std::span<const double> x, double where) noexcept {
    const auto above = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), where) - x.begin());
    return above == 0 ? 0 : std::min(above - 1, x.size() - 2);
  }
  /// The integral from x_k on, over the share b of the part.
  double integral_of_part(std::size_t k, double b) const noexcept {
    const double h = x_[k + 1] - x_[k], a = 1 - b, a2 = a * a, b2 = b * b;
    return h * ((b - 0.5 * b2) * y_[k] + 0.5 * b2 * y_[k + 1] +
                h * h / 6 * (c_[k] * (-0.25 * a2 * a2 + 0.5 * a2 - 0.25) + c_[k + 1] * (0.25 * b2 * b2 - 0.5 * b2)));
  }
  double slope_of_part(std::size_t k) const { return (y_[k + 1] - y_[k]) / (x_[k + 1] - x_[k]); }
  void make_natural() {
    const std::size_t n = x_.size();
    std::vector<double> d, e, right;
    for (std::size_t k = 1; k + 1 < n; ++k) {
      d.push_back(2 * (x_[k + 1] - x_[k - 1]));
      e.push_back(x_[k + 1] - x_[k]);
      right.push_back(6 * (slope_of_part(k) - slope_of_part(k - 1)));
    }
    solve(d, e, right);
    std::copy(right.begin(), right.end(), c_.begin() + 1);
  }
  /// Takes the corner of the matrix out as γ w wᵀ with w = (1, 0, …, 0, corner/γ): the formula of Sherman and Morrison.
  void make_periodic() {
    const std::size_t n = x_.size() - 1;
    const auto h = [&](std::size_t k) { return x_[k + 1] - x_[k]; };
    std::vector<double> d, e, right, z(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t before = k == 0 ? n - 1 : k - 1;
      d.push_back(2 * (h(before) + h(k)));
      e.push_back(h(k));
      right.push_back(6 * (slope_of_part(k) - slope_of_part(before)));
    }
    const double gamma = -d[0], last = h(n - 1) / gamma;
    d[0] -= gamma;
    d[n - 1] -= gamma * last * last;
    z[0] = gamma;
    z[n - 1] = gamma * last;
    solve(d, e, right);
    solve(d, e, z);
    const double share = (right[0] + last * right[n - 1]) / (1 + z[0] + last * z[n - 1]);
    for (std::size_t k = 0; k < n; ++k) c_[k] = right[k] - share * z[k];
    c_[n] = c_[0];
  }
  /// A symmetric tridiagonal system: diagonal d, sides e_k between k and k + 1; right sides in, solution out.
  static void solve(std::vector<double> d, std::span<const double> e, std::span<double> r) {
    const std::size_t n = d.size();
    for (std::size_t k = 1; k < n; ++k) {
      const double ratio = e[k - 1] / d[k - 1];
      d[k] -= ratio * e[k - 1];
      r[k] -= ratio * r[k - 1];
    }
    r[n - 1] /= d[n - 1];
    for (std::size_t k = n - 1; k-- > 0;) r[k] = (r[k] - e[k] * r[k + 1]) / d[k];
  }

  std::vector<double> x_, y_, c_;
  bool periodic_ = false;
};

}  // namespace polyform
