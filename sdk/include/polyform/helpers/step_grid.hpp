// Where steps of a fixed length end.
#pragma once

#include <cmath>
#include <cstddef>

namespace polyform {

/// Step ends origin + n h, as products and not as running sums. An instant that lies nearer to one of them than `share`
/// of a step is that end, so that no tiny step is left.
class StepGrid {
 public:
  /// step: h, s.
  explicit StepGrid(double step) : h_(step) {}
  void start(double t) noexcept {
    origin_ = t;
    index_ = 0;
  }
  /// After a restart at t the grid stays.
  void restart(double t) noexcept { index_ = static_cast<std::size_t>(std::floor((t - origin_) / h_ + share)); }
  /// Where the next step ends, at the limit at the latest.
  double end(double limit) const noexcept { return next() < limit - share * h_ ? next() : limit; }
  /// To be called with the end of a step that is done.
  void reach(double end) noexcept {
    if (end >= next() - share * h_) ++index_;
  }
  double step() const noexcept { return h_; }

 private:
  static constexpr double share = 1e-9;
  double next() const noexcept { return origin_ + static_cast<double>(index_ + 1) * h_; }

  double h_, origin_ = 0;
  std::size_t index_ = 0;  ///< of the last end that was reached
};

}  // namespace polyform
