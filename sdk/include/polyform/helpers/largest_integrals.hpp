// How large the integrals of a system have been, for their tolerances.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/integral_sizes.hpp"
#include "polyform/contract/integrator.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform {

/// The largest absolute value of each integral since a start, or the size that it counts as at least.
class LargestIntegrals {
 public:
  /// part: of the sizes that integrals count as at least, which counts here; for a method whose own tolerances are
  /// coarser than those that it was told.
  explicit LargestIntegrals(FirstOrderSystem& system, double part = 1)
      : sizes_(ask<IntegralSizes>(system)),
        part_(part),
        first_(system.size() - system.integrals()),
        largest_(system.integrals()) {}

  /// A start at y.
  void begin(double t, std::span<const double> y) noexcept {
    std::ranges::fill(largest_, 0.0);
    if (sizes_ != nullptr && !largest_.empty()) sizes_->least_sizes(t, y, largest_);
    for (double& size : largest_) size *= part_;
    see(y);
  }
  /// A state that a step or a restart has led to.
  void see(std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < largest_.size(); ++i) largest_[i] = std::max(largest_[i], std::abs(y[first_ + i]));
  }
  /// Of integral number i, counted from the first one.
  double operator[](std::size_t i) const noexcept { return largest_[i]; }

 private:
  IntegralSizes* sizes_;  ///< of the system, or none
  double part_;
  std::size_t first_;  ///< integral among the states
  std::vector<double> largest_;
};

}  // namespace polyform
