#include "framework/workbench/studies/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::host::inline studies {

namespace {

constexpr std::array<std::pair<std::string_view, Method>, 5> methods{{{"grid", Method::grid},
                                                                      {"random", Method::random},
                                                                      {"sobol", Method::sobol},
                                                                      {"lhs", Method::latin_hypercube},
                                                                      {"saltelli", Method::saltelli}}};

/// The number k of the stream SplitMix64 with this seed (Steele, Lea and Flood 2014), computed without those before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Seeds of streams for different uses, so that neighbouring seeds of the user share nothing.
std::uint64_t stream(std::uint64_t seed, std::uint64_t use) { return random_bits(random_bits(seed, 0), use); }

/// A number between 0 and 1, both excluded, from the upper 53 bits.
double probability_of(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

constexpr std::size_t most_cases = std::size_t{1} << 40;

}  // namespace

std::string_view name_of(Method method) {
  for (const auto& [name, known] : methods)
    if (known == method) return name;
  return {};
}

Method method_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, method] : methods) {
    if (known == name) return method;
    names.push_back(known);
  }
  throw Failure(Exit::bad_input, fmt::format("there is no method {}", show(name)),
                did_you_mean(name, names) + "Methods: " + listing(names) + ".");
}

Design::Design(std::vector<Factor> factors, const DesignRequest& request)
    : factors_(std::move(factors)), request_(request) {
  settle_method();
  settle_cases();
  prepare_correlation();
  prepare_points();
}

void Design::settle_cases() {
  const auto multiply = [&](std::size_t by) {
    if (cases_ > most_cases / by)
      throw Failure(
          Exit::bad_input,
          fmt::format("the {} has more cases than can be counted", method_ == Method::grid ? "grid" : "sample"),
          "Give fewer values, or --method sobol with fewer --samples.");
    cases_ *= by;
  };
  cases_ = method_ == Method::grid ? 1 : request_.samples;
  dimensions_ = factors_.size();
  if (method_ == Method::grid) {
    for (const Factor& factor : factors_) multiply(factor.levels()->texts.size());
  } else if (method_ == Method::saltelli) {
    multiply(factors_.size() + 2);
    dimensions_ = 2 * factors_.size();
  } else {
    for (std::size_t f = 0; f < factors_.size(); ++f)
      if (factors_[f].levels() != nullptr && std::ranges::any_of(factors_[f].paths, is_solver)) crossed_ = f;
    if (crossed_) multiply(factors_[*crossed_].levels()->texts.size());
  }
}

void Design::settle_method() {
  const Factor* open = nullptr;
  for (const Factor& factor : factors_)
    if (factor.levels() == nullptr) open = &factor;
  method_ = request_.method.value_or(open != nullptr || request_.samples > 0 ? Method::random : Method::grid);
  if (method_ == Method::grid && open != nullptr)
    throw Failure(Exit::bad_input, fmt::format("factor {} has no levels for a grid", show(open->name)),
                  "Give it a list or a range from:to:count, or take --method lhs, sobol or random with --samples.");
  if (method_ == Method::grid && request_.samples > 0)
    throw Failure(
        Exit::bad_input, "--samples does not apply to a grid",
        "A grid takes all values of its factors. Leave out --samples, or take --method lhs, sobol or random.");
  if (method_ != Method::grid && request_.samples == 0)
    throw Failure(Exit::bad_input, fmt::format("method {} needs the number of samples", name_of(method_)),
                  "Give --samples N.");
  if (request_.samples > most_cases)
    throw Failure(Exit::bad_input, fmt::format("{} samples are more than can be counted", request_.samples));
}

void Design::prepare_correlation() {
  const std::vector<double>& r = request_.correlation;
  if (r.empty()) return;
  const std::size_t n = factors_.size();
  const auto refuse = [](const std::string& why) {
    throw Failure(Exit::bad_input, "correlation: " + why,
                  "It is a symmetric matrix with 1 on its diagonal, a row for each factor, positive definite.");
  };
  if (method_ == Method::grid) refuse("a grid takes all values of a factor with all of the others");
  if (method_ == Method::saltelli) refuse("total Sobol indices are those of factors that are independent");
  if (r.size() != n * n) refuse(fmt::format("{} factors need {} numbers, found {}", n, n * n, r.size()));
  std::vector<double>& l = factor_of_correlation_;
  l.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (r[i * n + j] != r[j * n + i] || (i == j && r[i * n + i] != 1)) refuse("the matrix is no correlation");
      if (i != j && r[i * n + j] != 0 && (i == crossed_ || j == crossed_))
        refuse(fmt::format("each solver of {} computes every sample", factors_[*crossed_].name));
      double rest = r[i * n + j];
      for (std::size_t k = 0; k < j; ++k) rest -= l[i * n + k] * l[j * n + k];
      if (i == j && !(rest > std::numeric_limits<double>::epsilon() * static_cast<double>(n)))
        refuse(fmt::format("the factors up to {} depend on each other", factors_[i].name));
      l[i * n + j] = i == j ? std::sqrt(rest) : rest / l[j * n + j];
    }
}

void Design::prepare_points() {
  const std::size_t n = dimensions_, samples = request_.samples;
  if (method_ == Method::sobol || method_ == Method::saltelli) {
    constexpr std::size_t most = boost::random::default_sobol_table::max_dimension;
    if (n > most)
      throw Failure(Exit::bad_input,
                    fmt::format("{} has at most {} factors, found {}", name_of(method_), most / (n / factors_.size()),
                                factors_.size()),
                    "Take --method lhs or random.");
    boost::random::sobol sequence(n);
    points_.resize(samples * n);
    for (std::size_t i = 0; i < points_.size(); ++i)
      points_[i] = probability_of(sequence() ^ random_bits(stream(request_.seed, 1), i % n));
  }
  if (method_ != Method::latin_hypercube) return;
  points_.resize(samples * n);
  std::vector<std::size_t> shares(samples);
  for (std::size_t f = 0; f < n; ++f) {
    std::iota(shares.begin(), shares.end(), std::size_t{0});
    const std::uint64_t order = stream(request_.seed, 2 + 2 * f), within = stream(request_.seed, 3 + 2 * f);
    for (std::size_t i = samples; i-- > 1;) {
      const auto other = static_cast<std::size_t>(probability_of(random_bits(order, i)) * static_cast<double>(i + 1));
      std::swap(shares[i], shares[other]);
    }
    for (std::size_t i = 0; i < samples; ++i)
      points_[i * n + f] =
          (static_cast<double>(shares[i]) + probability_of(random_bits(within, i))) / static_cast<double>(samples);
  }
  if (factor_of_correlation_.empty()) return;
  for (std::size_t i = 0; i < samples; ++i) correlate(std::span(points_).subspan(i * n, n));
  fill_shares();
}

/// Makes the independent coordinates of a point correlated ones.
void Design::correlate(std::span<double> probabilities) const {
  const std::vector<double>& l = factor_of_correlation_;
  if (l.empty()) return;
  const std::size_t n = probabilities.size();
  const boost::math::normal standard;
  std::vector<double> scores(n);
  for (std::size_t f = 0; f < n; ++f) scores[f] = boost::math::quantile(standard, probabilities[f]);
  for (std::size_t f = 0; f < n; ++f) {
    double score = 0;
    for (std::size_t k = 0; k <= f; ++k) score += l[f * n + k] * scores[k];
    probabilities[f] = boost::math::cdf(standard, score);
  }
}

/// Moves each coordinate of correlated points into the share of its rank. Ranks stay as they are, and with them the
/// correlation; each share has one point again (Iman and Conover 1982).
void Design::fill_shares() {
  const std::size_t n = dimensions_, samples = request_.samples;
  std::vector<std::size_t> order(samples);
  for (std::size_t f = 0; f < n; ++f) {
    if (crossed_ == f) continue;
    const auto at = [&](std::size_t i) -> double& { return points_[i * n + f]; };
    const double shares = static_cast<double>(samples);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, at);
    for (std::size_t rank = 0; rank < samples; ++rank) {
      const double place = at(order[rank]) * shares;
      at(order[rank]) = (static_cast<double>(rank) + place - std::floor(place)) / shares;
    }
  }
}

double Design::probability(std::size_t sample, std::size_t dimension) const {
  const std::size_t at = sample * dimensions_ + dimension;
  return points_.empty() ? probability_of(random_bits(stream(request_.seed, 0), at)) : points_[at];
}

double Design::probability_of_case(std::size_t number, std::size_t factor) const {
  const std::size_t n = factors_.size();
  if (method_ == Method::saltelli) {
    const std::size_t point = number % (n + 2);  // a, b, and a with one value of b
    return probability(number / (n + 2), point == 1 || point == factor + 2 ? n + factor : factor);
  }
  const std::size_t solvers = crossed_ ? factors_[*crossed_].levels()->texts.size() : 1;
  if (crossed_ == factor) return (static_cast<double>(number % solvers) + 0.5) / static_cast<double>(solvers);
  return probability(number / solvers, factor);
}

std::vector<std::string> Design::values_of_grid(std::size_t number) const {
  std::vector<std::string> values(factors_.size());
  for (std::size_t f = factors_.size(); f-- > 0;) {
    const std::vector<std::string>& levels = factors_[f].levels()->texts;
    values[f] = levels[number % levels.size()];
    number /= levels.size();
  }
  return values;
}

std::vector<std::string> Design::values(std::size_t number) const {
  if (method_ == Method::grid) return values_of_grid(number);
  const std::size_t n = factors_.size();
  std::vector<double> probabilities(n);
  for (std::size_t f = 0; f < n; ++f) probabilities[f] = probability_of_case(number, f);
  if (method_ != Method::latin_hypercube) correlate(probabilities);
  std::vector<std::string> values(n);
  for (std::size_t f = 0; f < n; ++f) values[f] = quantile(factors_[f].distribution, probabilities[f]);
  return values;
}

}  // namespace polyform::host::inline studies
