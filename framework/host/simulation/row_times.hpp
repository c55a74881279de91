// The times at which a run writes its rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::host::inline simulation {

/// The times of the rows: at products of the interval, or one by one as they are asked for.
class RowTimes {
 public:
  static constexpr double rounding = 1e-15;  ///< of a quotient of two times

  explicit RowTimes(const RunSettings& s) : duration_(s.duration), interval_(s.output_interval) {
    // A last product that differs from the duration by rounding only is the end itself.
    products_ = static_cast<std::size_t>(std::ceil(duration_ / interval_ * (1 - rounding)));
  }
  /// From now on there is only the row at t, after the last one.
  void ask(double t) {
    on_demand_ = true;
    asked_ = t;
  }
  bool on_demand() const { return on_demand_; }
  bool done() const { return on_demand_ ? asked_ == none : next_ > products_; }
  double next() const {
    if (on_demand_) return asked_;
    return next_ < products_ ? static_cast<double>(next_) * interval_ : duration_;
  }
  /// Rows up to t are there already.
  void begin_from(double t) {
    constexpr double rounding_of_time = 1e-12;  // of a time that sums of steps give
    while (next_ <= products_ && next() <= t * (1 + rounding_of_time)) ++next_;
  }
  void advance() {
    ++next_;
    asked_ = none;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  double duration_, interval_;
  std::size_t products_, next_ = 0;  ///< rows at products before the end
  bool on_demand_ = false;
  double asked_ = none;
};

}  // namespace polyform::host::simulation
