// Generalized inverse of a symmetric positive semidefinite matrix, S = H Hᵀ, through S = L D Lᵀ with the largest pivot
// first. Rows that depend on others, in pivots at the level of rounding, are left out:
//
//   S^g = Pᵀ [L₁₁⁻ᵀ D₁⁻¹ L₁₁⁻¹  0; 0  0] P        S S^g S = S        (S^g)ᵀ = S^g
//
// so that Hᵀ S^g is a {1,4}-inverse of H (Orsino 2017, Eq 4.6), which is all that redundant constraints need.
#pragma once

#include "../matrix.hpp"

namespace polyform::hierarchy {

class SemidefiniteFactor {
 public:
  /// Memory for matrices of up to `rows` rows.
  SemidefiniteFactor() = default;
  SemidefiniteFactor(Arena& arena, std::size_t rows);

  /// S: m × m, of which the lower triangle is read. weights: the diagonals that S would have without any constraint (a
  /// scale of rounding); a pivot below tolerance × weight counts as zero.
  void factorize(const Matrix& S, const double* weights, double tolerance) noexcept;
  Index rank() const { return rank_; }
  /// Row of S at place i of the elimination; those from rank() on depend on the others.
  Index row(Index i) const { return order_[static_cast<std::size_t>(i)]; }
  /// The smallest pivot that counts, relative to its weight.
  double smallest_pivot() const { return smallest_; }
  /// x ← S^g x.
  void solve(double* x) const noexcept;
  /// X ← X S^g; X has m columns. temporary: as large as X.
  void solve_rows(Matrix& X, Matrix& temporary) const noexcept;
  /// X ← X W, with W Wᵀ = S^g and rank() columns; X has m columns on entry. temporary: as large as X.
  void scale_columns(Matrix& X, Matrix& temporary) const noexcept;

 private:
  Index size_ = 0, rank_ = 0;
  double smallest_ = 1;
  double* lower_ = nullptr;  ///< L below the diagonal, D on it; columns first, in the order of elimination
  double* work_ = nullptr;
  std::vector<Index> order_;
};

}  // namespace polyform::hierarchy
