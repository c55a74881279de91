// Proposition 3.1 (i) of Orsino 2017: C is a full-rank matrix onto ker(B), here with orthonormal columns.
#include <cmath>

#include "kernel.hpp"

namespace polyform::hierarchy {

void orthogonal_complement(Kernel& p) noexcept {
  const Index m = p.B.rows(), k = p.B.cols();
  // Householder's reflections turn the rows of B, the largest first, into a triangle: Q = Q₁ Q₂ …, Bᵀ = Q R.
  Matrix rows(p.work, k, m), Q(p.more_work, k, k);
  rows = p.B.transpose();
  Q.setIdentity();
  Matrix R = p.R();
  for (Index i = 0; i < m; ++i) p.order[i] = i;
  for (p.rank = 0; p.rank < std::min(m, k); ++p.rank) {
    const Index r = p.rank;
    const Index pivot = largest_row(p, rows, r);
    if (pivot < 0) break;
    if (pivot != r) {
      std::swap(p.order[r], p.order[pivot]);
      rows.col(r).swap(rows.col(pivot));
    }
    auto v = rows.col(r).tail(k - r);
    const double length = std::copysign(v.norm(), v[0]);
    v[0] += length;
    const double scale = 1 / (length * v[0]);
    for (Index i = r + 1; i < m; ++i) {
      const double s = scale * v.dot(rows.col(i).tail(k - r));
      rows.col(i).tail(k - r) -= s * v;
    }
    for (Index i = 0; i < k; ++i) {
      const double s = scale * v.dot(Q.row(i).tail(k - r));
      Q.row(i).tail(k - r) -= s * v.transpose();
    }
    for (Index i = 0; i < r; ++i) R(i, r) = rows(i, r);
    R(r, r) = -length;
  }
  p.C() = Q.rightCols(k - p.rank);
  // ν = Q₁ R⁻ᵀ r
  double* y = p.work;
  for (Index i = 0; i < p.rank; ++i) {
    double s = p.right[p.order[i]];
    for (Index j = 0; j < i; ++j) s -= R(j, i) * y[j];
    y[i] = s / R(i, i);
  }
  p.particular.noalias() = Q.leftCols(p.rank) * Vector(y, p.rank);
}

}  // namespace polyform::hierarchy
