#include "framework/workbench/linearization/zero_staircase.hpp"

#include <cmath>
#include <limits>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Whether A x leaves, beside the zeros that are known, more than errors and rounding of its own terms: the tolerance
/// of the whole has those of its fastest motions, next to which a slow one is no zero.
bool is_known_to_move(const MatrixXd& A, const MatrixXd& error, const MatrixXd& zeros, const VectorXd& x) {
  constexpr double certain = 1e3, roundings = 4 * std::numeric_limits<double>::epsilon();
  const VectorXd rounded = VectorXd::Constant(x.size(), roundings);  // each component of a vector of size 1
  VectorXd left = A * x, doubt = error * x.cwiseAbs() + A.cwiseAbs() * (rounded + roundings * x.cwiseAbs());
  if (zeros.cols() > 0) {
    left -= (zeros * (zeros.transpose() * left)).eval();
    doubt += (zeros.cwiseAbs() * (zeros.cwiseAbs().transpose() * doubt)).eval();
  }
  return (left.cwiseAbs().array() > certain * doubt.array()).any();
}

}  // namespace

MatrixXd Staircase::transform(const MatrixXd& A) const {
  if (zeros == 0) return A;
  MatrixXd T = MatrixXd::Zero(A.rows(), A.cols());
  T.topRows(zeros) = product_of(U.leftCols(zeros).transpose() * A, U);
  T.bottomRightCorner(Y.rows(), Y.cols()) = Y;
  for (Index k = 0; k < zeros; ++k) T.col(k).tail(T.rows() - k).setZero();  // on and below the diagonal of N
  return T;
}

Staircase deflate_zeros(const MatrixXd& A, const MatrixXd* error, double tolerance) {
  Staircase out;
  MatrixXd& Y = out.Y;
  Y = A;
  while (Y.rows() > 0 && !is_surely_regular(Y, tolerance)) {
    const PivotedColumns pivots = pivoted_columns(Y.transpose(), tolerance);
    const MatrixXd& Q = pivots.Q;
    const Index n = Y.rows();
    Index rank = 0;
    while (rank < n && pivots.sizes[rank] > tolerance) ++rank;
    if (rank == n) break;
    const MatrixXd zeros = out.U.leftCols(out.zeros), basis = out.zeros == 0 ? Q : product_of(out.U.rightCols(n), Q);
    while (error != nullptr && rank < n && is_known_to_move(A, *error, zeros, basis.col(rank))) ++rank;
    if (rank == n) break;
    if (out.zeros == 0) out.U.resize(n, n);
    out.U.rightCols(n) << basis.rightCols(n - rank), basis.leftCols(rank);
    Y = product_of(product_of(Q.leftCols(rank).transpose(), Y), Q.leftCols(rank));
    if (out.kernel == 0) out.kernel = n - rank;
    out.zeros += n - rank;
  }
  return out;
}

}  // namespace polyform::host::linearization
