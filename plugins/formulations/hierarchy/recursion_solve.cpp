// Passes until the equations of motion and the constraints hold to rounding.
#include <cmath>
#include <limits>

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
bool Recursion::solve(std::span<const Spatial> loads) noexcept {
  failure_size_ = 0;
  smallest_pivot_ = 1;
  std::copy(rows_.right().begin(), rows_.right().end(), right_.begin());
  std::fill(total_accelerations_.begin(), total_accelerations_.end(), Spatial{});
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
  return check_rows();
}

/// Residuals of the equations of motion and of the rows, into load_residual_ and right_; the largest, relative to the
/// largest force or acceleration.
double Recursion::find_residual(std::span<const Spatial> loads) noexcept {
  double size = 0, worst = 0, row_size = 0, worst_row = 0;
  const auto largest = [](const Spatial& s) { return std::max(norm(s.angular), norm(s.linear)); };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Spatial& a = total_accelerations_[i];
    const Spatial inertial{rows_.inertia(i) * a.angular, inertia_[i].mass * a.linear};
    size = std::max({size, largest(inertial), largest(loads[i])});
    load_residual_[i] = loads[i] - inertial;
  }
  std::copy(rows_.right().begin(), rows_.right().end(), right_.begin());
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
        const std::size_t row = rows_.first_row(rows.tie) + r;
        const double lambda = total_multipliers_[row];
        for (std::size_t i = 0; i < rows.touched.size(); ++i) {
          const std::size_t body = node.touched[rows.touched[i]].body;
          const Spatial& a = rows_.coefficients(rows.tie, i)[r];
          const double share = dot(a, total_accelerations_[body]);
          load_residual_[body] += lambda * a;
          right_[row] -= share;
          row_size = std::max(row_size, std::abs(share));
        }
        right_[row] -= node.noise[static_cast<std::size_t>(rows.first) + r] * lambda;
        worst_row = std::max(worst_row, std::abs(right_[row]));
      }
  for (const Spatial& left : load_residual_) worst = std::max(worst, largest(left));
  return std::max(size > 0 ? worst / size : 0, row_size > 0 ? worst_row / row_size : 0);
}

/// Rows that were found to depend on others must be met all the same.
bool Recursion::check_rows() noexcept {
  double largest = 0, sum = 0;
  for (const Spatial& a : total_accelerations_) {
    largest = std::max({largest, norm(a.angular), norm(a.linear)});
    sum += dot(a, a);
  }
  if (!std::isfinite(sum)) {
    std::size_t i = 0;
    while (std::isfinite(dot(total_accelerations_[i], total_accelerations_[i]))) ++i;
    return fail("The accelerations of body `{}` are not finite: a force, the state or the time step has gone astray",
                view_.bodies[i].name);
  }
  // A state beside the constraints (a stage of an integrator) makes redundant rows disagree by about as much.
  const double tolerance = 1e-4 + 100 * (rows_.position_violation() + rows_.velocity_violation());
  for (const Node& node : nodes_) {
    const Index rank = modules_[node.module].by_basis ? node.rank : node.S_inverse.rank();
    if (rank == node.count) continue;
    for (const Rows& rows : node.rows)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
        double left = rows_.right()[rows_.first_row(rows.tie) + r], size = std::abs(left);
        for (std::size_t i = 0; i < rows.touched.size(); ++i) {
          const Spatial& a = rows_.coefficients(rows.tie, i)[r];
          const Spatial& alpha = total_accelerations_[node.touched[rows.touched[i]].body];
          left -= dot(a, alpha);
          size += norm(a.angular) * std::max(norm(alpha.angular), 1e-3 * largest) +
                  norm(a.linear) * std::max(norm(alpha.linear), 1e-3 * largest);
        }
        if (std::abs(left) > tolerance * size && std::abs(left) > 1e-9)
          return fail(
              "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative "
              "error {:.1e}). Likely causes: two prescribed motions of one thing, or a mechanism at its limit "
              "position",
              rows_.is_joint(rows.tie) ? "joint" : "constraint", rows_.name(rows.tie), std::abs(left) / size);
      }
  }
  return true;
}

}  // namespace polyform::hierarchy
