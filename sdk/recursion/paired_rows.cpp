#include "polyform/solvers/paired_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace polyform {
namespace {

/// A pivot of A N that is below this part of its row counts as zero.
constexpr double least_part = 1e-12;

}  // namespace

PairedRows::PairedRows(std::size_t rows, std::size_t variables)
    : rows_(rows),
      variables_(variables),
      R_(variables),
      place_in_R_(rows),
      AN_(rows * variables),
      C_(rows * variables),
      inverse_(variables * variables),
      left_(variables * variables) {}

/// By Gauss and Jordan.
bool PairedRows::find(std::span<const double> A, ModuleMass& mass, bool all_held) noexcept {
  const std::size_t n = variables_, m = rows_;
  std::ranges::fill(place_in_R_, none);
  count_ = n - mass.rank();
  if (count_ == 0) return true;
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t k = 0; k < count_; ++k)
      AN_[r * n + k] = std::inner_product(A.data() + r * n, A.data() + (r + 1) * n, mass.N(k), 0.0);
  const bool all_felt = drop_unfelt(mass);
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t best = best_row(k);
    if (best == m) return false;
    R_[k] = best;
    place_in_R_[best] = k;
    // left_: columns 0 … k−1 are those of (A N)_R⁻¹ (A N)_R; inverse_: of the unit matrix.
    double* row = left_.data() + k * n;
    double* of_inverse = inverse_.data() + k * n;
    std::fill_n(of_inverse, n, 0.0);
    of_inverse[k] = 1;
    std::copy_n(AN_.data() + best * n, count_, row);
    for (std::size_t j = 0; j < k; ++j) {
      const double x = row[j];
      for (std::size_t c = 0; c < count_; ++c) row[c] -= x * left_[j * n + c];
      for (std::size_t c = 0; c < count_; ++c) of_inverse[c] -= x * inverse_[j * n + c];
    }
    const double pivot = row[k];
    for (std::size_t c = 0; c < count_; ++c) {
      row[c] /= pivot;
      of_inverse[c] /= pivot;
    }
    for (std::size_t j = 0; j < k; ++j) {
      const double x = left_[j * n + k];
      for (std::size_t c = 0; c < count_; ++c) left_[j * n + c] -= x * row[c];
      for (std::size_t c = 0; c < count_; ++c) inverse_[j * n + c] -= x * of_inverse[c];
    }
  }
  return all_felt || !all_held;
}

/// If a column has no coefficient in any row, its variable takes no part: it stays as it is. False if there is one.
bool PairedRows::drop_unfelt(ModuleMass& mass) noexcept {
  const std::size_t n = variables_, m = rows_;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    bool felt = false;
    for (std::size_t r = 0; r < m; ++r) felt = felt || AN_[r * n + k] != 0;
    if (!felt) continue;
    if (kept != k) {
      std::copy_n(mass.N(k), n, mass.N(kept));
      for (std::size_t r = 0; r < m; ++r) AN_[r * n + kept] = AN_[r * n + k];
    }
    ++kept;
  }
  const bool all_felt = kept == count_;
  count_ = kept;
  return all_felt;
}

/// The row whose part independent of the rows before it is the largest, relative to the size of the row.
std::size_t PairedRows::best_row(std::size_t k) const noexcept {
  const std::size_t n = variables_;
  std::size_t best = rows_;
  double largest = least_part;
  for (std::size_t r = 0; r < rows_; ++r) {
    if (has(r)) continue;
    double size = 0, part = AN_[r * n + k];
    for (std::size_t j = 0; j < count_; ++j) size = std::max(size, std::abs(AN_[r * n + j]));
    for (std::size_t j = 0; j < k; ++j) part -= AN_[r * n + j] * left_[j * n + k];
    if (!(std::abs(part) > largest * size)) continue;
    largest = std::abs(part) / size;
    best = r;
  }
  return best;
}

void PairedRows::find_C(std::size_t r) noexcept {
  const std::size_t n = variables_;
  for (std::size_t k = 0; k < count_; ++k) {
    double c = 0;
    for (std::size_t j = 0; j < count_; ++j) c += AN_[r * n + j] * inverse_[j * n + k];
    C_[r * n + k] = c;
  }
}

}  // namespace polyform
