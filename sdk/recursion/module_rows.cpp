#include "polyform/solvers/module_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace polyform {
namespace {

/// A pivot of W that is below this part of its terms counts as zero.
constexpr double least_part = 1e-12;

}  // namespace

ModuleRows::ModuleRows(const ModuleSet::Module& module)
    : module_(&module), mass_(variables()), pairs_(rows(), variables()) {
  const std::size_t n = variables(), m = rows();
  A_.resize(m * n);
  f_.resize(n);
  W_.resize(m * m);
  factors_.resize(m * m);
  for (auto* of_rows : {&terms_, &own_, &given_, &off_}) of_rows->resize(m);
  rates_.resize(n);
  room_.resize(n);
}

/// Finds C, A of the rows S without their part in β, and λ_0.
void ModuleRows::take_pairs() noexcept {
  const std::size_t n = variables(), m = rows();
  for (std::size_t r = 0; r < m; ++r) {
    if (pairs_.has(r)) continue;
    pairs_.find_C(r);
    for (std::size_t k = 0; k < pairs_.count(); ++k)
      for (std::size_t v = 0; v < n; ++v) A_[r * n + v] -= pairs_.C(r, k) * A_[pairs_.row(k) * n + v];
  }
  for (std::size_t k = 0; k < pairs_.count(); ++k) {
    double force = 0;
    for (std::size_t j = 0; j < pairs_.count(); ++j)
      force -= pairs_.inverse(j, k) * std::inner_product(f_.begin(), f_.end(), mass_.N(j), 0.0);
    given_[pairs_.row(k)] = force;
  }
}

bool ModuleRows::prepare(bool for_positions, bool with_forces) noexcept {
  const std::size_t n = variables(), m = rows();
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t v = 0; v < n; ++v)
      A_[r * n + v] = for_positions && !module_->is_integrated(v) ? 0 : module_->A[r * n + v];
  for (std::size_t v = 0; v < n; ++v) f_[v] = with_forces ? module_->f[v] : 0;
  std::ranges::fill(given_, 0.0);
  mass_.factorize(module_->M);
  if (!pairs_.find(A_, mass_, !for_positions)) return false;
  take_pairs();
  for (std::size_t k = 0; k < pairs_.count(); ++k)
    for (std::size_t v = 0; v < n; ++v) f_[v] += module_->A[pairs_.row(k) * n + v] * given_[pairs_.row(k)];
  double* x = room_.data();
  for (std::size_t s = 0; s < m; ++s) {
    std::copy_n(A_.data() + s * n, n, x);
    mass_.solve(x);
    terms_[s] = 0;
    for (std::size_t v = 0; v < n; ++v) terms_[s] += std::abs(A_[s * n + v] * x[v]);
    for (std::size_t r = 0; r < m; ++r) W_[r * m + s] = std::inner_product(x, x + n, A_.data() + r * n, 0.0);
    own_[s] = std::inner_product(x, x + n, f_.begin(), 0.0);
  }
  return true;
}

void ModuleRows::complete(double* multipliers) const noexcept {
  for (std::size_t k = 0; k < pairs_.count(); ++k) {
    double& of_R = multipliers[pairs_.row(k)] = 0;
    for (std::size_t r = 0; r < rows(); ++r)
      if (!pairs_.has(r)) of_R -= pairs_.C(r, k) * multipliers[r];
  }
}

/// By how much the rates miss the rows of S. False if that is rounding.
bool ModuleRows::find_off(const double* missing, const double* rounding) noexcept {
  const std::size_t n = variables(), m = rows();
  bool off = false;
  for (std::size_t r = 0; r < m; ++r) {
    off_[r] = 0;
    if (pairs_.has(r)) continue;
    double of_row = rounding[r], all = missing[r];
    for (std::size_t k = 0; k < pairs_.count(); ++k) {
      all -= pairs_.C(r, k) * missing[pairs_.row(k)];
      of_row += std::abs(pairs_.C(r, k)) * rounding[pairs_.row(k)];
    }
    off_[r] = all - std::inner_product(rates_.begin(), rates_.end(), A_.data() + r * n, 0.0);
    off = off || std::abs(off_[r]) > of_row;
  }
  return off;
}

/// Corrects rates_ of the variables with mass by x = W⁺ (missing − A α): α += M⁻ Aᵀ x.
void ModuleRows::meet_rows() noexcept {
  const std::size_t n = variables(), m = rows();
  // Gauss's elimination without exchange: W is positive semidefinite, rows without own compliance stay as they are.
  std::ranges::copy(W_, factors_.begin());
  const auto W = [&](std::size_t r, std::size_t s) -> double& { return factors_[r * m + s]; };
  const auto stands = [&](std::size_t r) { return !pairs_.has(r) && W(r, r) > least_part * terms_[r]; };
  for (std::size_t c = 0; c < m; ++c)
    for (std::size_t r = c + 1; r < m && stands(c); ++r) {
      const double l = W(r, c) / W(c, c);
      for (std::size_t k = c; k < m; ++k) W(r, k) -= l * W(c, k);
      off_[r] -= l * off_[c];
    }
  for (std::size_t c = m; c-- > 0;) {
    if (!stands(c)) {
      off_[c] = 0;
      continue;
    }
    for (std::size_t k = c + 1; k < m; ++k) off_[c] -= W(c, k) * off_[k];
    off_[c] /= W(c, c);
  }
  double* change = room_.data();
  std::fill_n(change, n, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t v = 0; v < n; ++v) change[v] += A_[r * n + v] * off_[r];
  mass_.solve(change);
  for (std::size_t v = 0; v < n; ++v) rates_[v] += change[v];
}

void ModuleRows::find_rates(const double* multipliers, const double* missing, const double* rounding) noexcept {
  const std::size_t n = variables();
  std::copy(f_.begin(), f_.end(), rates_.begin());
  for (std::size_t r = 0; r < rows(); ++r) {
    if (pairs_.has(r)) continue;
    for (std::size_t v = 0; v < n; ++v) rates_[v] += A_[r * n + v] * multipliers[r];
  }
  mass_.solve(rates_.data());
  if (find_off(missing, rounding)) meet_rows();
  double* rest = room_.data();
  for (std::size_t k = 0; k < pairs_.count(); ++k) {
    const std::size_t r = pairs_.row(k);
    rest[k] = missing[r] - std::inner_product(rates_.begin(), rates_.end(), A_.data() + r * n, 0.0);
  }
  for (std::size_t j = 0; j < pairs_.count(); ++j) {
    double beta = 0;
    for (std::size_t k = 0; k < pairs_.count(); ++k) beta += pairs_.inverse(j, k) * rest[k];
    for (std::size_t v = 0; v < n; ++v) rates_[v] += beta * mass_.N(j)[v];
  }
}

}  // namespace polyform
