// When a run writes its rows.
#pragma once

#include <cmath>
#include <cstddef>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::host::inline simulation {

/// The times of the rows.
class RowTimes {
 public:
  static constexpr double rounding = 1e-15;  ///< of a quotient of two times

  explicit RowTimes(const RunSettings& s) : duration_(s.duration), interval_(s.output_interval) {
    // A last product that differs from the duration by rounding only is the end itself.
    products_ = static_cast<std::size_t>(std::ceil(duration_ / interval_ * (1 - rounding)));
  }
  bool done() const { return next_ > products_; }
  double next() const { return next_ < products_ ? static_cast<double>(next_) * interval_ : duration_; }
  void advance() { ++next_; }

 private:
  double duration_, interval_;
  std::size_t products_, next_ = 0;  ///< rows at products before the end
};

}  // namespace polyform::host::simulation
