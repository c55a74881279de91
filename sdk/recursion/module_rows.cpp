#include "polyform/solvers/module_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace polyform {
namespace {

/// A pivot of M, or of A N, that is below this part of the numbers from which it is formed counts as zero.
constexpr double least_part = 1e-12;

}  // namespace

ModuleRows::ModuleRows(const ModuleSet::Module& module) : module_(&module) {
  const std::size_t n = variables(), m = rows();
  order_.resize(n);
  L_.resize(n * n);
  N_.resize(n * n);
  A_.resize(m * n);
  f_.resize(n);
  R_.resize(n);
  place_in_R_.resize(m);
  AN_.resize(m * n);
  C_.resize(m * n);
  inverse_.resize(n * n);
  W_.resize(m * m);
  factors_.resize(m * m);
  for (auto* of_rows : {&terms_, &own_, &given_, &off_}) of_rows->resize(m);
  rates_.resize(n);
  room_.resize(2 * n + n * n);
}

/// Factorizes M = Pᵀ L D Lᵀ P with the largest pivots first and D on the diagonal; finds N for the variables that are
/// left.
void ModuleRows::factorize() noexcept {
  const std::size_t n = variables();
  const std::span<const double> M = module_->M;
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::copy(M.begin(), M.end(), L_.begin());
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return L_[i * n + j]; };
  rank_ = 0;
  for (; rank_ < n; ++rank_) {
    std::size_t best = n;
    double largest = least_part;
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
  pairs_ = n - rank_;
  // Solves L11ᵀ x = −L21ᵀ; N has one column for each variable that is left.
  for (std::size_t k = 0; k < pairs_; ++k) {
    double* column = N_.data() + k * n;
    std::fill_n(column, n, 0.0);
    column[order_[rank_ + k]] = 1;
    for (std::size_t i = rank_; i-- > 0;) {
      double x = -at(rank_ + k, i);
      for (std::size_t j = i + 1; j < rank_; ++j) x -= at(j, i) * column[order_[j]];
      column[order_[i]] = x;
    }
  }
}

/// x = M⁻ x.
void ModuleRows::solve(double* x) noexcept {
  const std::size_t n = variables();
  double* y = room_.data() + n;
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

/// Finds rows for which A N is regular, and its inverse for these, by Gauss and Jordan. A variable without part in
/// positions needs no row for these.
bool ModuleRows::pair_rows() noexcept {
  const std::size_t n = variables(), m = rows();
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t k = 0; k < pairs_; ++k)
      AN_[r * n + k] = std::inner_product(A(r).begin(), A(r).end(), N_.data() + k * n, 0.0);
  // If a column has no coefficient in any row, its variable takes no part: it stays as it is.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pairs_; ++k) {
    bool felt = false;
    for (std::size_t r = 0; r < m; ++r) felt = felt || AN_[r * n + k] != 0;
    if (!felt) continue;
    if (kept != k) {
      std::copy_n(N_.data() + k * n, n, N_.data() + kept * n);
      for (std::size_t r = 0; r < m; ++r) AN_[r * n + kept] = AN_[r * n + k];
    }
    ++kept;
  }
  const bool all_felt = kept == pairs_;
  pairs_ = kept;
  double* left = room_.data() + 2 * n;  // A N for the rows R, on its way to the unit matrix
  for (std::size_t k = 0; k < pairs_; ++k) {
    // The row whose part independent of the rows before it is the largest, relative to the size of the row.
    std::size_t best = m;
    double largest = least_part;
    for (std::size_t r = 0; r < m; ++r) {
      if (gives(r)) continue;
      double size = 0, part = AN_[r * n + k];
      for (std::size_t j = 0; j < pairs_; ++j) size = std::max(size, std::abs(AN_[r * n + j]));
      for (std::size_t j = 0; j < k; ++j) part -= AN_[r * n + j] * left[j * n + k];
      if (!(std::abs(part) > largest * size)) continue;
      largest = std::abs(part) / size;
      best = r;
    }
    if (best == m) return false;
    R_[k] = best;
    place_in_R_[best] = k;
    // left: columns 0 … k−1 are those of (A N)_R⁻¹ (A N)_R; inverse_: of the unit matrix.
    double* row = left + k * n;
    double* of_inverse = inverse_.data() + k * n;
    std::fill_n(of_inverse, n, 0.0);
    of_inverse[k] = 1;
    std::copy_n(AN_.data() + best * n, pairs_, row);
    for (std::size_t j = 0; j < k; ++j) {
      const double x = row[j];
      for (std::size_t c = 0; c < pairs_; ++c) row[c] -= x * left[j * n + c];
      for (std::size_t c = 0; c < pairs_; ++c) of_inverse[c] -= x * inverse_[j * n + c];
    }
    const double pivot = row[k];
    for (std::size_t c = 0; c < pairs_; ++c) {
      row[c] /= pivot;
      of_inverse[c] /= pivot;
    }
    for (std::size_t j = 0; j < k; ++j) {
      const double x = left[j * n + k];
      for (std::size_t c = 0; c < pairs_; ++c) left[j * n + c] -= x * row[c];
      for (std::size_t c = 0; c < pairs_; ++c) inverse_[j * n + c] -= x * of_inverse[c];
    }
  }
  return all_felt || with_positions_;
}

/// Finds C, A of the rows S without their part in β, and λ_0.
void ModuleRows::take_pairs() noexcept {
  const std::size_t n = variables(), m = rows();
  for (std::size_t r = 0; r < m; ++r) {
    if (gives(r)) continue;
    for (std::size_t k = 0; k < pairs_; ++k) {
      double c = 0;
      for (std::size_t j = 0; j < pairs_; ++j) c += AN_[r * n + j] * inverse_[j * n + k];
      C_[r * n + k] = c;
      for (std::size_t v = 0; v < n; ++v) A_[r * n + v] -= c * A_[R_[k] * n + v];
    }
  }
  for (std::size_t k = 0; k < pairs_; ++k) {
    double force = 0;
    for (std::size_t j = 0; j < pairs_; ++j)
      force -= inverse_[j * n + k] * std::inner_product(f_.begin(), f_.end(), N_.data() + j * n, 0.0);
    given_[R_[k]] = force;
  }
}

bool ModuleRows::prepare(bool for_positions, bool with_forces) noexcept {
  const std::size_t n = variables(), m = rows();
  with_positions_ = for_positions;
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t v = 0; v < n; ++v)
      A_[r * n + v] = for_positions && !module_->is_integrated(v) ? 0 : module_->A[r * n + v];
  for (std::size_t v = 0; v < n; ++v) f_[v] = with_forces ? module_->f[v] : 0;
  std::ranges::fill(place_in_R_, none);
  std::ranges::fill(given_, 0.0);
  factorize();
  if (pairs_ > 0 && !pair_rows()) return false;
  take_pairs();
  for (std::size_t k = 0; k < pairs_; ++k)
    for (std::size_t v = 0; v < n; ++v) f_[v] += module_->A[R_[k] * n + v] * given_[R_[k]];
  double* x = room_.data();
  for (std::size_t s = 0; s < m; ++s) {
    std::copy_n(A_.data() + s * n, n, x);
    solve(x);
    terms_[s] = 0;
    for (std::size_t v = 0; v < n; ++v) terms_[s] += std::abs(A_[s * n + v] * x[v]);
    for (std::size_t r = 0; r < m; ++r) W_[r * m + s] = std::inner_product(x, x + n, A_.data() + r * n, 0.0);
    own_[s] = std::inner_product(x, x + n, f_.begin(), 0.0);
  }
  return true;
}

void ModuleRows::complete(double* multipliers) const noexcept {
  for (std::size_t k = 0; k < pairs_; ++k) {
    double& of_R = multipliers[R_[k]] = 0;
    for (std::size_t r = 0; r < rows(); ++r)
      if (!gives(r)) of_R -= C(r, k) * multipliers[r];
  }
}

/// Corrects rates_ of the variables with mass by x = W⁺ (missing − A α): α += M⁻ Aᵀ x.
void ModuleRows::meet_rows(const double* missing, const double* rounding) noexcept {
  const std::size_t n = variables(), m = rows();
  bool off = false;
  for (std::size_t r = 0; r < m; ++r) {
    off_[r] = 0;
    if (gives(r)) continue;
    double of_row = rounding[r], all = missing[r];
    for (std::size_t k = 0; k < pairs_; ++k) {
      all -= C(r, k) * missing[R_[k]];
      of_row += std::abs(C(r, k)) * rounding[R_[k]];
    }
    off_[r] = all - std::inner_product(rates_.begin(), rates_.end(), A_.data() + r * n, 0.0);
    off = off || std::abs(off_[r]) > of_row;
  }
  if (!off) return;
  // Gauss's elimination without exchange: W is positive semidefinite, rows without own compliance stay as they are.
  std::ranges::copy(W_, factors_.begin());
  const auto W = [&](std::size_t r, std::size_t s) -> double& { return factors_[r * m + s]; };
  const auto stands = [&](std::size_t r) { return !gives(r) && W(r, r) > least_part * terms_[r]; };
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
  solve(change);
  for (std::size_t v = 0; v < n; ++v) rates_[v] += change[v];
}

void ModuleRows::find_rates(const double* multipliers, const double* missing, const double* rounding) noexcept {
  const std::size_t n = variables();
  std::copy(f_.begin(), f_.end(), rates_.begin());
  for (std::size_t r = 0; r < rows(); ++r) {
    if (gives(r)) continue;
    for (std::size_t v = 0; v < n; ++v) rates_[v] += A_[r * n + v] * multipliers[r];
  }
  solve(rates_.data());
  meet_rows(missing, rounding);
  double* rest = room_.data();
  for (std::size_t k = 0; k < pairs_; ++k)
    rest[k] = missing[R_[k]] - std::inner_product(rates_.begin(), rates_.end(), A_.data() + R_[k] * n, 0.0);
  for (std::size_t j = 0; j < pairs_; ++j) {
    double beta = 0;
    for (std::size_t k = 0; k < pairs_; ++k) beta += inverse_[j * n + k] * rest[k];
    for (std::size_t v = 0; v < n; ++v) rates_[v] += beta * N_[j * n + v];
  }
}

}  // namespace polyform
