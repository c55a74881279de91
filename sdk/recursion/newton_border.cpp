#include "polyform/solvers/newton/newton_border.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

namespace {

// A combination below this part of the largest is rounding of the differences.
constexpr double least_combination = 1e-9;
// A row of a loop whose pivot is below this part of the largest depends on others.
constexpr double least_pivot = 1e-11;

// What a force may have where all that forces may have would be too much: its largest combinations.
constexpr std::size_t most_if_many = 8;

std::size_t size_of(const LinearizedTree& tree, std::size_t most_of_one) {
  std::size_t size = tree.rows().size();
  for (const LinearizedTree::Far& f : tree.far()) size += std::min(f.most, most_of_one);
  return size;
}

/// The combinations that each force may have at most.
std::size_t most_combinations(const LinearizedTree& tree, std::size_t largest) {
  return size_of(tree, largest) > largest ? most_if_many : largest;
}

}  // namespace

template <class T>
std::size_t NewtonBorder<T>::most(const LinearizedTree& tree) noexcept {
  return size_of(tree, most_combinations(tree, largest));
}

template <class T>
NewtonBorder<T>::NewtonBorder(const LinearizedTree& tree, NewtonSweep<T>& sweep, StateCouplings<T>& states)
    : tree_(tree), sweep_(sweep), states_(states), rows_(tree.rows().size()) {
  if (most(tree) > largest) return;
  const std::size_t most_of_one = most_combinations(tree, largest);
  std::size_t numbers = 0, work = 0;
  for (std::size_t i = 0; i < tree.far().size(); ++i) {
    const LinearizedTree::Far& f = tree.far()[i];
    splits_.push_back({i, 0, 0, std::min(f.most, most_of_one), numbers});
    numbers += 2 * splits_.back().most * f.count;
    work = std::max(work, f.count * f.count);
  }
  const std::size_t size = most(tree);
  const std::size_t directions = tree.directions();
  numbers_.resize(numbers);
  work_.resize(work);
  responses_.resize(size * directions);
  matrix_.resize(size * size);
  right_.resize(size);
  unknowns_.resize(size);
  found_.resize(directions);
  row_order_.resize(size);
  column_order_.resize(size);
}

/// Writes E = K + G/γ of a force, with what its states do, as L R, by its largest elements one after the other.
template <class T>
void NewtonBorder<T>::split(const LinearizedTree::Far& f) noexcept {
  Split& s = splits_[static_cast<std::size_t>(&f - tree_.far().data())];
  using std::abs;
  const std::size_t n = f.count;
  for (std::size_t k = 0; k < n * n; ++k) work_[k] = tree_.far_K(f)[k] + sweep_.by_gamma() * tree_.far_G(f)[k];
  if (f.states != LinearizedTree::none) {
    const T* const across = states_.across(f.states);
    for (std::size_t k = 0; k < n * n; ++k) work_[k] += across[k];
  }
  double scale = 0;
  s.first = size_;
  s.count = 0;
  for (; s.count < s.most; ++s.count) {
    std::size_t pivot = 0;
    for (std::size_t k = 1; k < n * n; ++k)
      if (abs(work_[k]) > abs(work_[pivot])) pivot = k;
    const double size = abs(work_[pivot]);
    scale = std::max(scale, size);
    if (!(size > least_combination * scale)) break;
    const std::size_t row = pivot / n, column = pivot % n;
    T* const L = numbers_.data() + s.at + s.count * n;
    T* const R = L + s.most * n;
    const T inverse = T(1) / work_[pivot];
    for (std::size_t k = 0; k < n; ++k) {
      L[k] = work_[k * n + column] * inverse;
      R[k] = work_[row * n + k];
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) work_[i * n + j] -= L[i] * R[j];
  }
  size_ += s.count;
}

template <class T>
T NewtonBorder<T>::displacement(std::size_t row, std::span<const T> found) const noexcept {
  T sum{};
  for (const LinearizedTree::Pattern& p : tree_.patterns(tree_.rows()[row])) sum += sweep_.displacement(p, found);
  return sum;
}

/// A column of the matrix: the displacements under a unit of an unknown, and all combinations of them.
template <class T>
void NewtonBorder<T>::respond(std::size_t k) noexcept {
  sweep_.begin_at_rest();
  if (k < rows_) {
    for (const LinearizedTree::Pattern& p : tree_.patterns(tree_.rows()[k])) sweep_.load(p, T(1));
  } else {
    for (const Split& s : splits_) {
      if (k < s.first || k >= s.first + s.count) continue;
      const LinearizedTree::Far& f = tree_.far()[s.far];
      const T* const L = numbers_.data() + s.at + (k - s.first) * f.count;
      for (std::size_t i = 0; i < f.count; ++i) sweep_.load(tree_.pattern(f.first + i), L[i]);
    }
  }
  const std::span<T> out = std::span(responses_).subspan(k * found_.size(), found_.size());
  sweep_.find(out);
  for (std::size_t i = 0; i < rows_; ++i) matrix_[i * size_ + k] = displacement(i, out);
  for (const Split& s : splits_) {
    const LinearizedTree::Far& f = tree_.far()[s.far];
    for (std::size_t j = 0; j < s.count; ++j) {
      const T* const R = numbers_.data() + s.at + (s.most + j) * f.count;
      T sum{};
      for (std::size_t i = 0; i < f.count; ++i) sum += R[i] * sweep_.displacement(tree_.pattern(f.first + i), out);
      matrix_[(s.first + j) * size_ + k] = sum - T(k == s.first + j);
    }
  }
}

template <class T>
bool NewtonBorder<T>::factorize() noexcept {
  size_ = rows_;
  for (const LinearizedTree::Far& f : tree_.far()) split(f);
  for (std::size_t k = 0; k < size_; ++k) respond(k);
  eliminate();
  return true;
}

/// Factorizes by the largest of all elements; rows that depend on others are left at the end.
template <class T>
void NewtonBorder<T>::eliminate() noexcept {
  using std::abs;
  double scale = 0;
  for (std::size_t k = 0; k < size_; ++k) row_order_[k] = column_order_[k] = k;
  for (rank_ = 0; rank_ < size_; ++rank_) {
    const std::size_t k = rank_;
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < size_; ++i)
      for (std::size_t j = k; j < size_; ++j)
        if (abs(matrix_[i * size_ + j]) > abs(matrix_[row * size_ + column])) row = i, column = j;
    const double size = abs(matrix_[row * size_ + column]);
    scale = std::max(scale, size);
    if (!(size > least_pivot * scale)) return;
    std::swap(row_order_[k], row_order_[row]);
    std::swap(column_order_[k], column_order_[column]);
    for (std::size_t j = 0; j < size_ && row != k; ++j) std::swap(matrix_[k * size_ + j], matrix_[row * size_ + j]);
    for (std::size_t i = 0; i < size_ && column != k; ++i)
      std::swap(matrix_[i * size_ + k], matrix_[i * size_ + column]);
    const T inverse = T(1) / matrix_[k * size_ + k];
    for (std::size_t i = k + 1; i < size_; ++i) {
      const T factor = matrix_[i * size_ + k] *= inverse;
      for (std::size_t j = k + 1; j < size_; ++j) matrix_[i * size_ + j] -= factor * matrix_[k * size_ + j];
    }
  }
}

template <class T>
void NewtonBorder<T>::solve(std::span<T> steps, std::span<T> rates, std::span<T> x) noexcept {
  sweep_.begin(steps, rates);
  states_.begin(sweep_, steps, x);
  const T square = T(1) / (sweep_.by_gamma() * sweep_.by_gamma());
  for (std::size_t i = 0; i < rows_; ++i) {
    right_[i] = T{};
    for (const LinearizedTree::Pattern& p : tree_.patterns(tree_.rows()[i]))
      right_[i] -= square * sweep_.given_acceleration(p);
  }
  for (const Split& s : splits_) {
    const LinearizedTree::Far& f = tree_.far()[s.far];
    const double* const G = tree_.far_G(f);
    for (std::size_t i = 0; i < f.count; ++i) work_[i] = sweep_.given_rate(tree_.pattern(f.first + i), steps);
    for (std::size_t i = 0; i < f.count; ++i) {
      T load{};
      for (std::size_t j = 0; j < f.count; ++j) load += G[i * f.count + j] * work_[j];
      sweep_.load(tree_.pattern(f.first + i), load);
    }
    for (std::size_t j = 0; j < s.count; ++j) right_[s.first + j] = T{};
  }
  sweep_.find(found_);
  if (size_ > 0) {
    for (std::size_t i = 0; i < rows_; ++i) right_[i] -= displacement(i, found_);
    for (const Split& s : splits_) {
      const LinearizedTree::Far& f = tree_.far()[s.far];
      for (std::size_t j = 0; j < s.count; ++j) {
        const T* const R = numbers_.data() + s.at + (s.most + j) * f.count;
        for (std::size_t i = 0; i < f.count; ++i)
          right_[s.first + j] -= R[i] * sweep_.displacement(tree_.pattern(f.first + i), found_);
      }
    }
    for (std::size_t i = 0; i < rank_; ++i) {
      T sum = right_[row_order_[i]];
      for (std::size_t j = 0; j < i; ++j) sum -= matrix_[i * size_ + j] * unknowns_[j];
      unknowns_[i] = sum;
    }
    for (std::size_t i = rank_; i-- > 0;) {
      for (std::size_t j = i + 1; j < rank_; ++j) unknowns_[i] -= matrix_[i * size_ + j] * unknowns_[j];
      unknowns_[i] /= matrix_[i * size_ + i];
    }
    for (std::size_t k = 0; k < rank_; ++k) {
      const T* const response = responses_.data() + column_order_[k] * found_.size();
      for (std::size_t i = 0; i < found_.size(); ++i) found_[i] += unknowns_[k] * response[i];
    }
  }
  if (!states_.empty()) {
    if (size_ > 0) sweep_.move(found_);
    states_.finish(sweep_, found_, x);
  }
  sweep_.finish(found_, steps, rates);
}

template class NewtonBorder<double>;
template class NewtonBorder<std::complex<double>>;

}  // namespace polyform
