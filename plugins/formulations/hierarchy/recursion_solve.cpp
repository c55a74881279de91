// Passes until the equations of motion and the constraints hold to rounding.
#include <cmath>
#include <limits>
#include <numeric>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

/// A residual relative to the largest force or acceleration, divided by the smallest pivot, is about the error of the
/// multipliers. It is to be below the first, within the limits of rounding and of what is usual anyway.
constexpr double wanted_accuracy = 1e-9, least_residual = 1e-15, usual_residual = 1e-12;
/// Passes that may be made to get there.
constexpr std::size_t most_rounds = 3;

}  // namespace

/// What rounding leaves of M α − f − Aᵀλ and A α − b is solved for once more where joints are nearly dependent.
bool Recursion::solve(std::span<const double> loads) noexcept {
  failure_size_ = 0;
  smallest_pivot_ = 1;
  std::copy(system_.right().begin(), system_.right().end(), right_.begin());
  std::fill(total_accelerations_.begin(), total_accelerations_.end(), 0.0);
  std::fill(total_multipliers_.begin(), total_multipliers_.end(), 0.0);
  std::copy(loads.begin(), loads.end(), load_residual_.begin());
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (!pass(load_residual_)) return false;
    for (std::size_t i = 0; i < accelerations_.size(); ++i) total_accelerations_[i] += accelerations_[i];
    for (std::size_t r = 0; r < multipliers_.size(); ++r) total_multipliers_[r] += multipliers_[r];
    const double error = find_residual(loads);
    const double enough = std::clamp(wanted_accuracy * smallest_pivot_, least_residual, usual_residual);
    if (error < enough || !(error < 0.1 * before)) break;
    before = error;
  }
  return check_finite();
}

/// Residuals of the equations of motion and of the rows, into load_residual_ and right_; the largest, relative to the
/// largest force or acceleration.
double Recursion::find_residual(std::span<const double> loads) noexcept {
  double size = 0, worst = 0, row_size = 0, worst_row = 0;
  const auto largest = [&](std::size_t i, const double* x) {
    double most = 0;
    for (std::size_t k = 0; k < system_.size(i); ++k) most = std::max(most, std::abs(x[k]));
    return most;
  };
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const std::size_t first = system_.offset(i);
    double* left = load_residual_.data() + first;
    system_.multiply_inertia(i, total_accelerations_.data() + first, left);
    size = std::max({size, largest(i, left), largest(i, loads.data() + first)});
    for (std::size_t k = 0; k < system_.size(i); ++k) left[k] = loads[first + k] - left[k];
  }
  std::copy(system_.right().begin(), system_.right().end(), right_.begin());
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows) {
      double* right = right_.data() + system_.first_row(rows.tie);
      const double* lambda = total_multipliers_.data() + system_.first_row(rows.tie);
      const auto count = static_cast<std::size_t>(rows.count);
      for (std::size_t i = 0; i < system_.tied_blocks(rows.tie); ++i) {
        const AbsoluteSystem::Coefficients c = system_.coefficients(rows.tie, i);
        const double* x = total_accelerations_.data() + system_.offset(c.block);
        double* left = load_residual_.data() + system_.offset(c.block);
        const std::size_t own = c.own.size() / count, frame = c.frame.empty() ? 0 : 6;
        for (std::size_t r = 0; r < count; ++r) {
          double share = 0;
          for (std::size_t k = 0; k < frame; ++k) {
            share += c.frame[r][k] * x[k];
            left[k] += lambda[r] * c.frame[r][k];
          }
          for (std::size_t k = 0; k < own; ++k) {
            share += c.own[r * own + k] * x[frame + k];
            left[frame + k] += lambda[r] * c.own[r * own + k];
          }
          right[r] -= share;
          row_size = std::max(row_size, std::abs(share));
        }
      }
      for (std::size_t r = 0; r < count; ++r) {
        right[r] -= node.noise[static_cast<std::size_t>(rows.first) + r] * lambda[r];
        worst_row = std::max(worst_row, std::abs(right[r]));
      }
    }
  for (const double left : load_residual_) worst = std::max(worst, std::abs(left));
  return std::max(size > 0 ? worst / size : 0, row_size > 0 ? worst_row / row_size : 0);
}

bool Recursion::check_finite() noexcept {
  const double sum = std::accumulate(total_accelerations_.begin(), total_accelerations_.end(), 0.0);
  if (std::isfinite(sum)) return true;
  std::size_t k = 0, i = 0;
  while (k + 1 < total_accelerations_.size() && std::isfinite(total_accelerations_[k])) ++k;
  while (system_.offset(i + 1) <= k) ++i;
  return fail("The accelerations of `{}` are not finite: a force, the state or the time step has gone astray",
              system_.name_of_block(i));
}

bool Recursion::check_rows() noexcept {
  double largest = 0;
  for (const double a : total_accelerations_) largest = std::max(largest, std::abs(a));
  // A state beside the constraints makes redundant rows disagree by about as much.
  const double tolerance = 1e-4 + 100 * (system_.position_violation() + system_.velocity_violation());
  for (const Node& node : nodes_) {
    const Index rank = modules_[node.module].by_basis ? node.rank : node.S_inverse.rank();
    if (rank == node.count) continue;
    for (const Rows& rows : node.rows)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
        double left = system_.right()[system_.first_row(rows.tie) + r], size = std::abs(left);
        for (std::size_t i = 0; i < system_.tied_blocks(rows.tie); ++i) {
          const AbsoluteSystem::Coefficients c = system_.coefficients(rows.tie, i);
          const double* x = total_accelerations_.data() + system_.offset(c.block);
          const std::size_t own = c.own.size() / static_cast<std::size_t>(rows.count);
          const auto add = [&](double a, double alpha) {
            left -= a * alpha;
            size += std::abs(a) * std::max(std::abs(alpha), 1e-3 * largest);
          };
          for (std::size_t k = 0; k < 6 && !c.frame.empty(); ++k) add(c.frame[r][k], *x++);
          for (std::size_t k = 0; k < own; ++k) add(c.own[r * own + k], *x++);
        }
        if (std::abs(left) > tolerance * size && std::abs(left) > 1e-9)
          return fail(
              "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative "
              "error {:.1e}). Likely causes: two prescribed motions of one thing, or a mechanism at its limit "
              "position",
              system_.kind_of_tie(rows.tie), system_.name_of_tie(rows.tie), std::abs(left) / size);
      }
  }
  return true;
}

}  // namespace polyform::hierarchy
