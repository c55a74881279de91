// Proposition 3.1 (ii) of Orsino 2017: with G a {1}-inverse of B = Ã S, Y = 1 − G B is a projector onto ker(B), in
// general not an orthogonal one. Here all rows of G are zero except those of the pivots of an elimination, so Y leaves
// the other coordinates as they are and lets those of the pivots follow.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel.hpp"

namespace polyform::hierarchy {
namespace {

/// The largest element of the rows and columns that are left, brought to place (r, r).
void bring_pivot(Matrix& B, Index r, double* columns, Vector& right) {
  Index row = 0, column = 0;
  B.bottomRightCorner(B.rows() - r, B.cols() - r).cwiseAbs().maxCoeff(&row, &column);
  B.row(r).swap(B.row(r + row));
  std::swap(right[r], right[r + row]);
  B.col(r).swap(B.col(r + column));
  std::swap(columns[r], columns[r + column]);
}

}  // namespace

/// Which rows count, and R for the multipliers, are as of the {1,4}-inverse: one judgement for all methods. The columns
/// of Y that are not zero are made orthonormal, because the next level judges its rows by their length on S.
void oblique_projector(Kernel& p) noexcept {
  generalized_inverse(p);
  const Index k = p.B.cols(), rank = p.rank;
  Matrix B(p.work, rank, k);
  Vector right(p.more_work, rank);
  double* const columns = p.more_work + rank;  // where they stood, as numbers that a double holds exactly
  for (Index i = 0; i < rank; ++i) {
    B.row(i) = p.B.row(p.order[i]);
    right[i] = p.right[p.order[i]];
  }
  std::iota(columns, columns + k, 0.0);
  const auto place = [&](Index c) { return static_cast<Index>(columns[c]); };
  for (Index r = 0; r < rank; ++r) {
    bring_pivot(B, r, columns, right);
    const double pivot = B(r, r);
    B.row(r) /= pivot;
    right[r] /= pivot;
    for (Index i = 0; i < rank; ++i) {
      if (i == r) continue;
      const double factor = B(i, r);
      B.row(i) -= factor * B.row(r);
      right[i] -= factor * right[r];
    }
  }
  // [1 W] of the permuted columns: ν_pivot = right − W ν_other.
  Matrix C = p.C();
  C.setZero();
  p.particular.setZero();
  for (Index i = 0; i < rank; ++i) p.particular[place(i)] = right[i];
  for (Index c = 0; c < C.cols(); ++c) {
    C(place(rank + c), c) = 1;
    for (Index i = 0; i < rank; ++i) C(place(i), c) = -B(i, rank + c);
  }
  for (int pass = 0; pass < 2; ++pass)  // the second one takes what rounding has left
    for (Index c = 0; c < C.cols(); ++c) {
      for (Index d = 0; d < c; ++d) C.col(c) -= C.col(d).dot(C.col(c)) * C.col(d);
      C.col(c).normalize();
    }
}

}  // namespace polyform::hierarchy
