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
  // The inverse of the right ones, from a real one: vectors r + is and r − is have the left ones (l ∓ im)/2, l and m those
  // of r and s.
  const Eigen::Index n = A.rows();
  const auto is_pair = [&](Eigen::Index k) { return k + 1 < n && !out.right.col(k).imag().isZero(0); };
  MatrixXd parts(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    parts.col(k) = out.right.col(k).real();
    if (!is_pair(k)) continue;
    parts.col(k + 1) = out.right.col(k).imag();
    ++k;
  }
  const MatrixXd inverse = parts.partialPivLu().inverse();
  out.left.resize(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    out.left.row(k).real() = inverse.row(k);
    out.left.row(k).imag().setZero();
    if (!is_pair(k)) continue;
    out.left.row(k).real() = inverse.row(k) / 2;
    out.left.row(k).imag() = -inverse.row(k + 1) / 2;
    out.left.row(k + 1) = out.left.row(k).conjugate();
    ++k;
  }
  return out;
}

}  // namespace polyform::host
