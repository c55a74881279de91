#include "framework/workbench/studies/sobol_indices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <unordered_map>

#include "framework/workbench/studies/design.hpp"

namespace polyform::host::inline studies {

namespace {

/// Below so many samples neither the estimate nor its interval tells anything.
constexpr std::size_t least_samples = 16;
constexpr std::size_t resamples = 400;
/// Part of the square of the largest value: a smaller variance is rounding of equal values.
constexpr double rounding = 1e-26;

/// The values of a quantity: samples × points, by samples, as in the design: a, b, then one for each factor.
struct Samples {
  std::size_t factors = 0, left_out = 0;
  std::vector<double> values;
  std::size_t points() const { return factors + 2; }
  std::size_t count() const { return values.size() / points(); }
};

Samples samples_of(const StudyTable& table, std::size_t quantity) {
  Samples samples{table.factors.size(), 0, {}};
  const std::size_t points = samples.points();
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::unordered_map<std::size_t, std::vector<double>> all;
  std::size_t last = 0;
  for (const CaseRow& row : table.rows) {
    std::vector<double>& values = all.try_emplace(row.number / points, points, none).first->second;
    if (row.done) values[row.number % points] = row.quantities[quantity];
    last = std::max(last, row.number / points);
  }
  double mean = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto found = all.find(i);
    if (found == all.end()) continue;
    if (!std::ranges::all_of(found->second, [](double x) { return std::isfinite(x); })) {
      ++samples.left_out;
      continue;
    }
    samples.values.insert(samples.values.end(), found->second.begin(), found->second.end());
  }
  for (const double x : samples.values) mean += x / static_cast<double>(samples.values.size());
  for (double& x : samples.values) x -= mean;  // the estimate of first indices is better of numbers about zero
  return samples;
}

/// Means over samples of what the indices are made of.
class Sums {
 public:
  explicit Sums(std::size_t factors) : first_(factors), total_(factors) {}

  void add(const double* point) {
    const double a = point[0], b = point[1];
    ++count_;
    sum_ += a + b;
    squares_ += a * a + b * b;
    for (std::size_t f = 0; f < first_.size(); ++f) {
      const double mixed = point[2 + f];
      first_[f] += b * (mixed - a);
      total_[f] += (a - mixed) * (a - mixed) / 2;
    }
  }
  double variance() const {
    const double mean = sum_ / (2 * count_);
    return squares_ / (2 * count_) - mean * mean;
  }
  double first(std::size_t factor) const { return first_[factor] / count_ / variance(); }
  double total(std::size_t factor) const { return total_[factor] / count_ / variance(); }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
  std::vector<double> first_, total_;
};

/// The ends of the middle 95 % of the numbers.
Estimate with_interval(double value, std::vector<double>& numbers) {
  std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
  if (numbers.empty()) return {value, value, value};
  std::ranges::sort(numbers);
  const auto at = [&](double share) {
    return numbers[static_cast<std::size_t>(std::lround(share * static_cast<double>(numbers.size() - 1)))];
  };
  return {value, at(0.025), at(0.975)};
}

SobolIndices indices_of(const StudyTable& table, std::size_t quantity) {
  const Samples samples = samples_of(table, quantity);
  SobolIndices out{{}, samples.count(), samples.left_out, {}};
  if (out.samples < least_samples) {
    out.why_not = fmt::format("{} whole samples are too few, {} are the least", out.samples, least_samples);
    return out;
  }
  Sums all(samples.factors);
  double largest = 0;
  for (std::size_t i = 0; i < out.samples; ++i) all.add(samples.values.data() + i * samples.points());
  for (const double x : samples.values) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (const double x = table.rows[i].quantities[quantity]; std::isfinite(x)) largest = std::max(largest, std::abs(x));
  if (!(all.variance() > rounding * largest * largest)) {
    out.why_not = "the quantity does not vary";
    return out;
  }
  std::vector<std::vector<double>> first(samples.factors), total(samples.factors);
  std::mt19937_64 random;  // the same numbers in every run
  for (std::size_t r = 0; r < resamples; ++r) {
    Sums sums(samples.factors);
    for (std::size_t i = 0; i < out.samples; ++i) {
      const double share = static_cast<double>(random() >> 11) * 0x1p-53;
      const auto chosen = static_cast<std::size_t>(share * static_cast<double>(out.samples));
      sums.add(samples.values.data() + chosen * samples.points());
    }
    for (std::size_t f = 0; f < samples.factors; ++f) {
      first[f].push_back(sums.first(f));
      total[f].push_back(sums.total(f));
    }
  }
  for (std::size_t f = 0; f < samples.factors; ++f)
    out.factors.push_back({with_interval(all.first(f), first[f]), with_interval(all.total(f), total[f])});
  return out;
}

}  // namespace

std::vector<SobolIndices> sobol_indices(const StudyTable& table, std::string_view method) {
  std::vector<SobolIndices> all;
  for (std::size_t q = 0; q < table.quantities.size(); ++q) {
    if (method == name_of(Method::saltelli))
      all.push_back(indices_of(table, q));
    else
      all.push_back({{}, 0, 0, "total indices need a study with --method saltelli"});
  }
  return all;
}

}  // namespace polyform::host::inline studies
