// Theorem 3.2 of Orsino 2017: S_{r+1} = S_r C, with C onto the kernel of B = Ã S_r. Four ways to find C
// (Proposition 3.1), each with a solution of B ν = r.
#pragma once

#include <algorithm>

#include "../matrix.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::hierarchy {

/// A row depends on others if, without its part in their span, it keeps less than this part of its length (squared). If
/// a loop passes a singular position, this rest goes through zero, and the error of a state that misses the constraints
/// by rounding is divided by it. All methods have one threshold, so that all leave out the same rows.
inline constexpr double dependent_row = least_independent_square;

/// B (m × k) and r (m) on entry, and the results of the methods. The caller owns the memory.
struct Kernel {
  Matrix B;
  Vector right;
  const double* weights;     ///< per row: its squared length without any constraint, the scale of its rest
  double* memory_C;          ///< k × k
  Vector particular;         ///< ν with B ν = r, of least norm except by the oblique projector (k)
  double* memory_R;          ///< m × m
  Index* order;              ///< m
  double *work, *more_work;  ///< (k + m) × (k + m) each

  double tolerance = dependent_row;  ///< zero: all rows count
  Index rank = 0;
  double smallest = 1;  ///< squared length that was left of the rows kept, at least, relative to their weight
  Index columns() const { return B.cols() - rank; }
  Matrix C() const { return {memory_C, B.cols(), columns()}; }  ///< basis of ker(B)
  /// Bᵀ of the rows order[0 … rank) is an orthonormal matrix times R (upper triangle).
  Matrix R() const { return {memory_R, B.rows(), B.rows()}; }
};

/// The row with the largest rest relative to its weight, at place p.rank or later in `rows` (a column each, from
/// `first` on), and notes that rest; -1 if all rows depend on those before.
inline Index largest_row(Kernel& p, const Matrix& rows, Index first) {
  Index pivot = -1;
  double best = p.tolerance;
  for (Index i = p.rank; i < rows.cols(); ++i) {
    const double left = rows.col(i).tail(rows.rows() - first).squaredNorm(), weight = p.weights[p.order[i]];
    if (weight > 0 && left > best * weight) {
      best = left / weight;
      pivot = i;
    }
  }
  if (pivot >= 0) p.smallest = std::min(p.smallest, best);
  return pivot;
}

void orthogonal_complement(Kernel&) noexcept;  ///< Proposition 3.1 (i): full-rank basis by Householder's reflections
void orthonormalization(Kernel&) noexcept;  ///< Proposition 3.1 (iv): X = 1 − B̂ᵀB̂, B̂ the rows made orthonormal
void oblique_projector(Kernel&) noexcept;   ///< Proposition 3.1 (ii): Y = 1 − G B, G a {1}-inverse by elimination
void generalized_inverse(Kernel&) noexcept;  ///< Proposition 3.1 (iii), Corollaries 3.3, 3.4: X = 1 − G B, G = B^g

/// λ of B_pᵀ λ = g for the independent rows p, zero for the others. g: what the constraints must do.
void multipliers(const Kernel&, const Vector& g, Vector lambda) noexcept;

/// C of full rank with C Cᵀ = X, a projector of rank C.cols(). X is destroyed.
void basis_of_projector(Matrix X, Matrix C) noexcept;

}  // namespace polyform::hierarchy
