#include "normal_problem.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::time_stepping {

void NormalProblem::clear() {
  starts_.assign(1, 0);
  columns_.clear();
  values_.clear();
  own_.clear();
  inverse_.clear();
}

void NormalProblem::end_row(double own) {
  starts_.push_back(static_cast<std::uint32_t>(columns_.size()));
  own_.push_back(own);
  inverse_.push_back(own > 0 ? 1 / own : 0);
}

double NormalProblem::rate_without_own(std::size_t row, const double* lambda) const {
  double sum = b_[row];
  for (std::uint32_t e = starts_[row]; e < starts_[row + 1]; ++e) sum += values_[e] * lambda[columns_[e]];
  return sum;
}

void NormalProblem::sweep(std::span<double> lambda) const {
  for (std::size_t p = 0; p < own_.size(); ++p)
    lambda[p] = std::max(0.0, -rate_without_own(p, lambda.data()) * inverse_[p]);
}

/// Whether λ is within the tolerance, after the residual was found.
bool NormalProblem::is_solved(std::span<const double> lambda, double target) {
  constexpr double rounding = 1e-15;
  double size = 0, largest = 0;
  for (std::size_t p = 0; p < own_.size(); ++p) {
    if (!(own_[p] > 0)) continue;
    const double pressed = own_[p] * lambda[p];
    size = std::max(size, std::abs(pressed));
    largest = std::max(largest, std::abs(std::min(rate_without_own(p, lambda.data()) + pressed, pressed)));
  }
  residual_ = largest;
  return residual_ <= target + rounding * size;
}

/// Takes λ to where the rows that press have no rate and all others no impulse. softening: part of the answer of a row
/// to itself that is added to it, so that more rows may press than it takes to hold a body.
bool NormalProblem::step(double softening, std::span<double> lambda) {
  place_.assign(own_.size(), -1);
  int count = 0;
  for (std::size_t p = 0; p < own_.size(); ++p)
    if (own_[p] > 0 && -rate_without_own(p, lambda.data()) > 0) place_[p] = count++;
  for (std::size_t p = 0; p < own_.size(); ++p)
    if (place_[p] < 0) lambda[p] = 0;
  entries_.clear();
  wanted_.resize(count);
  for (std::size_t p = 0; p < own_.size(); ++p) {
    const int i = place_[p];
    if (i < 0) continue;
    wanted_[i] = rate_without_own(p, lambda.data()) + own_[p] * lambda[p];
    entries_.emplace_back(i, i, (1 + softening) * own_[p]);
    for (std::uint32_t e = starts_[p]; e < starts_[p + 1]; ++e)
      if (const int j = place_[columns_[e]]; j >= 0 && j < i) entries_.emplace_back(i, j, values_[e]);
  }
  if (count == 0) return true;
  W_.resize(count, count);
  W_.setFromTriplets(entries_.begin(), entries_.end());
  factors_.compute(W_);
  if (factors_.info() != Eigen::Success) return false;
  change_ = factors_.solve(wanted_);
  if (!change_.allFinite()) return false;
  for (std::size_t p = 0; p < own_.size(); ++p)
    if (place_[p] >= 0) lambda[p] -= change_[place_[p]];
  return true;
}

/// As the methods of sweeps.hpp see it.
struct NormalProblem::Target {
  NormalProblem& of;
  double target;

  void sweep(std::span<double> lambda) const { of.sweep(lambda); }
  bool is_solved(std::span<const double> lambda) const { return of.is_solved(lambda, target); }
  bool step(double softening, std::span<double> lambda) const { return of.step(softening, lambda); }
};

bool NormalProblem::solve(std::span<const double> b, std::span<double> lambda, double target, std::size_t iterations) {
  // A step of Newton's method takes as long as some hundred sweeps.
  constexpr std::size_t sweeps_before_newton = 200;
  b_ = b;
  const Target problem{*this, target};
  for (std::size_t done = 0; done < iterations;) {
    const std::size_t sweeps = std::min(std::max(sweeps_before_newton, done), iterations - done);
    if (relax(problem, room_, own_, lambda, sweeps, residual_)) return true;
    if (!std::isfinite(residual_)) return false;
    done += sweeps;
    if (sharpen(problem, room_, lambda, residual_)) return true;
  }
  return false;
}

}  // namespace polyform::time_stepping
