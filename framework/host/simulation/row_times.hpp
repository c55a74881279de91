// The times at which a run writes its rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::host::inline simulation {

/// Times of rows are sums of steps, or products of an interval. Two that differ by this part of the time are one.
inline constexpr double rounding_of_row_times = 1e-12;

/// The times of the rows: at products of the interval, or one by one as they are asked for. A run that starts at a
/// product has the later ones, to the last digit those of a run from 0; any other has products counted from its start.
class RowTimes {
 public:
  static constexpr double rounding = 1e-15;  ///< of a quotient of two times

  explicit RowTimes(const RunSettings& s) : start_(s.start_time), end_(s.end_time()), interval_(s.output_interval) {
    constexpr double rounding_of_start = 1e-9;  // part of an interval
    const double before = std::round(start_ / interval_);
    if (start_ > 0 && std::abs(start_ - before * interval_) <= rounding_of_start * interval_) before_ = before;
    // A last product that differs from the end by rounding only is the end itself.
    products_ = static_cast<std::size_t>(std::ceil(s.duration / interval_ * (1 - rounding)));
    if (before_ > 0) products_ = static_cast<std::size_t>(std::ceil(end_ / interval_ * (1 - rounding)) - before_);
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
    if (next_ >= products_) return end_;
    if (next_ == 0) return start_;
    return before_ > 0 ? (before_ + static_cast<double>(next_)) * interval_
                       : start_ + static_cast<double>(next_) * interval_;
  }
  /// Rows up to t are there already.
  void begin_from(double t) {
    while (next_ <= products_ && next() <= t * (1 + rounding_of_row_times)) ++next_;
  }
  void advance() {
    ++next_;
    asked_ = none;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  double start_, end_, interval_;
  double before_ = 0;                ///< products up to the start, where it is one
  std::size_t products_, next_ = 0;  ///< rows at products before the end
  bool on_demand_ = false;
  double asked_ = none;
};

}  // namespace polyform::host::simulation
