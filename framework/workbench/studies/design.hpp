// The cases of a study: which values of its factors go together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/studies/factor.hpp"

namespace polyform::host::inline studies {

/// grid: every value with every other, the last factor fastest. random: independent points. sobol: a Sobol sequence
/// (direction numbers of Joe and Kuo 2008) with a random digital shift. latin_hypercube: every factor takes one value
/// in each of as many equal shares as there are samples. saltelli: two points a and b of a Sobol sequence for each
/// sample, and for each factor a with the value of b for that factor (Saltelli et al. 2010), in this order: what total
/// Sobol indices are made from.
enum class Method { grid, random, sobol, latin_hypercube, saltelli };
/// grid, random, sobol, lhs, saltelli.
std::string_view name_of(Method);
/// Failure (bad_input), with a suggestion, for another name.
Method method_named(std::string_view name);
/// Whether its first cases stay as they are when there are more.
constexpr bool can_grow(Method method) {
  return method == Method::random || method == Method::sobol || method == Method::saltelli;
}
/// Whether a path chooses the solver.
constexpr bool is_solver(std::string_view path) { return path == "solver" || path == "solver.name"; }

struct DesignRequest {
  std::optional<Method> method;  ///< none: grid where all factors have levels, else random
  std::size_t samples = 0;       ///< 0: not given
  std::uint64_t seed = 0;
  /// Correlation of the factors' normal scores (a Gaussian copula), factors × factors by rows; empty if they are
  /// independent.
  std::vector<double> correlation;
};

/// The values of a case follow from its number, the seed and the factors alone. If the solver is a factor of random,
/// sobol or lhs, each of them computes every sample: a case for each, one after the other.
class Design {
 public:
  /// Failure (bad_input) if samples are missing or do not apply, a factor of a grid has no levels, or the correlation
  /// is none.
  Design(std::vector<Factor>, const DesignRequest&);

  const std::vector<Factor>& factors() const { return factors_; }
  Method method() const { return method_; }
  std::uint64_t seed() const { return request_.seed; }
  std::size_t cases() const { return cases_; }
  std::size_t samples() const { return request_.samples; }
  /// As in DesignRequest.
  const std::vector<double>& correlation() const { return request_.correlation; }
  /// One text per factor.
  std::vector<std::string> values(std::size_t number) const;

 private:
  void settle_method();
  void prepare_correlation();
  void prepare_points();
  void correlate(std::span<double> probabilities) const;
  void fill_shares();
  void settle_cases();
  double probability(std::size_t sample, std::size_t dimension) const;
  /// The probability of one factor in a case.
  double probability_of_case(std::size_t number, std::size_t factor) const;
  std::vector<std::string> values_of_grid(std::size_t number) const;

  std::vector<Factor> factors_;
  DesignRequest request_;
  Method method_ = Method::grid;
  std::size_t cases_ = 0;
  std::size_t dimensions_ = 0;          ///< of a sample
  std::optional<std::size_t> crossed_;  ///< the factor that chooses the solver, where each sample has all of its values
  std::vector<double> points_;  ///< probabilities, samples × dimensions, of the methods that need all points at once
  std::vector<double> factor_of_correlation_;  ///< lower triangle L with L Lᵀ = correlation, by rows
};

}  // namespace polyform::host::inline studies
