#include "time_scale.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::implicit {

namespace {

double largest_of(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

TimeScale::TimeScale(FirstOrderSystem& system)
    : system_(system), states_(system.size() - system.integrals()), direction_(states_), moved_(system.size()),
      rate_(system.size()), moved_rate_(system.size()) {}

/// Some direction that no symmetry of a system is at right angles to.
void TimeScale::start() noexcept {
  for (std::size_t i = 0; i < states_; ++i) direction_[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i * i + 1));
}

/// direction_ ← J direction_.
bool TimeScale::apply(double t, std::span<const double> y) noexcept {
  const double size = largest_of(direction_);
  if (!(size > 0) || !std::isfinite(size)) return false;
  const double by = 1e-7 * (1 + largest_of(y.first(states_))) / size;
  std::ranges::copy(y, moved_.begin());
  for (std::size_t i = 0; i < states_; ++i) moved_[i] += by * direction_[i];
  if (system_.derivative(t, moved_, moved_rate_) != Status::ok) return false;
  for (std::size_t i = 0; i < states_; ++i) direction_[i] = (moved_rate_[i] - rate_[i]) / by;
  return true;
}

double TimeScale::measure(double t, std::span<const double> y) noexcept {
  if (states_ == 0 || system_.derivative(t, y, rate_) != Status::ok) return 0;
  const double before = largest_of(direction_);
  if (!apply(t, y) || !apply(t, y)) {
    start();
    return 0;
  }
  const double after = largest_of(direction_), square = after / before;
  if (!(after > 0) || !std::isfinite(square)) {
    start();
    return 0;
  }
  for (double& x : direction_) x /= after;
  return std::sqrt(square);
}

}  // namespace polyform::implicit
