// Back onto the constraints: positions by Newton's method, velocities by projection, both in the mass metric.
#include <algorithm>
#include <cmath>

#include "particle_system_detail.hpp"

namespace polyform::particles {
namespace {

constexpr std::size_t most_steps = 50;
/// From this residual on one set of factors serves for the rest of the way.
constexpr double near_by = 1e-4;

}  // namespace

Recursion::Input ParticleSystem::recursion_input() const noexcept {
  return {positions_, velocities_, triangles_, angular_velocities_, motions_, joints_, {}};
}

/// Errors of positions or velocities at the state as it is.
double ParticleSystem::tree_errors(std::span<double> q, std::span<double> v, bool of_velocities) noexcept {
  place_bodies(needs_motions_);
  for (std::size_t j = 0; j < needed_.size(); ++j)
    if (needed_[j]) set_joint(j, q, v);
  return recursion_.find_errors(recursion_input(), of_velocities);
}

bool ParticleSystem::correct_tree_positions(std::span<double> q, std::span<double> v, double tolerance, double target,
                                            Correction& out) noexcept {
  double residual = out.position_residual = tree_errors(q, v, false);
  while (residual > target && out.iterations < most_steps) {
    const double before = residual;
    if (!recursion_.corrections(recursion_input(), accelerations_)) return fail_recursion();
    ++out.iterations;
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (layout_.particles[p].slot != none) positions_[p] += accelerations_[p];
    residual = tree_errors(q, v, false);
    if (residual <= tolerance && residual > 0.25 * before) return true;  // round-off
    if (!std::isfinite(residual)) break;
  }
  return residual <= std::max(tolerance, target) ||
         fail(
             "The distances and joints cannot be met: after {} Newton steps they are still off by {:.2e} (m or rad). "
             "Likely cause: too large a time step",
             out.iterations, residual);
}

bool ParticleSystem::correct_positions(double t, std::span<double> q, std::span<double> v, double tolerance,
                                       Correction& out) noexcept {
  failure_size_ = 0;
  factorized_ = false;
  double size = 1;
  for (const Vec3& r : positions_) size = std::max({size, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
  const double target = std::min(tolerance, 2e-15 * size);
  tolerance = std::max(tolerance, 1e-14 * size);  // nothing is below rounding
  if (recursive_) return correct_tree_positions(q, v, tolerance, target, out);
  set_rows(t, Level::position, q, v, false);
  out.position_residual = position_violation_;
  double residual = position_violation_;
  while (residual > target && out.iterations < most_steps) {
    const double before = residual;
    if (!factorized_) set_masses();
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (chunks_[p].block != none) std::fill_n(data_.data() + chunks_[p].first, 3, 0.0);
    std::fill(solution_.begin(), solution_.end(), 0.0);
    Refinement r{3, 1e-3};
    if (!solve(r)) return fail_with(r);
    ++out.iterations;
    for (std::size_t p = 0; p < chunks_.size(); ++p) {
      if (chunks_[p].block == none) continue;
      const double* x = solution_.data() + chunks_[p].first;
      positions_[p] += Vec3{x[0], x[1], x[2]};
    }
    factorized_ = before < near_by;
    set_rows(t, Level::position, q, v, false);
    residual = position_violation_;
    if (residual <= tolerance && residual > 0.25 * before) return true;  // round-off
    if (!std::isfinite(residual)) break;
  }
  if (residual <= std::max(tolerance, target)) return true;
  const Group* worst = groups_.data();
  double largest = -1;
  for (const Group& g : groups_)
    for (std::size_t row = 0; row < g.rows; ++row)
      if (!(std::abs(data_[g.chunk.first + row]) <= largest)) {
        largest = std::abs(data_[g.chunk.first + row]);
        worst = &g;
      }
  return fail(
      "The constraints cannot be met: after {} Newton steps {} `{}` is still off by {:.2e} (m or rad). Likely "
      "causes: lengths that do not close, or too large a time step",
      out.iterations, kind_of(*worst), name_of(*worst), residual);
}

bool ParticleSystem::correct_velocities(double t, std::span<double> q, std::span<double> v, Correction& out) noexcept {
  failure_size_ = 0;
  if (recursive_) {
    out.velocity_residual = tree_errors(q, v, true);
    if (!recursion_.corrections(recursion_input(), accelerations_)) return fail_recursion();
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (layout_.particles[p].slot != none) velocities_[p] += accelerations_[p];
    return true;
  }
  set_rows(t, Level::velocity, q, v, false);
  out.velocity_residual = velocity_violation_;
  if (!factorized_) set_masses();
  // Starting from the given velocities, only what they violate is solved for.
  std::fill(solution_.begin(), solution_.end(), 0.0);
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    double* x = solution_.data() + chunks_[p].first;
    for (std::size_t k = 0; k < 3; ++k) x[k] = velocities_[p][k];
    std::fill_n(data_.data() + chunks_[p].first, 3, 0.0);
  }
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const auto& particle = layout_.bodies[i].particle;
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const std::size_t pa = particle[a], pb = particle[b];
        if (chunks_[pa].block == none || chunks_[pb].block == none) continue;
        const Vec3 fa = masses_[i].block[k] * velocities_[pb],
                   fb = transpose_times(masses_[i].block[k], velocities_[pa]);
        for (std::size_t c = 0; c < 3; ++c) {
          data_[chunks_[pa].first + c] += fa[c];
          if (a != b) data_[chunks_[pb].first + c] += fb[c];
        }
      }
  }
  Refinement r{10, 0};
  if (!solve(r)) return fail_with(r);
  if (r.row_error > 1e-6 && std::abs(residual_[groups_[r.worst_group].chunk.first]) > 1e-6)
    return fail(
        "No velocities respect all constraints: {} `{}` is left with {:.2e} (m/s or rad/s). Likely cause: given "
        "or prescribed velocities that contradict each other",
        kind_of(groups_[r.worst_group]), name_of(groups_[r.worst_group]), r.row_error);
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    const double* x = solution_.data() + chunks_[p].first;
    velocities_[p] = {x[0], x[1], x[2]};
  }
  return true;
}

}  // namespace polyform::particles
