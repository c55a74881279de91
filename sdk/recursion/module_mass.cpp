#include "polyform/solvers/module_mass.hpp"

#include <algorithm>
#include <numeric>

namespace polyform {
namespace {

/// A pivot of M that is below this part of the numbers from which it is formed counts as zero.
constexpr double least_pivot = 1e-12;

}  // namespace

ModuleMass::ModuleMass(std::size_t variables)
    : order_(variables), L_(variables * variables), N_(variables * variables), room_(variables) {}

/// Factorizes M = Pᵀ L D Lᵀ P with the largest pivots first and D on the diagonal; finds N for the variables that are
/// left.
void ModuleMass::factorize(std::span<const double> M) noexcept {
  const std::size_t n = order_.size();
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::copy(M.begin(), M.end(), L_.begin());
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return L_[i * n + j]; };
  rank_ = 0;
  for (; rank_ < n; ++rank_) {
    std::size_t best = n;
    double largest = least_pivot;
    for (std::size_t k = rank_; k < n; ++k) {
      const double whole = M[order_[k] * n + order_[k]];
      if (!(at(k, k) > largest * whole)) continue;
      largest = at(k, k) / whole;
      best = k;
    }
    if (best == n) break;
    std::swap(order_[rank_], order_[best]);
    for (std::size_t k = 0; k < n; ++k) std::swap(at(rank_, k), at(best, k));
    for (std::size_t k = 0; k < n; ++k) std::swap(at(k, rank_), at(k, best));
    for (std::size_t i = rank_ + 1; i < n; ++i) {
      const double l = at(i, rank_) / at(rank_, rank_);
      for (std::size_t j = rank_ + 1; j < n; ++j) at(i, j) -= l * at(rank_, j);
    }
    for (std::size_t i = rank_ + 1; i < n; ++i) at(i, rank_) /= at(rank_, rank_);
  }
  // Solves L11ᵀ x = −L21ᵀ; N has one column for each variable that is left.
  for (std::size_t k = 0; k < n - rank_; ++k) {
    double* column = N(k);
    std::fill_n(column, n, 0.0);
    column[order_[rank_ + k]] = 1;
    for (std::size_t i = rank_; i-- > 0;) {
      double x = -at(rank_ + k, i);
      for (std::size_t j = i + 1; j < rank_; ++j) x -= at(j, i) * column[order_[j]];
      column[order_[i]] = x;
    }
  }
}

void ModuleMass::solve(double* x) noexcept {
  const std::size_t n = order_.size();
  double* y = room_.data();
  for (std::size_t i = 0; i < rank_; ++i) {
    y[i] = x[order_[i]];
    for (std::size_t j = 0; j < i; ++j) y[i] -= L_[i * n + j] * y[j];
  }
  for (std::size_t i = 0; i < rank_; ++i) y[i] /= L_[i * n + i];
  for (std::size_t i = rank_; i-- > 0;)
    for (std::size_t j = i + 1; j < rank_; ++j) y[i] -= L_[j * n + i] * y[j];
  std::fill_n(x, n, 0.0);
  for (std::size_t i = 0; i < rank_; ++i) x[order_[i]] = y[i];
}

}  // namespace polyform
