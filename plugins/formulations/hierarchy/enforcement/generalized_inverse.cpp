// Proposition 3.1 (iii) and Corollaries 3.3, 3.4 of Orsino 2017: with G a {1,4}-inverse of B = Ã S, X = 1 − G B is the
// orthogonal projector onto ker(B) and G r a solution of B ν = r.
#include <cmath>

#include "kernel.hpp"

namespace polyform::hierarchy {
namespace {

/// Bᵀ_p = Q R by Cholesky's factorization of B Bᵀ, the largest pivot first: Rᵀ R = B_p B_pᵀ.
void factorize(Kernel& p, Matrix& squares) {
  const Index m = p.B.rows();
  Matrix R = p.R();
  for (Index i = 0; i < m; ++i) p.order[i] = i;
  for (p.rank = 0; p.rank < std::min(m, p.B.cols()); ++p.rank) {
    const Index r = p.rank;
    Index pivot = -1;
    double best = p.tolerance;
    for (Index i = r; i < m; ++i) {
      const double weight = p.weights[p.order[i]];
      if (weight > 0 && squares(i, i) > best * weight) {
        best = squares(i, i) / weight;
        pivot = i;
      }
    }
    if (pivot < 0) return;
    p.smallest = std::min(p.smallest, best);
    if (pivot != r) {
      std::swap(p.order[r], p.order[pivot]);
      squares.row(r).swap(squares.row(pivot));
      squares.col(r).swap(squares.col(pivot));
      R.col(r).head(r).swap(R.col(pivot).head(r));
    }
    R(r, r) = std::sqrt(squares(r, r));
    for (Index i = r + 1; i < m; ++i) R(r, i) = squares(i, r) / R(r, r);
    for (Index j = r + 1; j < m; ++j)
      for (Index i = r + 1; i < m; ++i) squares(i, j) -= R(r, i) * R(r, j);
  }
}

}  // namespace

void generalized_inverse(Kernel& p) noexcept {
  const Index m = p.B.rows(), k = p.B.cols();
  Matrix squares(p.work, m, m);
  squares.noalias() = p.B * p.B.transpose();
  factorize(p, squares);
  // G = B_pᵀ (B_p B_pᵀ)⁻¹, column by column of Gᵀ = R⁻¹ R⁻ᵀ B_p
  const Matrix R = p.R();
  Matrix Gt(p.work, p.rank, k), X(p.more_work, k, k);
  for (Index i = 0; i < p.rank; ++i) {
    Gt.row(i) = p.B.row(p.order[i]);
    for (Index j = 0; j < i; ++j) Gt.row(i) -= R(j, i) * Gt.row(j);
    Gt.row(i) /= R(i, i);
  }
  for (Index i = p.rank; i-- > 0;) {
    for (Index j = i + 1; j < p.rank; ++j) Gt.row(i) -= R(i, j) * Gt.row(j);
    Gt.row(i) /= R(i, i);
  }
  X.setIdentity();
  p.particular.setZero();
  for (Index i = 0; i < p.rank; ++i) {
    X.noalias() -= Gt.row(i).transpose() * p.B.row(p.order[i]);   // Eq 3.12
    p.particular += p.right[p.order[i]] * Gt.row(i).transpose();  // Eq 3.13
  }
  basis_of_projector(X, p.C());
}

}  // namespace polyform::hierarchy
