// Passes until the equations of motion and the constraints hold to rounding.
#include <cmath>
#include <limits>
#include <numeric>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

/// A residual relative to its terms, divided by the smallest pivot, is about the error of the
/// multipliers. It is to be below the first, within the limits of rounding and of what is usual anyway.
constexpr double wanted_accuracy = 1e-9, least_residual = 1e-15, usual_residual = 1e-12;
/// Passes that may be made to get there.
constexpr std::size_t most_rounds = 3;
/// Part of the largest force that is taken for the size of any smaller one.
constexpr double yardstick_floor = 1e-3;

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

/// Residuals of the equations of motion and of the rows, into load_residual_ and right_; the largest, each relative to
/// the terms that it is left of. Where inertia counts, terms are at least a small part of the largest: what is nearly
/// zero there moves nothing. Where it does not, a small force may move much. Rows between bodies that have inertia are
/// held against the largest term of all rows: against their own, chains of revolute joints would take a second pass for
/// digits that no acceleration shows.
double Recursion::find_residual(std::span<const double> loads) noexcept {
  double largest = 0, largest_share = 0, worst = 0;
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const std::size_t first = system_.offset(i);
    double* left = load_residual_.data() + first;
    system_.multiply_inertia(i, total_accelerations_.data() + first, left);
    for (std::size_t k = 0; k < system_.size(i); ++k) {
      load_size_[first + k] = std::max(std::abs(left[k]), std::abs(loads[first + k]));
      largest = std::max(largest, load_size_[first + k]);
      left[k] = loads[first + k] - left[k];
    }
  }
  std::copy(system_.right().begin(), system_.right().end(), right_.begin());
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows) {
      double* right = right_.data() + system_.first_row(rows.tie);
      const double* lambda = total_multipliers_.data() + system_.first_row(rows.tie);
      const auto count = static_cast<std::size_t>(rows.count);
      double* terms = row_size_.data() + system_.first_row(rows.tie);
      std::fill_n(terms, count, 0.0);
      bool own_terms = false;
      for (std::size_t i = 0; i < system_.tied_blocks(rows.tie); ++i) {
        const AbsoluteSystem::Coefficients c = system_.coefficients(rows.tie, i);
        const double* x = total_accelerations_.data() + system_.offset(c.block);
        double* left = load_residual_.data() + system_.offset(c.block);
        double* size = load_size_.data() + system_.offset(c.block);
        const std::size_t own = c.own.size() / count, frame = c.frame.empty() ? 0 : 6;
        const bool own_size = inertia_[c.block].singular || system_.is_module(c.block);
        own_terms |= own_size;
        for (std::size_t r = 0; r < count; ++r) {
          double share = 0;
          const auto add = [&](std::size_t k, double a) {
            share += a * x[k];
            left[k] += lambda[r] * a;
            if (own_size) size[k] = std::max(size[k], std::abs(lambda[r] * a));
          };
          for (std::size_t k = 0; k < frame; ++k) add(k, c.frame[r][k]);
          for (std::size_t k = 0; k < own; ++k) add(frame + k, c.own[r * own + k]);
          right[r] -= share;
          terms[r] = std::max(terms[r], std::abs(share));
        }
      }
      for (std::size_t r = 0; r < count; ++r) {
        right[r] -= node.noise[static_cast<std::size_t>(rows.first) + r] * lambda[r];
        largest_share = std::max(largest_share, terms[r]);
        if (!own_terms) terms[r] = std::numeric_limits<double>::infinity();
      }
    }
  const auto compare = [&](double left, double size) {
    if (left > worst * size) worst = left / size;
  };
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    double left = 0, size = inertia_[i].singular ? 0 : yardstick_floor * largest;
    for (std::size_t k = system_.offset(i); k < system_.offset(i + 1); ++k) {
      if (system_.is_module(i)) compare(std::abs(load_residual_[k]), load_size_[k]);  // each of a nature of its own
      left = std::max(left, std::abs(load_residual_[k]));
      size = std::max(size, load_size_[k]);
    }
    compare(left, size);
  }
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (std::size_t r = system_.first_row(rows.tie), end = r + system_.rows(rows.tie); r < end; ++r)
        compare(std::abs(right_[r]),
                std::max(std::min(row_size_[r], largest_share), yardstick_floor * largest_share));
  return worst;
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
  const double tolerance = least_contradiction + 100 * (system_.position_violation() + system_.velocity_violation());
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
