#include "full_system.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace polyform::particles {
namespace {

/// A pivot below this part of its column is what cancellation has left of it.
constexpr double least_pivot = 1e-14;

bool has_lost_pivot(const Eigen::MatrixXd& factors) {
  for (Eigen::Index k = 0; k < factors.cols(); ++k)
    if (!(std::abs(factors(k, k)) > least_pivot * factors.col(k).head(k + 1).cwiseAbs().maxCoeff())) return true;
  return false;
}

}  // namespace

struct FullSystem::Numbers {
  explicit Numbers(Eigen::Index n) : matrix(n, n), right(n), solution(n), factors(n) {}
  Eigen::MatrixXd matrix;
  Eigen::VectorXd right, solution;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors;
};

FullSystem::FullSystem(std::size_t unknowns)
    : numbers_(std::make_unique<Numbers>(static_cast<Eigen::Index>(unknowns))) {}
FullSystem::~FullSystem() = default;

void FullSystem::clear() noexcept {
  numbers_->matrix.setZero();
  numbers_->right.setZero();
}

void FullSystem::add(std::size_t row, std::size_t column, double value) noexcept {
  numbers_->matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) += value;
}

void FullSystem::add_right(std::size_t row, double value) noexcept {
  numbers_->right[static_cast<Eigen::Index>(row)] += value;
}

bool FullSystem::solve() noexcept {
  Numbers& n = *numbers_;
  for (Eigen::Index row = 0; row < n.matrix.rows(); ++row) {
    const double size = n.matrix.row(row).cwiseAbs().maxCoeff();
    if (!(size > 0)) continue;
    n.matrix.row(row) /= size;
    n.right[row] /= size;
  }
  n.factors.compute(n.matrix);
  n.solution.noalias() = n.factors.solve(n.right);
  singular_ = has_lost_pivot(n.factors.matrixLU());
  return !singular_ && n.solution.allFinite();
}

std::span<const double> FullSystem::solution() const noexcept {
  return {numbers_->solution.data(), static_cast<std::size_t>(numbers_->solution.size())};
}

}  // namespace polyform::particles
