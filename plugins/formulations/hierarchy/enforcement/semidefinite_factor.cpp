#include "semidefinite_factor.hpp"

#include <cmath>

namespace polyform::hierarchy {

SemidefiniteFactor::SemidefiniteFactor(Arena& arena, std::size_t rows)
    : lower_(arena.take(rows * rows)), work_(arena.take(rows)), order_(rows) {}

void SemidefiniteFactor::factorize(const Matrix& S, const double* weights, double tolerance) noexcept {
  size_ = S.rows();
  smallest_ = 1;
  Matrix L(lower_, size_, size_);
  for (Index j = 0; j < size_; ++j) {
    order_[static_cast<std::size_t>(j)] = j;
    for (Index i = j; i < size_; ++i) L(i, j) = L(j, i) = S(i, j);
  }
  for (rank_ = 0; rank_ < size_; ++rank_) {
    const Index k = rank_;
    Index pivot = -1;
    double best = tolerance;
    for (Index i = k; i < size_; ++i) {
      const double weight = weights[order_[static_cast<std::size_t>(i)]];
      if (weight > 0 && L(i, i) > best * weight) {
        best = L(i, i) / weight;
        pivot = i;
      }
    }
    if (pivot < 0) return;
    smallest_ = std::min(smallest_, best);
    if (pivot != k) {
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
      L.row(k).swap(L.row(pivot));
      L.col(k).swap(L.col(pivot));
    }
    for (Index j = k + 1; j < size_; ++j) {
      const double factor = L(j, k) / L(k, k);
      for (Index i = j; i < size_; ++i) {
        L(i, j) -= factor * L(i, k);
        L(j, i) = L(i, j);
      }
    }
    for (Index i = k + 1; i < size_; ++i) L(i, k) /= L(k, k);
  }
}

void SemidefiniteFactor::solve(double* x) const noexcept {
  const Matrix L(lower_, size_, size_);
  double* y = work_;
  for (Index i = 0; i < rank_; ++i) {
    y[i] = x[row(i)];
    for (Index j = 0; j < i; ++j) y[i] -= L(i, j) * y[j];
  }
  for (Index i = 0; i < rank_; ++i) y[i] /= L(i, i);
  for (Index i = rank_; i-- > 0;)
    for (Index j = i + 1; j < rank_; ++j) y[i] -= L(j, i) * y[j];
  for (Index i = 0; i < size_; ++i) x[row(i)] = i < rank_ ? y[i] : 0;
}

void SemidefiniteFactor::solve_rows(Matrix& X, Matrix& temporary) const noexcept {
  const Matrix L(lower_, size_, size_);
  Matrix& Y = temporary;
  for (Index i = 0; i < rank_; ++i) {
    Y.col(i) = X.col(row(i));
    for (Index j = 0; j < i; ++j) Y.col(i) -= L(i, j) * Y.col(j);
  }
  for (Index i = 0; i < rank_; ++i) Y.col(i) *= 1 / L(i, i);
  for (Index i = rank_; i-- > 0;) {
    for (Index j = i + 1; j < rank_; ++j) Y.col(i) -= L(j, i) * Y.col(j);
    X.col(row(i)) = Y.col(i);
  }
  for (Index i = rank_; i < size_; ++i) X.col(row(i)).setZero();
}

void SemidefiniteFactor::scale_columns(Matrix& X, Matrix& temporary) const noexcept {
  const Matrix L(lower_, size_, size_);
  for (Index i = 0; i < rank_; ++i) {
    temporary.col(i) = X.col(row(i));
    for (Index j = 0; j < i; ++j) temporary.col(i) -= L(i, j) * temporary.col(j);
  }
  for (Index i = 0; i < rank_; ++i) X.col(i) = temporary.col(i) / std::sqrt(L(i, i));
}

}  // namespace polyform::hierarchy
