#include "framework/dense_equations.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace polyform::host {

using Eigen::MatrixXd;

MatrixXd least_squares(const MatrixXd& A, const MatrixXd& b, std::optional<double> threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
  if (threshold) factors.setThreshold(*threshold);
  return factors.compute(A).solve(b);
}

MatrixXd pseudo_inverse(const MatrixXd& A) { return least_squares(A, MatrixXd::Identity(A.rows(), A.rows())); }

MatrixXd solve_regular(const MatrixXd& A, const MatrixXd& b) { return A.partialPivLu().solve(b); }

MatrixXd inverse_of(const MatrixXd& A) { return A.partialPivLu().inverse(); }

Eigen::VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SingularVectors left_singular_vectors(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU);
  return {svd.singularValues(), svd.matrixU()};
}

SingularVectors right_singular_vectors(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

PivotedColumns pivoted_columns(const MatrixXd& A, bool with_basis) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  PivotedColumns out{qr.matrixQR().diagonal().cwiseAbs(), {}, {}};
  const auto& order = qr.colsPermutation().indices();
  out.order.assign(order.data(), order.data() + order.size());
  if (with_basis) out.Q = qr.householderQ();
  return out;
}

Eigen::VectorXcd eigenvalues_of(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  return solver.info() == Eigen::Success ? solver.eigenvalues() : Eigen::VectorXcd();
}

Eigensystem eigensystem_of(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) return {};
  Eigensystem out{solver.eigenvalues(), solver.eigenvectors(), {}};
  out.left = out.right.partialPivLu().inverse();
  return out;
}

}  // namespace polyform::host
