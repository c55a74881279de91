// The shortest time scale of a system, at the states that a run passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// The largest |eigenvalue| of ∂f/∂y by the power method, one round per measurement: the state hardly changes from one
/// measurement to the next, and the direction converges. A round moves the direction on by two applications, so that a
/// pair of positions and velocities counts by its frequency whatever their units. What is left of the fastest motion
/// after some rounds has one eigenvalue or a pair of them: the polynomial λ² + p λ + q that the vectors of a round meet
/// best gives it, also where damping makes the pair complex or parts it. Nothing allocates after construction.
class TimeScale {
 public:
  /// size: of y, whose last numbers are integrals.
  TimeScale(std::size_t size, std::size_t integrals)
      : states_(size - integrals), direction_(states_), moved_(size), rate_(size), moved_rate_(size) {
    for (auto& x : powers_) x.resize(states_);
  }

  /// Begins with a direction that is not orthogonal to any motion because of a symmetry.
  void start() noexcept {
    for (std::size_t i = 0; i < states_; ++i) direction_[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i * i + 1));
  }
  /// Largest |eigenvalue| known so far, 1/s. derivative(y, ydot) writes f and tells whether it could; it is called four
  /// times. Zero if f cannot be evaluated.
  template <class Derivative>
  double measure(std::span<const double> y, const Derivative& derivative) noexcept {
    if (states_ == 0 || !derivative(y, std::span(rate_))) return 0;
    bool applied = true;
    for (std::size_t k = 0; k < 3 && applied; ++k) {
      std::ranges::copy(direction_, powers_[k].begin());
      applied = apply(y, derivative);
    }
    const double before = largest_of(powers_[0]), after = applied ? largest_of(powers_[2]) : 0;
    if (!(after > 0) || !std::isfinite(after / before)) {
      start();
      return 0;
    }
    const double rate = fitted(std::sqrt(after / before));
    for (std::size_t i = 0; i < states_; ++i) direction_[i] = powers_[2][i] / after;
    return rate;
  }
  /// The fastest motion known so far, for the states without integrals.
  std::span<const double> direction() const { return direction_; }

 private:
  static double largest_of(std::span<const double> x) {
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    return largest;
  }
  /// direction_ ← ∂f/∂y direction_.
  template <class Derivative>
  bool apply(std::span<const double> y, const Derivative& derivative) noexcept {
    const double size = largest_of(direction_);
    if (!(size > 0) || !std::isfinite(size)) return false;
    const double by = 1e-7 * (1 + largest_of(y.first(states_))) / size;
    std::ranges::copy(y, moved_.begin());
    for (std::size_t i = 0; i < states_; ++i) moved_[i] += by * direction_[i];
    if (!derivative(std::span<const double>(moved_), std::span(moved_rate_))) return false;
    for (std::size_t i = 0; i < states_; ++i) direction_[i] = (moved_rate_[i] - rate_[i]) / by;
    return true;
  }

  /// The larger root of λ² + p λ + q, by the least squares of x₂ + p x₁ + q x₀ and of x₃ + p x₂ + q x₁ of the powers
  /// x of a round, of which direction_ is the last. rate: the unit of λ, about its size.
  double fitted(double rate) const noexcept {
    double a11 = 0, a10 = 0, a00 = 0, b1 = 0, b0 = 0;
    const double by[4] = {1, 1 / rate, 1 / (rate * rate), 1 / (rate * rate * rate)};
    for (std::size_t i = 0; i < states_; ++i) {
      const double x[4] = {by[0] * powers_[0][i], by[1] * powers_[1][i], by[2] * powers_[2][i], by[3] * direction_[i]};
      a11 += x[1] * x[1] + x[2] * x[2];
      a10 += x[1] * x[0] + x[2] * x[1];
      a00 += x[0] * x[0] + x[1] * x[1];
      b1 -= x[1] * x[2] + x[2] * x[3];
      b0 -= x[0] * x[2] + x[1] * x[3];
    }
    // Where one real eigenvalue is left all x are parallel but for the rounding of differences, and the other root
    // means nothing: then the smallest p and q are taken, for which it is the smaller one.
    constexpr double rounding_of_differences = 1e-8;
    const double little = rounding_of_differences * (a11 + a00);
    a11 += little, a00 += little;
    const double determinant = a11 * a00 - a10 * a10;
    const double p = (b1 * a00 - b0 * a10) / determinant, q = (b0 * a11 - b1 * a10) / determinant;
    const double inner = 0.25 * p * p - q;
    const double root = inner < 0 ? std::sqrt(q) : 0.5 * std::abs(p) + std::sqrt(inner);
    return root > 0 && std::isfinite(root) ? root * rate : rate;
  }

  std::size_t states_;
  std::vector<double> powers_[3];  ///< of ∂f/∂y on the direction that a round began with: x₀, x₁, x₂
  std::vector<double> direction_, moved_, rate_, moved_rate_;
};

}  // namespace polyform
