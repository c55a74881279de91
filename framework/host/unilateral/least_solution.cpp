#include "framework/host/unilateral/least_solution.hpp"

#include <Eigen/Householder>
#include <cmath>
#include <utility>

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Rows of which less than this is independent of the others are redundant.
constexpr double redundant = 1e-9;

}  // namespace

void LeastSolution::factor(const Eigen::MatrixXd& G) {
  const Index n = G.cols();
  factors_ = G;
  for (auto* part : {&left_, &right_, &work_, &ordered_}) part->resize(n);
  places_.resize(static_cast<std::size_t>(n));
  for (Index c = 0; c < n; ++c) places_[static_cast<std::size_t>(c)] = c;
  double first = 0;
  for (rank_ = 0; rank_ < n; ++rank_) {
    const Index k = rank_, rest = n - k;
    Index largest = k;
    double square = -1;
    for (Index c = k; c < n; ++c)
      if (const double own = factors_.col(c).tail(rest).squaredNorm(); own > square) {
        square = own;
        largest = c;
      }
    if (k == 0) first = std::sqrt(square);
    if (!(std::sqrt(square) > redundant * first)) break;
    if (largest != k) {
      factors_.col(k).swap(factors_.col(largest));
      std::swap(places_[static_cast<std::size_t>(k)], places_[static_cast<std::size_t>(largest)]);
    }
    double diagonal = 0;
    factors_.col(k).tail(rest).makeHouseholderInPlace(left_[k], diagonal);
    factors_(k, k) = diagonal;
    factors_.bottomRightCorner(rest, rest - 1)
        .applyHouseholderOnTheLeft(factors_.col(k).tail(rest - 1), left_[k], work_.data());
  }
  if (!is_unique()) reflect_right();
}

/// Each row in turn takes what is right of the triangle into its diagonal, which stands in the last column meanwhile.
void LeastSolution::reflect_right() {
  const Index n = factors_.cols(), last = rank_ - 1, free = n - rank_;
  for (Index k = last; k >= 0; --k) {
    if (k != last) factors_.col(k).head(k + 1).swap(factors_.col(last).head(k + 1));
    double diagonal = 0;
    factors_.row(k).tail(free + 1).makeHouseholderInPlace(right_[k], diagonal);
    factors_(k, last) = diagonal;
    if (k > 0)
      factors_.topRightCorner(k, free + 1)
          .applyHouseholderOnTheRight(factors_.row(k).tail(free).transpose(), right_[k], work_.data());
    if (k != last) factors_.col(k).head(k + 1).swap(factors_.col(last).head(k + 1));
  }
}

void LeastSolution::apply_right(Eigen::Ref<Eigen::VectorXd> x) {
  const Index n = factors_.cols(), last = rank_ - 1, free = n - rank_;
  for (Index k = 0; k <= last; ++k) {
    std::swap(x[k], x[last]);
    x.segment(last, free + 1)
        .applyHouseholderOnTheLeft(factors_.row(k).tail(free).transpose(), right_[k], work_.data());
    std::swap(x[k], x[last]);
  }
}

void LeastSolution::solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  const Index n = factors_.cols();
  ordered_ = r;
  for (Index k = 0; k < rank_; ++k)
    ordered_.tail(n - k).applyHouseholderOnTheLeft(factors_.col(k).tail(n - k - 1), left_[k], work_.data());
  for (Index k = rank_ - 1; k >= 0; --k) {
    for (Index c = k + 1; c < rank_; ++c) ordered_[k] -= factors_(k, c) * ordered_[c];
    ordered_[k] /= factors_(k, k);
  }
  ordered_.tail(n - rank_).setZero();
  if (!is_unique()) apply_right(ordered_);
  x.resize(n);
  for (Index k = 0; k < n; ++k) x[places_[static_cast<std::size_t>(k)]] = ordered_[k];
}

void LeastSolution::put_null_space(Eigen::MatrixXd& null) {
  const Index n = factors_.cols(), free = n - rank_;
  null.resize(n, free);
  for (Index f = 0; f < free; ++f) {
    ordered_.setZero();
    ordered_[rank_ + f] = 1;
    apply_right(ordered_);
    for (Index k = 0; k < n; ++k) null(places_[static_cast<std::size_t>(k)], f) = ordered_[k];
  }
}

}  // namespace polyform::host::inline unilateral
