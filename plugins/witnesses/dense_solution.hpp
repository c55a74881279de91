// A dense linear system whose unknowns may depend on each other.
#pragma once

#include <Eigen/LU>
#include <cstddef>

namespace polyform::witnesses {

/// K x = b. Nothing allocates after construction.
class DenseSolution {
 public:
  explicit DenseSolution(std::size_t size);

  double& K(std::size_t i, std::size_t j) { return K_(index(i), index(j)); }
  double& b(std::size_t i) { return b_(index(i)); }
  double x(std::size_t i) const { return x_(index(i)); }
  void clear() noexcept {
    K_.setZero();
    b_.setZero();
  }
  /// Makes the unknown zero, whatever stands in b.
  void leave_out(std::size_t i) noexcept {
    K_.row(index(i)).setZero();
    K_.col(index(i)).setZero();
  }
  /// K is lost.
  void factorize() noexcept;
  /// Unknowns that the others leave open become zero.
  void solve() noexcept;

 private:
  static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

  Eigen::MatrixXd K_;
  Eigen::VectorXd b_, x_, scales_, room_;
  Eigen::FullPivLU<Eigen::MatrixXd> factors_;
};

}  // namespace polyform::witnesses
