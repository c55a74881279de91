// The integrals over a flexible body on which its equations of motion depend: constants of the undeformed body.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::flexible {

/// A constant m × m matrix, kept as what it is: zero, diagonal or full.
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
  /// Into the top left corner of `out`, whose rows are `stride` long.
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

/// u are the points of the undeformed body, Φ_k the displacement per modal coordinate k; body axes. The nine elements
/// (i, j) of a 3 × 3 tensor stand at 3 i + j.
struct ModalInvariants {
  double mass = 0;                            ///< ∫dm, kg
  Vec3 first_moment;                          ///< ∫u dm, kg m
  Sym3 second_moment;                         ///< ∫u uᵀ dm, kg m²
  std::vector<Vec3> displacement;             ///< ∫Φ_k dm, one per mode
  std::array<std::vector<double>, 9> moment;  ///< ∫u Φ_kᵀ dm, one per mode
  std::array<ModalMatrix, 9> product;         ///< (k, l): ∫Φ_k Φ_lᵀ dm
  std::array<ModalMatrix, 3> cross;           ///< (k, l): ∫Φ_k × Φ_l dm
  /// Of the displacement of second order ½ Γ[η, η], empty where it does not count. (k, l): ∫Γ_kl dm along each axis;
  /// ∫u_i Γ_kl,j dm at 3 i + j.
  std::array<ModalMatrix, 3> second_order;
  std::array<ModalMatrix, 9> second_moments;
  bool stiffens = false;                        ///< whether it counts
  ModalMatrix mass_matrix, stiffness, damping;  ///< (k, l): ∫Φ_k · Φ_l dm; K; D

  /// Turns (rad) or strains of the modes at stations of the body, stations × m: what tells how far linear modes carry.
  std::vector<double> deformations;
  double lowest_frequency = 0;  ///< rad/s; zero: not known
  Vec3 axis;                    ///< a spin about it draws nothing out; zero where there is none

  std::size_t modes() const { return displacement.size(); }
};

/// Sets what follows from `product`.
inline void derive_from_products(ModalInvariants& c) {
  const std::array<ModalMatrix, 9>& b = c.product;
  c.mass_matrix =
      ModalMatrix::of(c.modes(), [&](std::size_t k, std::size_t l) { return b[0](k, l) + b[4](k, l) + b[8](k, l); });
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    c.cross[i] = ModalMatrix::of(c.modes(),
                                 [&](std::size_t k, std::size_t l) { return b[3 * j + h](k, l) - b[3 * h + j](k, l); });
  }
}

}  // namespace polyform::flexible
