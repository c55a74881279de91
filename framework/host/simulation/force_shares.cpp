#include "framework/host/simulation/force_shares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline simulation {

using Eigen::Index;

namespace {

// Rows of which less than this is independent of the others are redundant.
constexpr double redundant = 1e-9;
// Of the largest force: forces that are clear of their limits by this part are clear enough, and are then as small as
// they can be.
constexpr double clear = 0.02;
// How much more being clear of the limits counts than being small.
constexpr double worth = 1e4;
// Weights of the logarithms that keep forces clear of their limits, one after the other. The last one is the law.
constexpr std::array weights{100.0, 10.0, 1.0, 0.1, 0.01};

}  // namespace

bool ForceShares::solve_least(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  factors_.setThreshold(redundant);
  factors_.compute(G);
  x = factors_.solve(r);
  if (!x.allFinite()) return false;
  null_.resize(x.size(), 0);
  if (!is_unique() && x.lpNorm<Eigen::Infinity>() > 0) find_null_space();
  return true;
}

bool ForceShares::solve(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, const Eigen::VectorXd& scale,
                        const std::vector<Limits>& limits, Eigen::VectorXd& x) {
  if (!solve_least(G, r, x)) return false;
  if (null_.cols() == 0) return true;
  const double size = x.lpNorm<Eigen::Infinity>();
  list_rooms(x, scale, limits, size);
  const Index free = null_.cols();
  z_.setZero(free + 1);
  z_[free] = std::min(least_room(), clear) - 1;
  for (const double weight : weights)
    if (!descend(weight)) break;
  x.noalias() += size * (null_ * z_.head(free));
  return x.allFinite();
}

void ForceShares::find_null_space() {
  const Index n = factors_.cols(), free = n - factors_.rank();
  null_.setZero(n, free);
  null_.bottomRows(free).setIdentity();
  if (factors_.rank() > 0) null_ = factors_.colsPermutation() * (factors_.matrixZ().transpose() * null_);
}

/// In parts of the largest force. The friction of a point is measured by the scale of its normal force.
void ForceShares::list_rooms(const Eigen::VectorXd& x, const Eigen::VectorXd& scale,
                             const std::vector<Limits>& limits, double size) {
  const Index free = null_.cols();
  of_.setZero(6 * static_cast<Index>(limits.size()), free + 1);
  at_.setZero(of_.rows());
  rooms_ = 0;
  const auto put = [&](Index row, Index unknown, double share) {
    of_.row(row).head(free) = share * null_.row(unknown);
    at_[row] = share * x[unknown] / size;
  };
  for (const Limits& point : limits) {
    if (point.normal != none) put(3 * rooms_++, point.normal, 1);
    const Index rubs = std::max(point.tangents[0], point.tangents[1]);
    if (rubs == none) continue;
    const Index row = 3 * rooms_++;
    const double own = scale[point.normal != none ? point.normal : rubs];
    if (point.normal != none)
      put(row, point.normal, point.friction);
    else
      at_[row] = point.friction / (own * size);
    for (std::size_t i = 0; i < 2; ++i)
      if (const Index tangent = point.tangents[i]; tangent != none)
        put(row + 1 + static_cast<Index>(i), tangent, scale[tangent] / own);
  }
  for (Index k = 0; k < rooms_; ++k) of_(3 * k, free) = -1;
}

double ForceShares::least_room() const {
  double least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < rooms_; ++k) least = std::min(least, at_[3 * k] - std::hypot(at_[3 * k + 1], at_[3 * k + 2]));
  return least;
}

/// ½ z² − worth · s − weight · (Σ ln((limit − s)² − friction²) + ln(clear − s)), where s is the last unknown: convex.
/// Infinite where a logarithm has no value. Leaves the rooms in here_.
double ForceShares::value(const Eigen::VectorXd& z, double weight) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const Index free = z.size() - 1;
  const double s = z[free];
  here_ = at_;
  here_.noalias() += of_ * z;
  if (!(clear - s > 0)) return never;
  double sum = 0.5 * z.head(free).squaredNorm() - worth * s - weight * std::log(clear - s);
  for (Index k = 0; k < rooms_; ++k) {
    const double* const h = here_.data() + 3 * k;
    const double inside = h[0] * h[0] - h[1] * h[1] - h[2] * h[2];
    if (!(h[0] > 0) || !(inside > 0)) return never;
    sum -= weight * std::log(inside);
  }
  return sum;
}

/// At the z of the last value.
void ForceShares::differentiate(const Eigen::VectorXd& z, double weight) {
  const Index free = z.size() - 1;
  const double above = clear - z[free];
  gradient_ = z;
  gradient_[free] = weight / above - worth;
  hessian_.setIdentity(free + 1, free + 1);
  hessian_(free, free) = weight / (above * above);
  for (Index k = 0; k < rooms_; ++k) {
    const auto of = of_.middleRows<3>(3 * k);
    const Eigen::Vector3d signs(1, -1, -1), signed_room = signs.cwiseProduct(here_.segment<3>(3 * k));
    const double inside = signed_room.dot(here_.segment<3>(3 * k));
    change_.noalias() = of.transpose() * signed_room;
    gradient_ -= 2 * weight / inside * change_;
    hessian_.noalias() += 4 * weight / (inside * inside) * change_ * change_.transpose();
    hessian_.noalias() -= 2 * weight / inside * (of.transpose() * signs.asDiagonal() * of);
  }
}

/// Newton's method with halved steps. False if it finds no way down.
bool ForceShares::descend(double weight) {
  constexpr int most_steps = 60, most_halvings = 40;
  // Of the weight: a step that gains less is the last one, after which the error is about the square of that.
  constexpr double found = 1e-8, sufficient = 1e-4;
  for (int step = 0; step < most_steps; ++step) {
    const double now = value(z_, weight);
    if (!std::isfinite(now)) return false;
    differentiate(z_, weight);
    change_ = hessian_.ldlt().solve(-gradient_);
    if (!change_.allFinite()) return false;
    const double gain = -gradient_.dot(change_);
    const bool last = !(gain > found * weight);
    double share = 1;
    for (int halvings = 0; !last && halvings < most_halvings; ++halvings, share *= 0.5) {
      trial_ = z_ + share * change_;
      if (value(trial_, weight) <= now - sufficient * share * gain) break;
    }
    z_ += share * change_;
    if (last) break;
  }
  return true;
}

}  // namespace polyform::host::inline simulation
