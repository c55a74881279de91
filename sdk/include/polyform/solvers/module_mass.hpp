// The mass matrix of a module's variables, which may be singular (a rotor without inertia).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// M as factors at one state: a generalized inverse M⁻, and N, whose columns are the motions of the variables that move
/// no mass. Nothing allocates after construction.
class ModuleMass {
 public:
  explicit ModuleMass(std::size_t variables);

  /// M = Pᵀ L D Lᵀ P, rows first; M is positive semidefinite.
  void factorize(std::span<const double> M) noexcept;
  /// x = M⁻ x.
  void solve(double* x) noexcept;
  std::size_t rank() const { return rank_; }
  /// A column of N; there are as many as variables less rank().
  double* N(std::size_t k) { return N_.data() + k * order_.size(); }
  const double* N(std::size_t k) const { return N_.data() + k * order_.size(); }

 private:
  std::size_t rank_ = 0;
  std::vector<std::size_t> order_;  ///< of the variables in the factors
  std::vector<double> L_, N_, room_;
};

}  // namespace polyform
