// Constant matrices of a flexible body's modes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace polyform::flexible {

/// A constant m × m matrix, stored by its form: zero, diagonal or full.
class ModalMatrix {
 public:
  ModalMatrix() = default;
  static ModalMatrix diagonal(std::vector<double> values) {
    ModalMatrix a;
    a.size_ = values.size();
    if (std::any_of(values.begin(), values.end(), [](double x) { return x != 0; })) a.values_ = std::move(values);
    return a;
  }
  /// entry(k, l) for k, l < size.
  template <class Entry>
  static ModalMatrix of(std::size_t size, Entry entry) {
    std::vector<double> on(size);
    bool is_diagonal = true;
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t l = 0; l < size; ++l)
        if (k == l)
          on[k] = entry(k, k);
        else
          is_diagonal = is_diagonal && entry(k, l) == 0;
    ModalMatrix a = diagonal(std::move(on));
    if (is_diagonal) return a;
    a.values_.resize(size * size);
    for (std::size_t i = 0; i < size * size; ++i) a.values_[i] = entry(i / size, i % size);
    return a;
  }

  double operator()(std::size_t k, std::size_t l) const {
    if (values_.empty() || (is_diagonal() && k != l)) return 0;
    return values_[is_diagonal() ? k : k * size_ + l];
  }
  bool is_zero() const { return values_.empty(); }
  /// y += Aᵀ x
  void add_transpose_product(std::span<const double> x, double* __restrict y) const {
    if (values_.empty()) return;
    if (is_diagonal()) {
      for (std::size_t k = 0; k < size_; ++k) y[k] += values_[k] * x[k];
      return;
    }
    const double* row = values_.data();
    std::size_t l = 0;
    for (; l + 4 <= size_; l += 4, row += 4 * size_) {  // four rows at once: y is loaded and stored less often
      const double x0 = x[l], x1 = x[l + 1], x2 = x[l + 2], x3 = x[l + 3];
      const double *second = row + size_, *third = second + size_, *fourth = third + size_;
      for (std::size_t k = 0; k < size_; ++k) y[k] += (x0 * row[k] + x1 * second[k]) + (x2 * third[k] + x3 * fourth[k]);
    }
    for (; l < size_; ++l, row += size_)
      for (std::size_t k = 0; k < size_; ++k) y[k] += x[l] * row[k];
  }
  /// Writes it into the top left corner of `out`, whose rows are `stride` long.
  void write(double* out, std::size_t stride) const {
    for (std::size_t k = 0; k < size_; ++k) {
      double* row = out + k * stride;
      if (values_.empty() || is_diagonal())
        std::fill_n(row, size_, 0.0);
      else
        std::copy_n(values_.data() + k * size_, size_, row);
      if (is_diagonal()) row[k] = values_[k];
    }
  }

 private:
  bool is_diagonal() const { return values_.size() == size_; }

  std::size_t size_ = 0;
  std::vector<double> values_;  ///< none when zero, the diagonal, or all, rows first
};

}  // namespace polyform::flexible
