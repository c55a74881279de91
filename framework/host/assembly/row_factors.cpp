#include "framework/host/assembly/row_factors.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline assembly {
namespace {

using Eigen::Index;

/// Rounds of scaling by the square roots of the largest entries (Ruiz 2001). Each round halves the logarithms of these
/// entries.
constexpr int row_rounds = 6;
/// A random motion of size 1, less its part in the span of the rows, has smaller entries than this in columns that the
/// rows settle. What is left there is rounding, enlarged by levers of up to some hundred thousand.
constexpr double settled_by_rows = 1e-6;

}  // namespace

RowScales::RowScales(const ConstraintJacobian& jacobian, std::size_t columns)
    : row(jacobian.rows().size(), 1.0), column(columns, 1.0) {
  std::vector<double> most_of_row(row.size()), most_of_column(columns);
  // By their largest entries alone, columns of turns and of shifts would compare by the unit of length.
  for (std::size_t c = 0; c < columns; ++c) column[c] = jacobian.unit(c);
  for (const ConstraintJacobian::Entry& e : jacobian.entries())
    most_of_row[e.row] = std::max(most_of_row[e.row], e.reach * column[e.column]);
  for (std::size_t r = 0; r < row.size(); ++r)
    if (most_of_row[r] > 0) row[r] = 1 / most_of_row[r];
  for (int round = 0; round < row_rounds; ++round) {
    std::ranges::fill(most_of_row, 0.0);
    std::ranges::fill(most_of_column, 0.0);
    for (const ConstraintJacobian::Entry& e : jacobian.entries()) {
      const double size = row[e.row] * e.reach * column[e.column];
      most_of_row[e.row] = std::max(most_of_row[e.row], size);
      most_of_column[e.column] = std::max(most_of_column[e.column], size);
    }
    for (std::size_t r = 0; r < row.size(); ++r)
      if (most_of_row[r] > 0) row[r] /= std::sqrt(most_of_row[r]);
    for (std::size_t c = 0; c < columns; ++c)
      if (most_of_column[c] > 0) column[c] /= std::sqrt(most_of_column[c]);
  }
}

RowFactors::RowFactors(const ConstraintJacobian& jacobian, const RowScales& scales, const std::vector<char>& kept)
    : scales_(scales), row_place_(jacobian.rows().size(), none), column_place_(kept.size(), none), kept_(kept) {
  for (const ConstraintJacobian::Entry& e : jacobian.entries())
    if (!kept[e.column])
      entries_.push_back({e.row, e.column, scales_.row[e.row] * e.value * scales_.column[e.column], 0});
  std::ranges::stable_sort(entries_, {}, &ConstraintJacobian::Entry::row);
  for (std::size_t r = 0; r < jacobian.rows().size(); ++r) {
    const ConstraintJacobian::Row& now = jacobian.rows()[r];
    if (r == 0 || now.name != jacobian.rows()[r - 1].name || now.kind != jacobian.rows()[r - 1].kind)
      groups_.push_back(r);
  }
  groups_.push_back(jacobian.rows().size());
}

/// Rows of one joint or element are compared with each other first. In a planar loop, three of the five rows of a pin
/// depend on others; the largest are chosen.
void RowFactors::choose_rows(double tolerance) {
  rows_.clear();
  columns_.clear();
  std::ranges::fill(row_place_, none);
  std::ranges::fill(column_place_, none);
  std::vector<Index> place(column_place_.size(), -1);
  std::size_t next = 0;
  for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
    const std::size_t first = next;
    std::vector<std::size_t> touched;
    for (; next < entries_.size() && entries_[next].row < groups_[g + 1]; ++next) {
      Index& at = place[entries_[next].column];
      if (at >= 0) continue;
      at = static_cast<Index>(touched.size());
      touched.push_back(entries_[next].column);
    }
    if (touched.empty()) continue;
    Eigen::MatrixXd block =
        Eigen::MatrixXd::Zero(static_cast<Index>(touched.size()), static_cast<Index>(groups_[g + 1] - groups_[g]));
    for (std::size_t k = first; k < next; ++k)
      block(place[entries_[k].column], static_cast<Index>(entries_[k].row - groups_[g])) += entries_[k].value;
    for (const std::size_t c : touched) place[c] = -1;
    const PivotedColumns pivots = pivoted_columns(block);
    for (Index k = 0; k < pivots.sizes.size(); ++k) {
      const std::size_t row = groups_[g] + static_cast<std::size_t>(pivots.order[static_cast<std::size_t>(k)]);
      if (const double part = pivots.sizes[k]; !(part > tolerance)) {
        note_left_out(row, part);
        break;
      }
      row_place_[row] = rows_.size();
      rows_.push_back(row);
    }
  }
}

void RowFactors::note_left_out(std::size_t row, double part) {
  if (!(part > left_out_part_)) return;
  left_out_part_ = part;
  nearly_independent_ = row;
}

void RowFactors::factorize(double tolerance) {
  independent_.clear();
  left_out_part_ = 0;
  nearly_independent_ = none;
  choose_rows(tolerance);
  std::vector<SparseQr::Entry> transposed;
  for (const ConstraintJacobian::Entry& e : entries_) {
    std::size_t& column = column_place_[e.column];
    if (column == none) {  // a column without a chosen row is free
      column = columns_.size();
      columns_.push_back(e.column);
    }
    if (row_place_[e.row] != none) transposed.push_back({column, row_place_[e.row], e.value});
  }
  qr_.compute(columns_.size(), rows_.size(), transposed, tolerance);
  if (qr_.left_out_part() > 0) note_left_out(rows_[qr_.nearly_independent()], qr_.left_out_part());
  for (std::size_t k = 0; k < qr_.rank(); ++k) independent_.push_back(rows_[qr_.column(k)]);
}

void RowFactors::least_change(std::span<const double> left, std::span<double> d) const {
  std::fill(d.begin(), d.end(), 0.0);
  std::vector<double> b, y(columns_.size());
  for (const std::size_t row : independent_) b.push_back(scales_.row[row] * left[row]);
  qr_.shortest(b, y);
  for (std::size_t c = 0; c < columns_.size(); ++c) d[columns_[c]] = scales_.column[columns_[c]] * y[c];
}

/// The rows allow a random motion less its part in their span. That motion moves every column that can move.
std::vector<char> RowFactors::settled() const {
  std::vector<char> out(kept_);
  std::vector<double> z(columns_.size());
  std::uint64_t seed = 1;
  for (double& x : z) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x = 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
  }
  qr_.take_out(z);
  for (std::size_t c = 0; c < columns_.size(); ++c) out[columns_[c]] = std::abs(z[c]) < settled_by_rows;
  return out;
}

}  // namespace polyform::host::assembly
