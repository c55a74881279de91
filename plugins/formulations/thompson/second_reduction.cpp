#include "second_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/mechanics/judgement.hpp"

namespace polyform::thompson {
namespace {

/// The bound off the constraints: a row depends on others only if the elimination leaves nothing but rounding of it.
constexpr double dependent_anywhere = 1e-13;

}  // namespace

void SecondReduction::analyze(std::size_t coordinates, std::vector<Group> groups) {
  coordinates_ = coordinates;
  rows_ = 0;
  // Coordinates that earlier groups connect.
  std::vector<std::size_t> parent(coordinates), columns_of(coordinates, 0);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
  };
  std::vector<std::vector<std::size_t>> groups_at(coordinates);  // per root, the earlier groups
  std::size_t values = 0, elements = 0, most = 0;
  for (Group& group : groups) {
    Rows rows{rows_, group.rows, values, std::move(group.columns), {}, 0, 0, 0};
    if (!rows.columns.empty()) {
      std::vector<std::size_t> roots;
      for (const std::size_t c : rows.columns) roots.push_back(root(c));
      std::sort(roots.begin(), roots.end());
      roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
      std::vector<std::size_t> together;
      std::size_t pattern = 0;
      for (const std::size_t r : roots) {
        together.insert(together.end(), groups_at[r].begin(), groups_at[r].end());
        groups_at[r].clear();
        pattern += std::max<std::size_t>(columns_of[r], 1);
        parent[r] = roots.front();
      }
      std::sort(together.begin(), together.end());
      rows.met = together;
      together.push_back(groups_.size());
      groups_at[roots.front()] = std::move(together);
      columns_of[roots.front()] = pattern;
      elements += rows.rows * pattern;
    }
    rows_ += rows.rows;
    values += rows.rows * rows.columns.size();
    most = std::max(most, rows.rows);
    groups_.push_back(std::move(rows));
  }
  values_.resize(values);
  scales_.resize(rows_);
  units_.assign(coordinates, 1.0);
  reduced_right_.resize(rows_);
  pivots_.reserve(rows_);
  u_.reserve(elements);
  steps_.reserve(elements);
  independent_.reserve(coordinates);
  dependent_.resize(coordinates);
  work_.rows.resize(most * coordinates);
  work_.touched.reserve(coordinates);
  work_.is_touched.resize(coordinates);
  work_.steps.resize(most);
  for (auto& steps : work_.steps) steps.reserve(std::min(rows_, coordinates));
}

void SecondReduction::eliminate(bool anew) noexcept {
  pivots_.clear();
  u_.clear();
  steps_.clear();
  std::fill(dependent_.begin(), dependent_.end(), static_cast<unsigned char>(0));
  smallest_pivot_ = 1;
  for (Rows& group : groups_) {
    if (anew) group.left_out = 0;
    scatter(group);
    std::uint64_t done = group.left_out;
    for (std::size_t r = 0; r < group.rows; ++r)
      if (scales_[group.first_row + r] == 0) done |= std::uint64_t{1} << r;
    for (const std::size_t earlier : group.met)
      for (std::size_t p = groups_[earlier].first_pivot; p < groups_[earlier].first_pivot + groups_[earlier].pivots;
           ++p)
        if (work_.is_touched[pivots_[p].column] != 0) subtract(p, group.rows, done);
    group.first_pivot = pivots_.size();
    std::size_t row = 0, column = 0;
    double relative = 0;
    while (find_pivot(group, done, row, column, relative)) {
      if (relative < (anew ? least_independent : dependent_anywhere)) break;
      smallest_pivot_ = std::min(smallest_pivot_, relative);
      keep(group, row, column);
      done |= std::uint64_t{1} << row;
      subtract(pivots_.size() - 1, group.rows, done);
    }
    group.pivots = pivots_.size() - group.first_pivot;
    for (std::size_t r = 0; r < group.rows; ++r)
      if ((done >> r & 1) == 0) group.left_out |= std::uint64_t{1} << r;
    for (const std::size_t c : work_.touched) {
      work_.is_touched[c] = 0;
      for (std::size_t r = 0; r < group.rows; ++r) work_.rows[r * coordinates_ + c] = 0;
    }
  }
  independent_.clear();
  for (std::size_t c = 0; c < coordinates_; ++c)
    if (dependent_[c] == 0) independent_.push_back(c);
}

void SecondReduction::touch(std::size_t column) noexcept {
  if (work_.is_touched[column] != 0) return;
  work_.is_touched[column] = 1;
  work_.touched.push_back(column);
}

void SecondReduction::scatter(const Rows& group) noexcept {
  work_.touched.clear();
  const double* value = values_.data() + group.first_value;
  for (std::size_t r = 0; r < group.rows; ++r) {
    work_.steps[r].clear();
    for (const std::size_t c : group.columns) {
      touch(c);
      work_.rows[r * coordinates_ + c] = *value++;
    }
  }
}

/// Subtracts a row of U from the rows in work that are not done, so that its dependent coordinate vanishes there.
void SecondReduction::subtract(std::size_t p, std::size_t rows, std::uint64_t done) noexcept {
  const Pivot& pivot = pivots_[p];
  for (std::size_t r = 0; r < rows; ++r) {
    if ((done >> r & 1) != 0) continue;
    double* w = work_.rows.data() + r * coordinates_;
    const double factor = w[pivot.column];
    if (factor == 0) continue;
    for (std::size_t e = pivot.first; e < pivot.first + pivot.count; ++e) {
      touch(u_[e].column);
      w[u_[e].column] -= factor * u_[e].value;
    }
    w[pivot.column] = 0;
    work_.steps[r].push_back({p, factor});
  }
}

/// Finds the largest element that is left, relative to the terms of its row. False if no row is left.
bool SecondReduction::find_pivot(const Rows& group, std::uint64_t done, std::size_t& row, std::size_t& column,
                                 double& relative) const noexcept {
  bool found = false;
  for (std::size_t r = 0; r < group.rows; ++r) {
    if ((done >> r & 1) != 0) continue;
    const double scale = scales_[group.first_row + r];
    for (const std::size_t c : work_.touched) {
      const double size = std::abs(work_.rows[r * coordinates_ + c]) * units_[c] / scale;
      if (found && !(size > relative)) continue;
      found = true;
      row = r;
      column = c;
      relative = size;
    }
  }
  return found;
}

/// Makes a row in work one of U.
void SecondReduction::keep(const Rows& group, std::size_t row, std::size_t column) noexcept {
  const double* w = work_.rows.data() + row * coordinates_;
  Pivot pivot{group.first_row + row, column, u_.size(), 0, steps_.size(), work_.steps[row].size(), 1 / w[column]};
  for (const std::size_t c : work_.touched)
    if (c != column && w[c] != 0) u_.push_back({c, pivot.inverse * w[c]});
  pivot.count = u_.size() - pivot.first;
  steps_.insert(steps_.end(), work_.steps[row].begin(), work_.steps[row].end());
  dependent_[column] = 1;
  pivots_.push_back(pivot);
}

void SecondReduction::particular(const double* right, double* x) noexcept {
  for (std::size_t p = 0; p < pivots_.size(); ++p) {
    const Pivot& pivot = pivots_[p];
    double sum = right[pivot.row];
    for (std::size_t s = pivot.first_step; s < pivot.first_step + pivot.steps; ++s)
      sum -= steps_[s].factor * reduced_right_[steps_[s].pivot];
    reduced_right_[p] = pivot.inverse * sum;
  }
  std::fill_n(x, coordinates_, 0.0);
  substitute(reduced_right_.data(), x);
}

/// Goes from the last pivot to the first: a row of U holds coordinates of later pivots and independent ones.
void SecondReduction::substitute(const double* right, double* x) const noexcept {
  for (std::size_t p = pivots_.size(); p-- > 0;) {
    const Pivot& pivot = pivots_[p];
    double sum = right == nullptr ? 0 : right[p];
    for (std::size_t e = pivot.first; e < pivot.first + pivot.count; ++e) sum -= u_[e].value * x[u_[e].column];
    x[pivot.column] = sum;
  }
}

void SecondReduction::fold(double* y) const noexcept {
  for (const Pivot& pivot : pivots_)
    for (std::size_t e = pivot.first; e < pivot.first + pivot.count; ++e)
      y[u_[e].column] -= u_[e].value * y[pivot.column];
}

void SecondReduction::multipliers(double* y, double* lambda) noexcept {
  fold(y);  // now Uᵀ μ = y: μ stands in the dependent coordinates
  std::fill_n(lambda, rows_, 0.0);
  for (std::size_t p = pivots_.size(); p-- > 0;) {  // Eᵀ μ
    const Pivot& pivot = pivots_[p];
    const double of_row = lambda[pivot.row] = pivot.inverse * y[pivot.column];
    for (std::size_t s = pivot.first_step; s < pivot.first_step + pivot.steps; ++s)
      y[pivots_[steps_[s].pivot].column] -= steps_[s].factor * of_row;
  }
}

}  // namespace polyform::thompson
