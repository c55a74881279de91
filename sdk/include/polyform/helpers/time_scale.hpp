// The shortest time scale of a system, at the states that a run passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// The largest |eigenvalue| of ∂f/∂y by the power method, one round per measurement: the state hardly changes from one
/// measurement to the next, and the direction converges. A round has two applications, so that a pair of positions and
/// velocities counts by its frequency whatever their units. Nothing allocates after construction.
class TimeScale {
 public:
  /// size: of y, whose last numbers are integrals.
  TimeScale(std::size_t size, std::size_t integrals)
      : states_(size - integrals), direction_(states_), moved_(size), rate_(size), moved_rate_(size) {}

  /// Begins with a direction that is not orthogonal to any motion because of a symmetry.
  void start() noexcept {
    for (std::size_t i = 0; i < states_; ++i) direction_[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i * i + 1));
  }
  /// Largest |eigenvalue| known so far, 1/s. derivative(y, ydot) writes f and tells whether it could; it is called
  /// three times. Zero if f cannot be evaluated.
  template <class Derivative>
  double measure(std::span<const double> y, const Derivative& derivative) noexcept {
    if (states_ == 0 || !derivative(y, std::span(rate_))) return 0;
    const double before = largest_of(direction_);
    const bool applied = apply(y, derivative) && apply(y, derivative);
    const double after = applied ? largest_of(direction_) : 0, square = after / before;
    if (!(after > 0) || !std::isfinite(square)) {
      start();
      return 0;
    }
    for (double& x : direction_) x /= after;
    return std::sqrt(square);
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

  std::size_t states_;
  std::vector<double> direction_, moved_, rate_, moved_rate_;
};

}  // namespace polyform
