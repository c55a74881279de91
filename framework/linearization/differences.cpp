#include "framework/linearization/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host {
namespace {

constexpr std::size_t most_levels = 14;  ///< halvings of a step
constexpr std::size_t least_levels = 3;
constexpr std::size_t most_orders = 8;  ///< columns of the table
constexpr std::size_t patience = 4;     ///< levels without a gain, after which the search ends
constexpr int most_reductions = 12;     ///< of a step at which the function fails
constexpr double good = 2e-14;          ///< relative error that ends the search

/// The table of one level, entries side by side: row[order][entry].
using Row = std::vector<std::vector<double>>;

/// Takes entries of the newest row where their error is less than the best so far. Returns how many gained much.
std::size_t keep_best(const Row& row, const Row& above, const std::vector<double>& rounding, Derivative& best) {
  std::size_t gains = 0;
  for (std::size_t j = 1; j < row.size(); ++j)
    for (std::size_t k = 0; k < best.value.size(); ++k) {
      const double a = row[j][k];
      const double error = std::max({std::abs(a - row[j - 1][k]), std::abs(a - above[j - 1][k]), rounding[k]});
      if (!(error < best.error[k])) continue;
      if (error < 0.5 * best.error[k]) ++gains;
      best.error[k] = error;
      best.value[k] = a;
    }
  return gains;
}

bool all_good(const Derivative& d, const std::vector<double>& rounding) {
  for (std::size_t k = 0; k < d.value.size(); ++k)
    if (d.error[k] > std::max(good * std::abs(d.value[k]), rounding[k])) return false;
  return true;
}

}  // namespace

Derivative differentiate(std::size_t size, double step, const Curve& f) {
  Derivative best{std::vector<double>(size), std::vector<double>(size, std::numeric_limits<double>::infinity()), false};
  std::vector<double> plus(size), minus(size), rounding(size);
  Row above;
  std::size_t idle = 0;
  int reductions = 0;
  for (std::size_t level = 0; level < most_levels; ++level, step /= 2) {
    while (!f(step, plus) || !f(-step, minus)) {
      if (level > 0 || ++reductions > most_reductions) return best;
      step /= 2;
    }
    Row row(1, std::vector<double>(size));
    for (std::size_t k = 0; k < size; ++k) {
      row[0][k] = (plus[k] - minus[k]) / (2 * step);
      // Rounding of the numbers themselves: of the least that was seen, so that it bounds the error from below.
      const double round =
          std::numeric_limits<double>::epsilon() * (std::abs(plus[k]) + std::abs(minus[k])) / (2 * step);
      rounding[k] = level == 0 ? round : std::min(rounding[k], round);
    }
    for (std::size_t j = 1; j <= std::min(level, most_orders); ++j) {
      const double power = std::pow(4.0, static_cast<double>(j));
      std::vector<double>& next = row.emplace_back(size);
      for (std::size_t k = 0; k < size; ++k) next[k] = (power * row[j - 1][k] - above[j - 1][k]) / (power - 1);
    }
    if (level > 0) {
      idle = keep_best(row, above, rounding, best) > 0 ? 0 : idle + 1;
      best.found = true;
      if (level + 1 >= least_levels && (idle >= patience || all_good(best, rounding))) return best;
    }
    above = std::move(row);
  }
  return best;
}

}  // namespace polyform::host
