#include "framework/host/unilateral/force_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Of the largest force: forces that are clear of their limits by this part are clear enough, and are then as small as
// they can be.
constexpr double clear = 0.02;
// How much more being clear of the limits counts than being small.
constexpr double worth = 1e4;
// Weights of the logarithms that keep forces clear of their limits, one after the other. The last one is the law.
constexpr std::array weights{10.0, 0.01};
// Forces that are clear of their limits by less, of the largest force, go on to a smaller weight: so all of a body that
// is pulled along come to their limits together.
constexpr double near_limit = 1e-3, sharp_weight = 1e-6;
// Of the weight: a step of Newton's method that gains less is the last one, after which the error is about the square
// of that. On the way from weight to weight, near is enough.
constexpr double found_gain = 1e-8, near_gain = 0.3;

// So many equations are many. Fewer take little time, and reflections have the least rounding.
constexpr Index many = 24;
// The reciprocal of a condition number: of equations with a larger one none is redundant, which LeastSolution tells at
// 1e-9 of the largest, with what an estimate and the number of the equations may take away between.
constexpr double independent = 1e-6;

}  // namespace

/// Of many equations that are clearly independent, by Gauss' elimination: a tenth of the time. False if they are few,
/// or may depend on each other.
bool ForceShares::solve_many(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  if (G.cols() < many) return false;
  elimination_.compute(G);
  // The estimate of the condition takes no pivots of zero.
  const auto pivots = elimination_.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > independent * pivots.maxCoeff()) || !(elimination_.rcond() > independent)) return false;
  x = elimination_.solve(r);
  return x.allFinite();
}

bool ForceShares::solve_least(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  is_unique_ = solve_many(G, r, x);
  if (is_unique_) {
    null_.resize(x.size(), 0);
    return true;
  }
  factors_.factor(G);
  is_unique_ = factors_.is_unique();
  factors_.solve(r, x);
  if (!is_unique() && x.lpNorm<Eigen::Infinity>() > 0)
    factors_.put_null_space(null_);
  else
    null_.resize(x.size(), 0);
  return x.allFinite();
}

bool ForceShares::solve(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, const Eigen::VectorXd& scale,
                        const std::vector<Limits>& limits, Eigen::VectorXd& x) {
  return solve_least(G, r, x) && share(scale, limits, x);
}

bool ForceShares::share(const Eigen::VectorXd& scale, const std::vector<Limits>& limits, Eigen::VectorXd& x) {
  if (null_.cols() == 0) return true;
  const double size = x.lpNorm<Eigen::Infinity>();
  list_rooms(x, scale, limits, size);
  const Index free = null_.cols();
  z_.setZero(free + 1);
  z_[free] = std::min(least_room(), clear) - 1;
  bool goes_on = true;
  for (std::size_t w = 0; w < weights.size() && goes_on; ++w) goes_on = descend(weights[w], near_gain);
  const bool is_near = z_[free] < near_limit;
  if (goes_on) descend(is_near ? sharp_weight : weights.back(), found_gain);
  x.noalias() += size * (null_ * z_.head(free));
  return x.allFinite();
}

/// In parts of the largest force. The friction of a point is measured by the scale of its normal force.
void ForceShares::list_rooms(const Eigen::VectorXd& x, const Eigen::VectorXd& scale, const std::vector<Limits>& limits,
                             double size) {
  const Index free = null_.cols();
  of_.setZero(free + 1, 6 * static_cast<Index>(limits.size()));
  at_.setZero(of_.cols());
  rooms_ = 0;
  const auto put = [&](Index part, Index unknown, double share) {
    of_.col(part).head(free) = share * null_.row(unknown).transpose();
    at_[part] = share * x[unknown] / size;
  };
  for (const Limits& point : limits) {
    if (point.normal != none) put(3 * rooms_++, point.normal, 1);
    const Index rubs = std::max(point.tangents[0], point.tangents[1]);
    if (rubs == none) continue;
    const Index part = 3 * rooms_++;
    const double own = scale[point.normal != none ? point.normal : rubs];
    if (point.normal != none)
      put(part, point.normal, point.friction);
    else
      at_[part] = point.friction / (own * size);
    for (std::size_t i = 0; i < 2; ++i)
      if (const Index tangent = point.tangents[i]; tangent != none)
        put(part + 1 + static_cast<Index>(i), tangent, scale[tangent] / own);
  }
  for (Index k = 0; k < rooms_; ++k) of_(free, 3 * k) = -1;
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
  here_ = at_.head(3 * rooms_);
  here_.noalias() += of_.leftCols(3 * rooms_).transpose() * z;
  if (!(clear - s > 0)) return never;
  constexpr double small = 1e-100, large = 1e100;
  double sum = 0, product = clear - s;
  for (Index k = 0; k < rooms_; ++k) {
    const double* const h = here_.data() + 3 * k;
    const double inside = h[0] * h[0] - h[1] * h[1] - h[2] * h[2];
    if (!(h[0] > 0) || !(inside > 0)) return never;
    product *= inside;
    if (product > small && product < large) continue;
    sum += std::log(product);
    product = 1;
  }
  return 0.5 * z.head(free).squaredNorm() - worth * s - weight * (sum + std::log(product));
}

/// At the z of the last value. Of the second derivatives the lower triangle alone.
void ForceShares::differentiate(const Eigen::VectorXd& z, double weight) {
  const Index free = z.size() - 1;
  const double above = clear - z[free];
  gradient_ = z;
  gradient_[free] = weight / above - worth;
  hessian_.setIdentity(free + 1, free + 1);
  hessian_(free, free) = weight / (above * above);
  for (Index k = 0; k < rooms_; ++k) {
    const double* const h = here_.data() + 3 * k;
    const auto limit = of_.col(3 * k), one = of_.col(3 * k + 1), other = of_.col(3 * k + 2);
    const double inside = h[0] * h[0] - h[1] * h[1] - h[2] * h[2], first = 2 * weight / inside;
    change_.noalias() = h[0] * limit - h[1] * one - h[2] * other;
    gradient_ -= first * change_;
    for (Index c = 0; c <= free; ++c) {
      const Index rest = free + 1 - c;
      auto own = hessian_.col(c).tail(rest);
      own += (2 * first / inside * change_[c]) * change_.tail(rest) - (first * limit[c]) * limit.tail(rest);
      if (one[c] != 0 || other[c] != 0)
        own += (first * one[c]) * one.tail(rest) + (first * other[c]) * other.tail(rest);
    }
  }
}

/// Newton's method with halved steps. False if it finds no way down.
bool ForceShares::descend(double weight, double least_gain) {
  constexpr int most_steps = 60, most_halvings = 40;
  constexpr double sufficient = 1e-4;
  for (int step = 0; step < most_steps; ++step) {
    const double now = value(z_, weight);
    if (!std::isfinite(now)) return false;
    differentiate(z_, weight);
    hessian_factors_.compute(hessian_);
    change_ = -gradient_;
    hessian_factors_.solveInPlace(change_);
    if (!change_.allFinite()) return false;
    const double gain = -gradient_.dot(change_);
    const bool last = !(gain > least_gain * weight);
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

}  // namespace polyform::host::inline unilateral
