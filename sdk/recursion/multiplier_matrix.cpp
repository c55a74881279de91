#include "polyform/solvers/multiplier_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "polyform/mechanics/judgement.hpp"

namespace polyform {
namespace {

/// Rounding of a column E and of the products formed with it, relative to its terms.
constexpr double rounding = 1e-13;
/// A pivot below this part of its usual size belongs to a row that has almost lost its effect; such a row is left out
/// for the moment. At the angle δ from a singular position the pivot is proportional to δ², the effect of the row on
/// the motion to δ, and the rounding in this effect to 1/δ². An adaptive integrator may come arbitrarily near.
constexpr double least_pivot = least_independent_square;
/// A row that is known to be independent has a pivot of at least this part of the rounding bound. With such a pivot in
/// place of one that is lost, refinement can go on.
constexpr double lost_pivot = 1e-3;
/// A negative pivot below this part of the compliance that it is held against is none: the square of rounding, with
/// room for an inertia that is a hundred million times smaller than the one that was added.
constexpr double least_negative = 1e-24;

}  // namespace

void MultiplierMatrix::analyze(std::span<const std::size_t> sizes, std::span<const std::size_t> stages,
                               std::span<const std::pair<std::size_t, std::size_t>> pairs,
                               std::span<const std::pair<std::size_t, std::size_t>> later_pairs) {
  const std::size_t n = sizes.size();
  std::vector<std::set<std::size_t>> coupled(n);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    coupled[i].insert(j);
    coupled[j].insert(i);
  }
  std::vector<std::size_t> waits_for(n);
  std::vector<std::vector<std::size_t>> lets_go(n);
  for (const auto& [i, j] : later_pairs) {
    ++waits_for[i];
    lets_go[j].push_back(i);
  }
  // (stage, whether it waits for others, degree, block), the next one first.
  using Entry = std::tuple<std::size_t, bool, std::size_t, std::size_t>;
  std::set<Entry> waiting;
  const auto entry = [&](std::size_t i) { return Entry{stages[i], waits_for[i] > 0, coupled[i].size(), i}; };
  for (std::size_t i = 0; i < n; ++i) waiting.insert(entry(i));

  rows_.assign(n, {});
  position_.assign(n, 0);
  order_.clear();
  std::vector<std::vector<std::size_t>> later(n);
  while (!waiting.empty()) {
    const std::size_t i = std::get<3>(*waiting.begin());
    waiting.erase(waiting.begin());
    for (const std::size_t j : lets_go[i]) {
      waiting.erase(entry(j));
      --waits_for[j];
      waiting.insert(entry(j));
    }
    position_[i] = order_.size();
    order_.push_back(i);
    later[i].assign(coupled[i].begin(), coupled[i].end());
    for (const std::size_t j : later[i]) waiting.erase(entry(j));
    for (const std::size_t j : later[i]) {
      coupled[j].erase(i);
      for (const std::size_t k : later[i])
        if (k != j) coupled[j].insert(k);
    }
    for (const std::size_t j : later[i]) waiting.insert(entry(j));
    coupled[i].clear();
  }

  std::size_t values = 0, right = 0;
  neighbours_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    Row& row = rows_[i];
    row.size = sizes[i];
    row.first = right;
    right += sizes[i];
    row.diagonal = values;
    values += sizes[i] * sizes[i];
    row.neighbour = neighbours_.size();
    row.neighbours = later[i].size();
    std::sort(later[i].begin(), later[i].end(),
              [&](std::size_t a, std::size_t b) { return position_[a] < position_[b]; });
    for (const std::size_t j : later[i]) {
      neighbours_.push_back({j, sizes[j], values});
      values += sizes[i] * sizes[j];
    }
  }
  updates_.clear();
  for (Row& row : rows_) {
    row.update = updates_.size();
    const auto near = std::span(neighbours_).subspan(row.neighbour, row.neighbours);
    for (std::size_t a = 0; a < near.size(); ++a)
      for (std::size_t b = a; b < near.size(); ++b) updates_.push_back(place(near[a].block, near[b].block));
  }
  values_.assign(values, 0.0);
  for (auto* of_rows : {&right_, &inverse_, &weights_, &terms_, &noise_, &usual_}) of_rows->assign(right, 0.0);
  row_at_.assign(right, 0);
}

std::size_t MultiplierMatrix::place(std::size_t i, std::size_t j) const noexcept {
  if (i == j) return rows_[i].diagonal;
  const auto near = neighbours(i);
  const auto found = std::lower_bound(near.begin(), near.end(), position_[j],
                                      [&](const Neighbour& a, std::size_t at) { return position_[a.block] < at; });
  return found->place;
}

void MultiplierMatrix::clear() noexcept {
  for (auto* values : {&values_, &right_, &weights_, &terms_, &noise_, &usual_})
    std::fill(values->begin(), values->end(), 0.0);
  smallest_pivot_ = 1;
}

/// The place of the row with the largest pivot relative to its terms, among those from `from` on that are not left out
/// and whose pivot is above its rounding; the size of the block if there is none. Relative to the diagonal, a row with
/// almost no compliance would count as much as the others.
std::size_t MultiplierMatrix::largest_pivot(const Row& row, std::size_t from, unsigned left_out) const noexcept {
  const double* A = values_.data() + row.diagonal;
  std::size_t best = row.size;
  double largest = 0;
  for (std::size_t k = from; k < row.size; ++k) {
    const double pivot = A[k * row.size + k], terms = terms_[row.first + k];
    if ((left_out >> row_at_[row.first + k] & 1u) != 0) continue;
    if (!(pivot > noise_[row.first + k] && pivot > least_pivot * usual_[row.first + k])) continue;
    if (pivot <= largest * terms) continue;
    largest = pivot / terms;
    best = k;
  }
  return best;
}

/// The same among the given rows, whatever their pivots.
std::size_t MultiplierMatrix::largest_of(const Row& row, std::size_t from, unsigned rows) const noexcept {
  const double* A = values_.data() + row.diagonal;
  std::size_t best = row.size;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = from; k < row.size; ++k) {
    const double terms = terms_[row.first + k];
    if ((rows >> row_at_[row.first + k] & 1u) == 0 || !(terms > 0)) continue;
    if (!(A[k * row.size + k] > largest * terms)) continue;
    largest = A[k * row.size + k] / terms;
    best = k;
  }
  return best;
}

/// Exchanges two rows of a block, and its columns.
void MultiplierMatrix::exchange(const Row& row, std::size_t a, std::size_t b) noexcept {
  if (a == b) return;
  const std::size_t n = row.size;
  double* A = values_.data() + row.diagonal;
  for (std::size_t k = 0; k < n; ++k) std::swap(A[a * n + k], A[b * n + k]);
  for (std::size_t k = 0; k < n; ++k) std::swap(A[k * n + a], A[k * n + b]);
  for (auto* of_rows : {&terms_, &noise_, &usual_}) std::swap((*of_rows)[row.first + a], (*of_rows)[row.first + b]);
  std::swap(row_at_[row.first + a], row_at_[row.first + b]);
  for (std::size_t k = row.neighbour; k < row.neighbour + row.neighbours; ++k) {
    double* X = values_.data() + neighbours_[k].place;
    const std::size_t m = neighbours_[k].size;
    std::swap_ranges(X + a * m, X + (a + 1) * m, X + b * m);
  }
}

void MultiplierMatrix::factorize(const Row& row, unsigned& left_out, const unsigned* independent) noexcept {
  const std::size_t n = row.size;
  double* A = values_.data() + row.diagonal;
  double* noise = noise_.data() + row.first;
  for (std::size_t r = 0; r < n; ++r) {
    row_at_[row.first + r] = r;
    double& terms = terms_[row.first + r];
    terms = std::max(terms, weights_[row.first + r]);
    usual_[row.first + r] = std::max(usual_[row.first + r], weights_[row.first + r]);
    noise[r] += rounding * std::sqrt(weights_[row.first + r] * terms) + rounding * rounding * terms;
    for (std::size_t k = 0; k < r; ++k) A[k * n + r] = A[r * n + k];
  }
  std::size_t c = 0;
  for (; c < n; ++c) {
    const std::size_t best =
        independent != nullptr ? largest_of(row, c, *independent) : largest_pivot(row, c, left_out);
    if (best == n) break;
    exchange(row, c, best);
    if (independent != nullptr) A[c * n + c] = std::max(A[c * n + c], lost_pivot * noise[c]);
    const double inverse = 1 / A[c * n + c];
    smallest_pivot_ = std::min(smallest_pivot_, A[c * n + c] / usual_[row.first + c]);
    inverse_[row.first + c] = inverse;
    for (std::size_t r = c + 1; r < n; ++r) {
      const double l = A[r * n + c] * inverse;
      for (std::size_t k = c + 1; k < n; ++k) A[r * n + k] -= l * A[c * n + k];
      noise[r] += l * l * noise[c];
    }
    for (std::size_t r = c + 1; r < n; ++r) A[r * n + c] *= inverse;
  }
  for (std::size_t k = c; k < n; ++k) {
    inverse_[row.first + k] = 0;
    const unsigned bit = 1u << row_at_[row.first + k];
    for (std::size_t r = k + 1; r < n; ++r) A[r * n + k] = 0;
    if (independent != nullptr) continue;  // the dependent rows are known
    if ((left_out & bit) == 0 && A[k * n + k] > noise[k])
      smallest_pivot_ = std::min(smallest_pivot_, A[k * n + k] / usual_[row.first + k]);  // this once
    else
      left_out |= bit;
  }
}

unsigned MultiplierMatrix::eliminated(std::size_t i) const noexcept {
  unsigned rows = 0;
  for (std::size_t k = rows_[i].first; k < rows_[i].first + rows_[i].size; ++k)
    if (inverse_[k] > 0) rows |= 1u << row_at_[k];
  return rows;
}

/// They are sums of what each loop resists with, and lose digits only where others of these rows take part of it.
bool MultiplierMatrix::factorize_negative(const Row& row) noexcept {
  const std::size_t n = row.size;
  double* A = values_.data() + row.diagonal;
  double* noise = noise_.data() + row.first;
  for (std::size_t r = 0; r < n; ++r) {
    row_at_[row.first + r] = r;
    for (std::size_t k = 0; k < r; ++k) A[k * n + r] = A[r * n + k];
  }
  bool all = true;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    const auto part = [&](std::size_t k) {
      const double pivot = -A[k * n + k];
      return pivot > rounding * terms_[row.first + k] ? pivot / weights_[row.first + row_at_[row.first + k]] : 0.0;
    };
    for (std::size_t k = c + 1; k < n; ++k)
      if (part(k) > part(best)) best = k;
    exchange(row, c, best);
    const bool stands = part(c) > least_negative;
    all = all && stands;
    const double inverse = inverse_[row.first + c] = stands ? 1 / A[c * n + c] : 0;
    for (std::size_t r = c + 1; r < n; ++r) {
      const double l = A[r * n + c] * inverse;
      for (std::size_t k = c + 1; k < n; ++k) A[r * n + k] -= l * A[c * n + k];
      noise[r] += l * l * noise[c];
    }
    for (std::size_t r = c + 1; r < n; ++r) A[r * n + c] *= inverse;
  }
  return all;
}

bool MultiplierMatrix::eliminate_negative(std::size_t i) noexcept {
  const bool all = factorize_negative(rows_[i]);
  eliminate_factorized(i);
  return all;
}

void MultiplierMatrix::eliminate(std::size_t i, unsigned& left_out, const unsigned* independent) noexcept {
  factorize(rows_[i], left_out, independent);
  eliminate_factorized(i);
}

void MultiplierMatrix::eliminate_factorized(std::size_t i) noexcept {
  const Row& row = rows_[i];
  const std::size_t n = row.size;
  const double* L = values_.data() + row.diagonal;
  const double* inverse = inverse_.data() + row.first;
  for (const Neighbour& near : neighbours(i)) {
    double* X = values_.data() + near.place;
    for (std::size_t r = 1; r < n; ++r)
      for (std::size_t s = 0; s < r; ++s)
        for (std::size_t k = 0; k < near.size; ++k) X[r * near.size + k] -= L[r * n + s] * X[s * near.size + k];
  }
  const std::size_t* update = updates_.data() + row.update;
  const auto near = neighbours(i);
  for (std::size_t a = 0; a < near.size(); ++a) {
    const double* Xa = values_.data() + near[a].place;
    const std::size_t na = near[a].size;
    double* noise = noise_.data() + rows_[near[a].block].first;
    const bool negative = near[a].block >= first_negative_;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t p = 0; p < na; ++p) {
        const double l = Xa[r * na + p] * inverse[r];
        noise[p] += l * l * noise_[row.first + r];
        if (negative) terms_[rows_[near[a].block].first + p] += std::abs(l * Xa[r * na + p]);
      }
    for (std::size_t b = a; b < near.size(); ++b) {
      const double* Xb = values_.data() + near[b].place;
      const std::size_t nb = near[b].size;
      double* target = values_.data() + *update++;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t p = 0; p < na; ++p) {
          const double x = Xa[r * na + p] * inverse[r];
          for (std::size_t k = 0; k < nb; ++k) target[p * nb + k] -= x * Xb[r * nb + k];
        }
    }
  }
  eliminate_right(i);
}

void MultiplierMatrix::eliminate_right(std::size_t i) noexcept {
  const Row& row = rows_[i];
  const std::size_t n = row.size;
  const double* L = values_.data() + row.diagonal;
  double* c = right_.data() + row.first;
  double g[most_rows];
  std::copy_n(c, n, g);
  for (std::size_t r = 0; r < n; ++r) {
    c[r] = g[row_at_[row.first + r]];
    for (std::size_t s = 0; s < r; ++s) c[r] -= L[r * n + s] * c[s];
  }
  for (const Neighbour& near : neighbours(i)) {
    const double* X = values_.data() + near.place;
    double* right = right_.data() + rows_[near.block].first;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t p = 0; p < near.size; ++p) right[p] -= X[r * near.size + p] * inverse_[row.first + r] * c[r];
  }
}

void MultiplierMatrix::solve(std::size_t i, const double* y, double* lambda) const noexcept {
  const Row& row = rows_[i];
  const std::size_t n = row.size;
  const double* L = values_.data() + row.diagonal;
  double out[most_rows];
  for (std::size_t r = 0; r < n; ++r) out[r] = right_[row.first + r] + (y != nullptr ? y[r] : 0.0);
  for (const Neighbour& near : neighbours(i)) {
    const double* X = values_.data() + near.place;
    const double* of_near = lambda + rows_[near.block].first;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < near.size; ++k) out[r] -= X[r * near.size + k] * of_near[k];
  }
  for (std::size_t r = 0; r < n; ++r) out[r] *= inverse_[row.first + r];
  for (std::size_t r = n; r-- > 0;)
    for (std::size_t s = r + 1; s < n; ++s) out[r] -= L[s * n + r] * out[s];
  for (std::size_t r = 0; r < n; ++r) lambda[row.first + row_at_[row.first + r]] = out[r];
}

}  // namespace polyform
