#include "framework/host/assembly/sparse_qr.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline assembly {
namespace {

constexpr std::size_t unpivoted = static_cast<std::size_t>(-1);

}  // namespace

void SparseQr::order(std::size_t rows, std::size_t columns, std::span<const Entry> entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Entry& e : entries) triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.column), e.value);
  Eigen::SparseMatrix<double> A(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  A.setFromTriplets(triplets.begin(), triplets.end());
  A.makeCompressed();
  Eigen::COLAMDOrdering<int>::PermutationType permutation;
  Eigen::COLAMDOrdering<int>()(A, permutation);
  place_.assign(columns, 0);
  order_.assign(columns, 0);
  for (std::size_t c = 0; c < columns; ++c) {
    place_[c] = static_cast<std::size_t>(permutation.indices()[static_cast<Eigen::Index>(c)]);
    order_[place_[c]] = c;
  }
}

void SparseQr::compute(std::size_t rows, std::size_t columns, std::span<const Entry> entries, double tolerance) {
  pivots_.clear();
  reflections_.clear();
  slots_.clear();
  vector_.clear();
  left_out_part_ = 0;
  pivot_at_.assign(columns, unpivoted);
  rows_.assign(rows, {});
  begins_.assign(columns, {});
  in_front_.assign(columns, unpivoted);
  if (rows == 0 || columns == 0) return;
  order(rows, columns, entries);
  for (const Entry& e : entries) rows_[e.row].emplace_back(place_[e.column], e.value);
  for (std::size_t r = 0; r < rows; ++r) {
    Row& row = rows_[r];
    std::ranges::sort(row, {}, [](const auto& entry) { return entry.first; });
    std::size_t last = 0;  // entries of one column are summed
    for (std::size_t k = 1; k < row.size(); ++k)
      if (row[k].first == row[last].first)
        row[last].second += row[k].second;
      else
        row[++last] = row[k];
    if (row.empty()) continue;
    row.resize(last + 1);
    begins_[row.front().first].push_back(r);
  }
  for (std::size_t place = 0; place < columns; ++place) eliminate(place, tolerance);
}

/// All columns of these rows, ascending; in_front_ gets their places among them.
std::vector<std::size_t> SparseQr::columns_of(std::span<const std::size_t> slots) {
  std::vector<std::size_t> columns;
  for (const std::size_t r : slots)
    for (const auto& [column, value] : rows_[r])
      if (std::exchange(in_front_[column], 0) == unpivoted) columns.push_back(column);
  std::ranges::sort(columns);
  for (std::size_t c = 0; c < columns.size(); ++c) in_front_[columns[c]] = c;
  return columns;
}

void SparseQr::eliminate(std::size_t place, double tolerance) {
  const std::vector<std::size_t> front = std::exchange(begins_[place], {});
  if (front.empty()) return;
  double square = 0, largest = 0;
  std::size_t pivot = 0;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double x = rows_[front[i]].front().second;
    square += x * x;
    if (std::abs(x) > largest) {
      largest = std::abs(x);
      pivot = i;
    }
  }
  const double length = std::sqrt(square);
  const auto put_back = [&](std::size_t r) {
    if (!rows_[r].empty()) begins_[rows_[r].front().first].push_back(r);
  };
  if (!(length > tolerance)) {
    if (length > left_out_part_) {
      left_out_part_ = length;
      nearly_independent_ = order_[place];
    }
    for (const std::size_t r : front) {
      rows_[r].erase(rows_[r].begin());
      put_back(r);
    }
    return;
  }
  // The reflection x → x − v (vᵀ x) with |v|² = 2 takes the column to its first row.
  const Reflection reflection{slots_.size(), front.size()};
  slots_.push_back(front[pivot]);
  for (std::size_t i = 0; i < front.size(); ++i)
    if (i != pivot) slots_.push_back(front[i]);
  const double head = rows_[front[pivot]].front().second, sign = head < 0 ? -1 : 1;
  const double factor = 1 / std::sqrt(length * (length + std::abs(head)));
  for (std::size_t i = 0; i < front.size(); ++i)
    vector_.push_back(factor * (rows_[slots_[reflection.first + i]].front().second + (i == 0 ? sign * length : 0)));
  if (front.size() > 1) {
    reflections_.push_back(reflection);
  } else {
    slots_.pop_back();
    vector_.pop_back();
    pivot_at_[place] = pivots_.size();
    pivots_.push_back({order_[place], front[0], std::exchange(rows_[front[0]], {})});
    return;
  }
  const std::span<const std::size_t> slots = std::span(slots_).subspan(reflection.first, reflection.count);
  const std::span<const double> v = std::span(vector_).subspan(reflection.first, reflection.count);
  const std::vector<std::size_t> columns = columns_of(slots);
  const std::size_t width = columns.size();
  std::vector<double> along(width), mixed(width);
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (const auto& [column, value] : rows_[slots[i]]) along[in_front_[column]] += v[i] * value;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Row& row = rows_[slots[i]];
    for (std::size_t c = 0; c < width; ++c) mixed[c] = -v[i] * along[c];
    for (const auto& [column, value] : row) mixed[in_front_[column]] += value;
    row.clear();
    for (std::size_t c = i == 0 ? 0 : 1; c < width; ++c)
      if (mixed[c] != 0) row.emplace_back(columns[c], mixed[c]);
    if (i > 0) put_back(slots[i]);
  }
  for (const std::size_t column : columns) in_front_[column] = unpivoted;
  pivot_at_[place] = pivots_.size();
  pivots_.push_back({order_[place], slots[0], std::exchange(rows_[slots[0]], {})});
}

double SparseQr::least_pivot() const {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Pivot& pivot : pivots_) {
    const double size = std::abs(pivot.row.front().second);
    least = std::min(least, size);
    most = std::max(most, size);
  }
  return most > 0 ? least / most : 1;
}

void SparseQr::apply(const Reflection& reflection, std::span<double> y) const {
  const std::size_t end = reflection.first + reflection.count;
  double along = 0;
  for (std::size_t i = reflection.first; i < end; ++i) along += vector_[i] * y[slots_[i]];
  for (std::size_t i = reflection.first; i < end; ++i) y[slots_[i]] -= vector_[i] * along;
}

/// R₁ᵀ z = b row after row, y = Q z.
void SparseQr::shortest(std::span<const double> b, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  std::vector<double> right(b.begin(), b.end());
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const Row& row = pivots_[k].row;
    const double z = right[k] / row.front().second;
    y[pivots_[k].slot] = z;
    for (std::size_t e = 1; e < row.size(); ++e)
      if (const std::size_t later = pivot_at_[row[e].first]; later != unpivoted) right[later] -= row[e].second * z;
  }
  for (std::size_t i = reflections_.size(); i-- > 0;) apply(reflections_[i], y);
}

void SparseQr::take_out(std::span<double> y) const {
  for (const Reflection& reflection : reflections_) apply(reflection, y);
  for (const Pivot& pivot : pivots_) y[pivot.slot] = 0;
  for (std::size_t i = reflections_.size(); i-- > 0;) apply(reflections_[i], y);
}

}  // namespace polyform::host::assembly
