// Factorizations of dense matrices. Each takes seconds to compile, so all rooms share those of dense_equations.cpp.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace polyform::host {

/// A B. Large ones are multiplied by OpenBLAS where the system has it (dense_library.hpp), as are their inverses and
/// eigensystems.
Eigen::MatrixXd product_of(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The shortest x among those with the least |A x − b|, by a complete orthogonal decomposition. Pivots below
/// `threshold` times the largest count as zero; when it is not given, those below rounding do.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b, std::optional<double> threshold = {});

/// The pseudo-inverse of Moore and Penrose.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);

/// x of A x = b with a regular matrix A. Some of its numbers are not finite when A is singular.
Eigen::MatrixXd solve_regular(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);

/// Whether all singular values of A are larger than the tolerance, as far as the norm of the inverse tells. It is asked
/// where that costs less than a factorization with pivots; else, and where it does not tell, false.
bool is_surely_regular(const Eigen::MatrixXd& A, double tolerance);

/// A⁻¹ of a regular matrix.
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& A);

/// The eigenvalues of a symmetric matrix, of which the lower triangle is read, in rising order.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);

/// Singular values in falling order, with a whole orthonormal basis that they belong to, one vector to a column: of the
/// space of columns (left), or of the space of rows (right).
struct SingularVectors {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SingularVectors left_singular_vectors(const Eigen::MatrixXd& A);
SingularVectors right_singular_vectors(const Eigen::MatrixXd& A);

/// What Householder's QR factorization with column pivoting finds, A P = Q R.
struct PivotedColumns {
  Eigen::VectorXd sizes;            ///< |R(k, k)|, falling
  std::vector<Eigen::Index> order;  ///< the column of A that is pivot k
  Eigen::MatrixXd Q;                ///< square; or empty
};
/// with_basis_below: Q is formed if the least size is no larger; without it Q is not formed, at infinity always.
PivotedColumns pivoted_columns(const Eigen::MatrixXd& A, std::optional<double> with_basis_below = {});

/// The eigenvalues of a square matrix, in no particular order. Empty when the iteration did not end.
Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A);

/// Eigenvalues with their eigenvectors: the columns of `right`, of norm 1, and the rows of `left` = right⁻¹.
struct Eigensystem {
  Eigen::VectorXcd values;  ///< empty when the iteration did not end
  Eigen::MatrixXcd right, left;
};
Eigensystem eigensystem_of(const Eigen::MatrixXd& A);

}  // namespace polyform::host
