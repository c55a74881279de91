// The least solution of linear equations that may be redundant. Nothing allocates while sizes stay the same.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace polyform::host::inline unilateral {

/// The complete orthogonal decomposition of a square matrix, G = Q [T 0; 0 0] Z Pᵀ (Golub and Van Loan, 5.4):
/// Householder's reflections with exchange of columns from the left, and then from the right.
class LeastSolution {
 public:
  void factor(const Eigen::MatrixXd& G);
  /// Of all x with the least error of G x = r, the one that is least.
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x);
  bool is_unique() const { return rank_ == factors_.cols(); }
  /// Orthonormal columns, which span what G takes to zero.
  void put_null_space(Eigen::MatrixXd& null);

 private:
  void reflect_right();
  void apply_right(Eigen::Ref<Eigen::VectorXd> x);

  Eigen::MatrixXd factors_;  ///< T, and the reflections
  Eigen::VectorXd left_, right_, work_, ordered_;
  std::vector<Eigen::Index> places_;  ///< of the columns, in G
  Eigen::Index rank_ = 0;
};

}  // namespace polyform::host::inline unilateral
