#include "kernel.hpp"

#include <cmath>

namespace polyform::hierarchy {

void multipliers(const Kernel& k, const Vector& g, Vector lambda) noexcept {
  // With B_pᵀ = Q R:  Rᵀ R λ_p = B_p g.
  const Matrix R = k.R();
  double* y = k.work;
  for (Index i = 0; i < k.rank; ++i) {
    y[i] = k.B.row(k.order[i]).dot(g);
    for (Index j = 0; j < i; ++j) y[i] -= R(j, i) * y[j];
    y[i] /= R(i, i);
  }
  lambda.setZero();
  for (Index i = k.rank; i-- > 0;) {
    for (Index j = i + 1; j < k.rank; ++j) y[i] -= R(i, j) * y[j];
    y[i] /= R(i, i);
    lambda[k.order[i]] = y[i];
  }
}

void basis_of_projector(Matrix X, Matrix C) noexcept {
  // Cholesky's factorization with the largest pivot first; columns beyond the rank would be zero.
  for (Index j = 0; j < C.cols(); ++j) {
    Index pivot = 0;
    X.diagonal().maxCoeff(&pivot);
    C.col(j) = X.col(pivot) / std::sqrt(X(pivot, pivot));
    X.noalias() -= C.col(j) * C.col(j).transpose();
  }
}

}  // namespace polyform::hierarchy
