// Proposition 3.1 (iv) of Orsino 2017: with B̂ the rows of B made orthonormal, X = 1 − B̂ᵀB̂ projects onto ker(B).
#include <cmath>

#include "kernel.hpp"

namespace polyform::hierarchy {

void orthonormalization(Kernel& p) noexcept {
  const Index m = p.B.rows(), k = p.B.cols();
  // Gram and Schmidt's method takes the row with the largest rest first, and makes this rest orthogonal a second time.
  Matrix left(p.work, k, m), R = p.R();
  left = p.B.transpose();
  for (Index i = 0; i < m; ++i) p.order[i] = i;
  for (p.rank = 0; p.rank < std::min(m, k); ++p.rank) {
    const Index r = p.rank;
    const Index pivot = largest_row(p, left, 0);
    if (pivot < 0) break;
    if (pivot != r) {
      std::swap(p.order[r], p.order[pivot]);
      left.col(r).swap(left.col(pivot));
      R.col(r).head(r).swap(R.col(pivot).head(r));
    }
    for (Index i = 0; i < r; ++i) {
      const double again = left.col(i).dot(left.col(r));
      R(i, r) += again;
      left.col(r) -= again * left.col(i);
    }
    R(r, r) = left.col(r).norm();
    left.col(r) /= R(r, r);
    for (Index i = r + 1; i < m; ++i) {
      R(r, i) = left.col(r).dot(left.col(i));
      left.col(i) -= R(r, i) * left.col(r);
    }
  }
  const auto B_hat = left.leftCols(p.rank);  // its columns are the rows of B̂
  Matrix X(p.more_work, k, k);
  X.setIdentity();
  X.noalias() -= B_hat * B_hat.transpose();
  basis_of_projector(X, p.C());
  // ν = B̂ᵀ R⁻ᵀ r
  p.particular.setZero();
  double* y = p.more_work;
  for (Index i = 0; i < p.rank; ++i) {
    double s = p.right[p.order[i]];
    for (Index j = 0; j < i; ++j) s -= R(j, i) * y[j];
    y[i] = s / R(i, i);
    p.particular += y[i] * B_hat.col(i);
  }
}

}  // namespace polyform::hierarchy
