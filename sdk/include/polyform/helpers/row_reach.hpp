// How far a step may go along a table without jumping over anything that the table does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace polyform {

/// The rows of a table, or of several tables over the same places, which the motion passes. An integrator that
/// evaluates a table at the ends of a long step does not see a narrow bump in between. From any place this tells the
/// way on which the table is a straight line, or bends so smoothly that a few values show it, and half a row more:
/// there the integrator sees what begins. Along a straight stretch a step has no bound, in a narrow bump it is a row
/// long.
///
/// Beyond its ends a table is held. Good for EventOutput::guard: way(x, rate > 0) / |rate|.
class RowReach {
 public:
  RowReach() = default;
  /// x: the places of the rows, strictly increasing. y: the values, table after table, each with one for each row.
  /// is_periodic: the last row is one period behind the first and has its values. May throw std::bad_alloc.
  RowReach(std::span<const double> x, std::span<const double> y, bool is_periodic = false) {
    const std::size_t n = x.size();
    if (n < 2 || y.size() < n || !(x.back() > x.front())) return;
    const std::size_t tables = y.size() / n;
    if (is_periodic) period_ = x.back() - x.front();
    first_ = x.front();
    // A period before and one behind, or a row far outside with the value that is held.
    const double aside = x.back() - x.front();
    const auto add = [&](double place, std::size_t row) {
      x_.push_back(place);
      for (std::size_t t = 0; t < tables; ++t) values_.push_back(y[t * n + row]);
    };
    if (is_periodic) {
      for (const double turns : {-1.0, 0.0, 1.0})
        for (std::size_t i = 0; i + 1 < n; ++i) add(x[i] + turns * aside, i);
      add(x.back() + aside, n - 1);
    } else {
      add(x.front() - aside, 0);
      for (std::size_t i = 0; i < n; ++i) add(x[i], i);
      add(x.back() + aside, n - 1);
    }
    tables_ = tables;
    find_ends();
    values_ = {};
  }

  /// The longest way from x in the one direction or the other; infinity if nothing comes there, or x is no number.
  double way(double x, bool forwards) const noexcept {
    if (x_.empty() || !std::isfinite(x)) return without_end;
    if (period_ > 0) x -= period_ * std::floor((x - first_) / period_);
    const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    const auto row = static_cast<std::size_t>(next - x_.begin()) - 1;
    const double end = forwards ? ahead_[row] : behind_[row];
    return std::max(0.0, forwards ? end - x : x - end);
  }
  /// The longest time from x at a rate.
  double time(double x, double rate) const noexcept {
    return rate == 0 || !std::isfinite(rate) ? without_end : way(x, rate > 0) / std::abs(rate);
  }

  /// Whether three values over three places lie on a line, but for rounding.
  static bool straight(double x0, double y0, double x1, double y1, double x2, double y2) noexcept {
    constexpr double rounding = 1e-9;
    const double share = (x1 - x0) / (x2 - x0);
    return std::abs(y1 - (y0 + share * (y2 - y0))) <= rounding * std::max({std::abs(y0), std::abs(y1), std::abs(y2)});
  }

 private:
  static constexpr double without_end = std::numeric_limits<double>::infinity();
  double value(std::size_t row, std::size_t table) const noexcept { return values_[row * tables_ + table]; }

  bool is_straight(std::size_t row) const noexcept {
    for (std::size_t t = 0; t < tables_; ++t)
      if (!straight(x_[row - 1], value(row - 1, t), x_[row], value(row, t), x_[row + 1], value(row + 1, t)))
        return false;
    return true;
  }

  /// Whether the rows from one to another lie near the cubic through four of them, compared with how far they are from
  /// the chord.
  bool is_smooth(std::size_t from, std::size_t to) const noexcept {
    constexpr double near = 0.01;
    const std::size_t at[] = {from, from + (to - from) / 3, from + 2 * (to - from) / 3, to};
    for (std::size_t t = 0; t < tables_; ++t) {
      double departure = 0, misfit = 0;
      for (std::size_t i = from + 1; i < to; ++i) {
        const double share = (x_[i] - x_[from]) / (x_[to] - x_[from]);
        departure =
            std::max(departure, std::abs(value(i, t) - value(from, t) - share * (value(to, t) - value(from, t))));
        double cubic = 0;  // Lagrange's form
        for (const std::size_t j : at) {
          double weight = value(j, t);
          for (const std::size_t k : at)
            if (k != j) weight *= (x_[i] - x_[k]) / (x_[j] - x_[k]);
          cubic += weight;
        }
        misfit = std::max(misfit, std::abs(value(i, t) - cubic));
      }
      if (misfit > near * departure) return false;
    }
    return true;
  }

  /// For each interval between two rows the place at which a step from it ends at the latest.
  void find_ends() {
    const std::size_t n = x_.size(), intervals = n - 1;
    std::vector<std::size_t> last(intervals), first(intervals);  // rows up to which, and from which, all is plain
    for (std::size_t i = intervals; i-- > 0;) last[i] = i + 1 < intervals && is_straight(i + 1) ? last[i + 1] : i + 1;
    for (std::size_t i = 0; i < intervals; ++i) first[i] = i > 0 && is_straight(i) ? first[i - 1] : i;
    // Smooth stretches of two blocks; a stretch of fewer rows would pass as a cubic whatever it is.
    constexpr std::size_t shortest = 4;
    bool any = true;
    for (std::size_t block = shortest; any && 2 * block <= intervals; block *= 2) {
      any = false;
      for (std::size_t from = 0; from + 2 * block < n; from += block) {
        const std::size_t to = from + 2 * block;
        if (!is_smooth(from, to)) continue;
        any = true;
        for (std::size_t i = from; i < from + block; ++i) last[i] = std::max(last[i], to);
        for (std::size_t i = from + block; i < to; ++i) first[i] = std::min(first[i], from);
      }
    }
    for (std::size_t i = 0; i < intervals; ++i) {
      ahead_.push_back(last[i] + 1 < n ? 0.5 * (x_[last[i]] + x_[last[i] + 1]) : without_end);
      behind_.push_back(first[i] > 0 ? 0.5 * (x_[first[i]] + x_[first[i] - 1]) : -without_end);
    }
    if (period_ > 0) return;
    // From beyond the outermost rows outwards nothing comes.
    ahead_.back() = without_end;
    behind_.front() = -without_end;
  }

  std::vector<double> x_, values_, ahead_, behind_;  ///< values: row after row, while the ends are looked for
  std::size_t tables_ = 1;
  double first_ = 0, period_ = 0;
};

}  // namespace polyform
