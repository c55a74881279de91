#include "dense_solution.hpp"

#include <cmath>

namespace polyform::witnesses {
namespace {

/// A pivot below this part of the largest is rounding, after the numbers were brought to one scale.
constexpr double least_pivot = 1e-10;

}  // namespace

DenseSolution::DenseSolution(std::size_t size)
    : K_(index(size), index(size)),
      b_(index(size)),
      x_(index(size)),
      scales_(index(size)),
      room_(index(size)),
      factors_(index(size), index(size)) {
  factors_.setThreshold(least_pivot);
}

/// Brings the largest number of each row near 1 (Ruiz), then eliminates with full pivoting.
void DenseSolution::factorize() noexcept {
  constexpr int rounds = 4;
  const Eigen::Index n = K_.rows();
  scales_.setOnes();
  for (int round = 0; round < rounds; ++round)
    for (Eigen::Index i = 0; i < n; ++i) {
      const double largest = K_.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      const double scale = 1 / std::sqrt(largest);
      K_.row(i) *= scale;
      K_.col(i) *= scale;
      scales_(i) *= scale;
    }
  factors_.compute(K_);
}

void DenseSolution::solve() noexcept {
  const Eigen::Index rank = factors_.rank();
  room_ = scales_.cwiseProduct(b_);
  x_.noalias() = factors_.permutationP() * room_;
  factors_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x_);
  factors_.matrixLU().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(x_.head(rank));
  x_.tail(x_.size() - rank).setZero();
  room_.noalias() = factors_.permutationQ() * x_;
  x_ = scales_.cwiseProduct(room_);
}

}  // namespace polyform::witnesses
