#include "framework/workbench/studies/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline studies {

namespace {

/// Times of rows that differ by no more than this part of the interval are one.
constexpr double one_row = 1e-9;

}  // namespace

TrajectorySink::TrajectorySink(const System& system, const Columns& columns, double interval, double duration)
    : rows_(system, columns), interval_(interval), duration_(duration) {}

void TrajectorySink::row(double time, const Observation& now) {
  const std::span<const double> values = rows_.make(time, now, work_);
  const double early = one_row * interval_;
  const bool at_end = !ended_ && time >= duration_ - early;
  if (time < next_ * interval_ - early && !at_end) return;
  next_ = std::max(next_, std::floor((time + early) / interval_) + 1);
  ended_ = ended_ || at_end;
  values_.insert(values_.end(), values.begin(), values.end());
}

double largest_difference(const TrajectorySink& a, const TrajectorySink& b, std::size_t column) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const std::size_t width = a.channels().size();
  const std::vector<double>&x = a.values(), &y = b.values();
  if (b.channels().size() != width || x.size() != y.size()) return none;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); i += width) {
    if (std::abs(x[i] - y[i]) > one_row * std::max(1.0, std::abs(x[i]))) return none;
    const double difference = std::abs(x[i + column] - y[i + column]);
    if (std::isnan(difference)) return none;
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace polyform::host::inline studies
