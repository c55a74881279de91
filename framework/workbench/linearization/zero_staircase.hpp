// Eigenvalues zero of a matrix, split off exactly.
#pragma once

#include <Eigen/Core>

namespace polyform::host::inline linearization {

/// An orthogonal U with Uᵀ A U = [N X; 0 Y]: N strictly upper triangular by blocks (`zeros` columns), Y regular.
struct Staircase {
  Eigen::MatrixXd U;  ///< empty without zeros: it would be the identity
  Eigen::MatrixXd Y;
  Eigen::Index zeros = 0, kernel = 0;  ///< algebraic and geometric multiplicity of the eigenvalue zero

  /// Uᵀ A U.
  Eigen::MatrixXd transform(const Eigen::MatrixXd& A) const;
};

/// Splits off what A makes smaller than the tolerance, in steps of null spaces. error: of each entry; what is known by
/// these to move in its own row is kept. Null where all shall be split off.
Staircase deflate_zeros(const Eigen::MatrixXd& A, const Eigen::MatrixXd* error, double tolerance);

}  // namespace polyform::host::linearization
