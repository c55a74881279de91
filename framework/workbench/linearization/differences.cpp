#include "framework/workbench/linearization/differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace polyform::host::inline linearization {
namespace {

constexpr std::size_t most_levels = 14;  ///< halvings of a step
constexpr std::size_t least_levels = 3, least_to_enough = 2;
constexpr std::size_t most_orders = 8;  ///< columns of the table
constexpr std::size_t patience = 4;     ///< levels without a gain, after which the search ends
/// Halved steps are changed by these factors in turn. A step of the same or of few digits would be rounded in the same
/// way, and differences would agree where rounding has spoilt them all. With 20 bits x + h is exact all the same.
constexpr std::array<double, 5> factors{1, 0x1.efb8ap-1, 0x1.0823ap+0, 0x1.e8492p-1, 0x1.0c196p+0};
constexpr std::size_t low_orders = 3;  ///< of which one has left truncation behind at small steps
constexpr double by_chance = 8;        ///< changes that are rounding differ by such a factor
constexpr int most_reductions = 12;    ///< of a step at which the function fails
constexpr double good = 2e-14;         ///< relative error that ends the search
/// If the series in h² of a difference holds, a halved step changes it by a quarter of the last change. A difference
/// was taken outside of its series if it goes on changing by `part` of itself, beyond what rounding does relative to
/// the largest entry. A difference to one side has a series in h, and changes by a half.
constexpr double slow = 0.5, slow_of_side = 0.75, part = 1e-3, rounded = 1e-6;

/// The table of one level, entries side by side: row[order][entry].
using Row = std::vector<std::vector<double>>;

/// The levels so far: the beginning of the series of each entry, and the change by its last halving.
struct Levels {
  std::vector<std::size_t> first;
  std::vector<double> change;
  double slow;  ///< a halved step must change an entry by less than this part of the last change
};

/// All that was seen: the tables of all levels, their steps, and how many levels there are at the end without a gain.
struct Seen {
  std::vector<Row> tables;
  std::vector<double> steps;
  std::size_t idle = 0;

  /// By how much an entry of the table differs from those that it was made of.
  double change(std::size_t level, std::size_t order, std::size_t k) const {
    const double a = tables[level][order][k];
    return std::max(std::abs(a - tables[level][order - 1][k]), std::abs(a - tables[level - 1][order - 1][k]));
  }
};

/// Starts anew with those entries for which the last halving shows that they leave their series: their extrapolations
/// mean nothing. Returns whether there are any.
bool start_anew(const Seen& seen, Levels& levels, Derivative& best) {
  const std::size_t level = seen.tables.size() - 1;
  const std::vector<double>&now = seen.tables[level][0], &above = seen.tables[level - 1][0];
  double largest = 0;
  for (const double d : now) largest = std::max(largest, std::abs(d));
  bool any = false;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double change = std::abs(now[k] - above[k]), last = levels.change[k];
    levels.change[k] = change;
    const double least = std::max(part * std::abs(now[k]), rounded * largest);
    if (level < 2 || change <= levels.slow * last || change <= least) continue;
    levels.first[k] = level;
    best.error[k] = std::numeric_limits<double>::infinity();
    any = true;
  }
  return any;
}

/// The error of an entry that needs not become less.
double enough_for(std::size_t k, double value, const std::vector<double>& rounding, std::span<const double> enough) {
  return std::max({good * std::abs(value), rounding[k], enough.empty() ? 0 : enough[k]});
}

/// Takes entries of the newest row if their error is less than the best so far. Returns how many that needed it have
/// gained much.
std::size_t keep_best(const Seen& seen, const Levels& levels, const std::vector<double>& rounding,
                      std::span<const double> enough, Derivative& best) {
  const std::size_t level = seen.tables.size() - 1;
  const Row& row = seen.tables[level];
  std::size_t gains = 0;
  for (std::size_t j = 1; j < row.size(); ++j)
    for (std::size_t k = 0; k < best.value.size(); ++k) {
      if (levels.first[k] + j > level) continue;
      const double a = row[j][k];
      const double error = std::max(seen.change(level, j, k), rounding[k]);
      if (!(error < best.error[k])) continue;
      if (error < 0.5 * best.error[k] && best.error[k] > enough_for(k, a, rounding, enough)) ++gains;
      best.error[k] = error;
      best.value[k] = a;
    }
  return gains;
}

bool all_good(const Derivative& d, const std::vector<double>& rounding, std::span<const double> enough) {
  for (std::size_t k = 0; k < d.value.size(); ++k)
    if (d.error[k] > enough_for(k, d.value[k], rounding, enough)) return false;
  return true;
}

/// The rounding of the function in an entry, as far as differences show it at the last and smallest steps. Without a
/// gain it is all that they change by, and before as far back as they change no more by it than by chance.
double seen_rounding(const Seen& seen, std::size_t first, std::size_t k) {
  double size = 0;
  const std::size_t last = seen.tables.size() - 1;
  for (std::size_t level = last; level > first && level + patience > last; --level) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 1; j <= std::min(level - first, low_orders); ++j)
      least = std::min(least, seen.change(level, j, k) * seen.steps[level]);
    if (level < last && level + seen.idle <= last && least > by_chance * size) break;
    size = std::max(size, least);
  }
  return size;
}

/// Takes of each entry the one of least error anew, now that the rounding of the function is known: at small steps
/// differences may agree by chance.
void take_best(const Seen& seen, const std::vector<std::size_t>& first, const std::vector<double>& rounding,
               Derivative& best) {
  for (std::size_t k = 0; k < best.value.size(); ++k) {
    const double of_function = seen_rounding(seen, first[k], k);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t level = first[k] + 1; level < seen.tables.size(); ++level)
      for (std::size_t j = 1; j < seen.tables[level].size() && first[k] + j <= level; ++j) {
        const double error = std::max({seen.change(level, j, k), rounding[k], of_function / seen.steps[level]});
        if (!(error < least)) continue;
        least = best.error[k] = error;
        best.value[k] = seen.tables[level][j][k];
      }
  }
}

/// Gives entries whose series was not found their last difference, with its last change as the error.
Derivative finished(Derivative best, const Levels& levels, const Seen& seen, const std::vector<double>& rounding) {
  take_best(seen, levels.first, rounding, best);
  for (std::size_t k = 0; best.found && k < best.value.size(); ++k)
    if (std::isinf(best.error[k])) {
      best.value[k] = seen.tables.back()[0][k];
      best.error[k] = levels.change[k];
    }
  return best;
}

/// Steps at which both sides are looked at, as parts of a large one: small compared with what laws bend by, and such
/// that rounding leaves five digits of a difference.
constexpr double side_step = 0x1p-12, closer = 0.125;
/// Between the two steps, the difference of the sides shrinks with the step, to an eighth, if the curve is smooth, and
/// not at all at a kink. Parts below a thousandth of the largest derivative are no bend for which a table is made, and
/// may be the rounding of a derivative that is zero: of rounding, which grows to eight times, they are told by how
/// exactly they stay. A soft motion may depend on them beside a stiff one, down to the margin of verdicts.
constexpr double stays = 0.5, least_kink = 1e-3, stays_exactly = 0.1, smallest_kink = 1e-7;
/// Between the two steps, the difference of both sides does not change if the curve is smooth. It grows to eight times
/// at a jump, to four times for a cube root. A law that bends within the smaller step, as tanh(v/1e-6), looks the same.
constexpr double grown = 1.5;
/// A one-sided difference of the function may have so many roundings of it.
constexpr double roundings = 1e3;

}  // namespace

Kink kink(std::span<const double> middle, double terms, std::size_t entries, double step, const Curve& f,
          std::span<const double> slopes) {
  std::vector<double> plus(middle.size()), minus(middle.size()), first(entries), slope(entries);
  Kink worst;
  double largest = terms;  // of the function: each value may have the rounding of any
  for (std::size_t k = 0; k < entries; ++k) largest = std::max(largest, std::abs(middle[k]));
  for (const double share : {1.0, closer}) {
    const double h = share * side_step * step;
    if (!f(h, plus) || !f(-h, minus)) return {};
    double size = 0;
    for (std::size_t k = 0; k < entries; ++k)
      size = std::max(size, (std::abs(plus[k] - middle[k]) + std::abs(middle[k] - minus[k])) / h);
    const double rounding = roundings * std::numeric_limits<double>::epsilon() * largest / h,
                 told_from = std::max(rounding, smallest_kink * size);
    bool smooth = slopes.size() == entries;
    for (std::size_t k = 0; k < entries; ++k) {
      const double above = (plus[k] - middle[k]) / h, below = (middle[k] - minus[k]) / h,
                   apart = std::abs(above - below), mean = 0.5 * std::abs(above + below);
      if (share == 1) {
        first[k] = apart, slope[k] = mean;
        smooth = smooth && apart <= told_from && std::abs(mean - std::abs(slopes[k])) <= told_from;
      } else if (mean > grown * slope[k] && mean > rounding && mean > least_kink * size)
        worst = {std::max(worst.part, mean / size), true};
      else if (apart > stays * first[k] && apart > rounding && apart > smallest_kink * size &&
               (apart > least_kink * size || std::abs(apart - first[k]) < stays_exactly * apart))
        worst.part = std::max(worst.part, apart / size);
    }
    if (smooth) break;
  }
  return worst;
}

namespace {

/// A difference quotient whose error is a series in the powers of step^order, and how it is formed.
struct Quotient {
  double order;  ///< 2: of values on both sides; 1: of one side and the middle
  double slow;   ///< a halved step changes it by less than this part of the last change
  /// At a step: its values and their errors by the rounding of the function. False if the function has no value.
  std::function<bool(double step, std::span<double> value, std::span<double> rounding)> at;
};

double power_of_two(double x) { return std::exp2(std::round(std::log2(x))); }

Derivative extrapolate(std::size_t size, double step, std::span<const double> enough, const Quotient& quotient) {
  Derivative best{std::vector<double>(size), std::vector<double>(size, std::numeric_limits<double>::infinity())};
  std::vector<double> round(size), rounding(size);
  Levels levels{std::vector<std::size_t>(size), std::vector<double>(size), quotient.slow};
  Seen seen;
  int reductions = 0;
  double h = power_of_two(step);
  for (std::size_t level = 0; level < most_levels; ++level, h /= 2) {
    Row row(1, std::vector<double>(size));
    while (!quotient.at(h * factors[level % factors.size()], row[0], round)) {
      if (level > 0 || ++reductions > most_reductions) return finished(std::move(best), levels, seen, rounding);
      h /= 2;
    }
    const double now = h * factors[level % factors.size()];
    // The rounding of the numbers themselves, by the least that was seen, so that it bounds the error from below.
    for (std::size_t k = 0; k < size; ++k) rounding[k] = level == 0 ? round[k] : std::min(rounding[k], round[k]);
    for (std::size_t j = 1; j <= std::min(level, most_orders); ++j) {
      const double power = std::pow(seen.steps[level - j] / now, quotient.order);
      std::vector<double>& next = row.emplace_back(size);
      for (std::size_t k = 0; k < size; ++k)
        next[k] = (power * row[j - 1][k] - seen.tables.back()[j - 1][k]) / (power - 1);
    }
    seen.tables.push_back(std::move(row));
    seen.steps.push_back(now);
    if (level > 0) {
      const bool anew = start_anew(seen, levels, best);
      seen.idle = keep_best(seen, levels, rounding, enough, best) > 0 || anew ? 0 : seen.idle + 1;
      best.found = true;
    }
    best.last_step = now;
    const std::size_t least = enough.empty() ? least_levels : least_to_enough;
    if (level + 1 < least) continue;
    best.is_good = all_good(best, rounding, enough);
    if (seen.idle >= patience || best.is_good) break;
  }
  return finished(std::move(best), levels, seen, rounding);
}

double rounding_of(double a, double b, double distance) {
  return std::numeric_limits<double>::epsilon() * (std::abs(a) + std::abs(b)) / distance;
}

/// If the central differences leave many digits of an entry unknown, and the derivatives from both sides are the same
/// within their errors, takes the better of these. A curve that is continuous with its slope and bends abruptly (at a
/// knot of a spline) has a series in h on either side, but none in h².
void try_sides(std::size_t size, double step, const Curve& f, std::span<const double> enough, Derivative& best) {
  constexpr double few_digits = 1e-10, agree = 10;
  double largest = 0;
  for (const double value : best.value) largest = std::max(largest, std::abs(value));
  const auto is_poor = [&](std::size_t k) {
    return best.error[k] > few_digits * std::abs(best.value[k]) && best.error[k] > rounded * few_digits * largest &&
           (enough.empty() || best.error[k] > enough[k]);
  };
  bool any = false;
  for (std::size_t k = 0; k < size; ++k) any = any || is_poor(k);
  std::vector<double> middle(size), other(size);
  if (!best.found || !any || !f(0, middle)) return;
  const auto side = [&](double sign) {
    return extrapolate(size, step, enough,
                       {1, slow_of_side, [&](double h, std::span<double> value, std::span<double> rounding) {
                          if (!f(sign * h, other)) return false;
                          for (std::size_t k = 0; k < size; ++k) {
                            value[k] = sign * (other[k] - middle[k]) / h;
                            rounding[k] = rounding_of(other[k], middle[k], h);
                          }
                          return true;
                        }});
  };
  const Derivative above = side(1), below = side(-1);
  if (!above.found || !below.found) return;
  for (std::size_t k = 0; k < size; ++k) {
    if (!is_poor(k)) continue;
    const Derivative& better = above.error[k] <= below.error[k] ? above : below;
    const double apart = std::abs(above.value[k] - below.value[k]);
    const double error = std::max(better.error[k], apart);
    if (apart > agree * (above.error[k] + below.error[k]) || !(error < best.error[k])) continue;
    best.value[k] = better.value[k];
    best.error[k] = error;
  }
}

}  // namespace

Derivative differentiate(std::size_t size, double step, const Curve& f, std::span<const double> enough) {
  std::vector<double> plus(size), minus(size);
  Derivative best =
      extrapolate(size, step, enough, {2, slow, [&](double h, std::span<double> value, std::span<double> rounding) {
                                         if (!f(h, plus) || !f(-h, minus)) return false;
                                         for (std::size_t k = 0; k < size; ++k) {
                                           value[k] = (plus[k] - minus[k]) / (2 * h);
                                           rounding[k] = rounding_of(plus[k], minus[k], 2 * h);
                                         }
                                         return true;
                                       }});
  try_sides(size, step, f, enough, best);
  return best;
}

}  // namespace polyform::host::linearization
