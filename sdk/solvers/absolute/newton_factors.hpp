// Factors of Newton's matrix in absolute coordinates, for one γ.
#pragma once

#include <Eigen/SparseLU>
#include <complex>
#include <vector>

#include "newton_blocks.hpp"

namespace polyform::absolute {

/// T: double, or std::complex<double>. The symbolic part is made once.
template <class T>
class NewtonFactors {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  /// False where the matrix is singular.
  bool factorize(const NewtonSum& sum, const T& gamma) {
    const T square = gamma * gamma;
    const std::size_t count = sum.rows().size();
    if (matrix_.nonZeros() != static_cast<Eigen::Index>(count)) {
      matrix_ = Eigen::Map<const Eigen::SparseMatrix<T>>(sum.size(), sum.size(), static_cast<Eigen::Index>(count),
                                                         sum.columns().data(), sum.rows().data(),
                                                         std::vector<T>(count).data());
      factors_.analyzePattern(matrix_);
    }
    T* const values = matrix_.valuePtr();
    for (std::size_t k = 0; k < count; ++k) {
      const NewtonSum::Numbers& n = sum.numbers()[k];
      values[k] = n.M + gamma * n.G + square * n.K;
    }
    factors_.factorize(matrix_);
    return factors_.info() == Eigen::Success;
  }
  void solve(Vector& x) const { x = factors_.solve(x).eval(); }

 private:
  Eigen::SparseMatrix<T> matrix_;
  Eigen::SparseLU<Eigen::SparseMatrix<T>, Eigen::COLAMDOrdering<int>> factors_;
};

}  // namespace polyform::absolute
