// Back onto the constraints: positions by Newton's method, velocities by projection, both in the mass metric.
#include <algorithm>
#include <cmath>

#include "particle_system_detail.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::particles {
namespace {

/// From this residual on one set of factors serves for the rest of the way.
constexpr double near_by = 1e-4;

}  // namespace

Recursion::Input ParticleSystem::recursion_input() const noexcept {
  return {positions_, velocities_, triangles_, angular_velocities_, motions_, joints_, {}};
}

/// The largest error of positions or velocities as placed; keeps all for the corrections of the recursion.
double ParticleSystem::errors(bool of_velocities) noexcept {
  const double of_loops = of_velocities ? loops_.constraints().velocity_violation() : loops_.constraints().position_violation();
  return std::max(recursion_.find_errors(recursion_input(), of_velocities), of_loops);
}

void ParticleSystem::keep_uncorrected() noexcept {
  std::copy(positions_.begin(), positions_.end(), uncorrected_.begin());
  std::copy(angular_velocities_.begin(), angular_velocities_.end(), uncorrected_rates_.begin());
}

bool ParticleSystem::correct_positions_by_recursion(std::span<double> q, std::span<double> v, double tolerance,
                                                    double target, Correction& out) noexcept {
  place_system(false, q, v);
  keep_uncorrected();
  double residual = out.position_residual = errors(false);
  if (!loops_.empty()) target = std::min(tolerance, loops_.constraints().position_rounding());
  ClosingSteps steps(residual);
  while (residual > target && steps.go_on()) {
    const double before = residual;
    if (!recursion_.corrections(recursion_input(), false, accelerations_)) return fail_recursion();
    ++out.iterations;
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (layout_.particles[p].slot != none) positions_[p] += accelerations_[p];
    place_system(false, q, v);
    residual = errors(false);
    steps.made(residual);
    if (has_come_to_rounding(residual, before, tolerance)) return true;
  }
  if (residual <= std::max(tolerance, target)) return true;
  if (!loops_.empty() && !(loops_.constraints().position_violation() < residual))
    return fail(
        "The loop of joint `{}` cannot be closed: after {} Newton steps it is still off by {:.2e} (m or rad). Likely "
        "causes: lengths that do not close, or too large a time step",
        view_.joints[loops_.constraints().worst_joint()].name, out.iterations, residual);
  return fail(
      "The distances and joints cannot be met: after {} Newton steps they are still off by {:.2e} (m or rad). Likely "
      "cause: too large a time step",
      out.iterations, residual);
}

bool ParticleSystem::correct_velocities_by_recursion(std::span<double> q, std::span<double> v,
                                                     Correction& out) noexcept {
  double residual = out.velocity_residual = errors(true);
  // Of loops near a singular position one projection leaves more than rounding.
  for (int passes = 0; passes < 2; ++passes) {
    if (!loops_.empty() && residual <= loops_.constraints().velocity_rounding()) break;
    if (!recursion_.corrections(recursion_input(), true, accelerations_)) return fail_recursion();
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (layout_.particles[p].slot != none) velocities_[p] += accelerations_[p];
    if (loops_.empty()) break;
    place_system(false, q, v);
    residual = errors(true);
  }
  return true;
}

void ParticleSystem::carry_velocities(std::span<double> q, std::span<double> v) noexcept {
  const auto change = [&](std::size_t p) { return positions_[p] - uncorrected_[p]; };
  // Parents stand before their children, and particle 1 of a body before its others.
  for (std::size_t p = 0; p < positions_.size(); ++p) {
    const std::size_t i = layout_.particles[p].body;
    if (i == none) continue;
    const std::size_t first = layout_.bodies[i].particle[0];
    const JointData& joint = view_.joints[i];
    std::size_t from = first;
    if (p == first)
      from = is_ground(joint.inboard()) || joint.nv >= 6 ? p : layout_.bodies[at(joint.inboard())].particle[0];
    // What moves with nothing else turns about where it was.
    carried_[p] = from == p ? cross(uncorrected_rates_[i], change(p))
                            : carried_[from] + cross(uncorrected_rates_[i], change(p) - change(from));
  }
  for (std::size_t p = 0; p < positions_.size(); ++p) velocities_[p] += carried_[p];
  if (recursive_ && needs_motions_) place_system(false, q, v);
}

void ParticleSystem::find_violations(double t, std::span<double> q, std::span<double> v, Correction& out) noexcept {
  if (recursive_) {
    place_system(false, q, v);
    out.position_residual = errors(false);
    out.velocity_residual = errors(true);
    return;
  }
  set_rows(t, Level::velocity, q, v, false);
  out.position_residual = position_violation_;
  out.velocity_residual = velocity_violation_;
}

bool ParticleSystem::correct_positions(double t, std::span<double> q, std::span<double> v, double tolerance,
                                       Correction& out) noexcept {
  failure_size_ = 0;
  factorized_ = false;
  double size = 1;
  for (const Vec3& r : positions_) size = std::max({size, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
  const double target = std::min(tolerance, 2e-15 * size);
  tolerance = std::max(tolerance, position_rounding_part * size);  // nothing is below rounding
  if (recursive_) return correct_positions_by_recursion(q, v, tolerance, target, out);
  set_rows(t, Level::position, q, v, false);
  keep_uncorrected();
  out.position_residual = position_violation_;
  double residual = position_violation_;
  ClosingSteps steps(residual);
  while (residual > target && steps.go_on()) {
    const double before = residual;
    if (!factorized_) set_masses();
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      if (chunks_[p].block != none) std::fill_n(data_.data() + chunks_[p].first, 3, 0.0);
    std::fill(solution_.begin(), solution_.end(), 0.0);
    Refinement r{1e-3};
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
    steps.made(residual);
    if (has_come_to_rounding(residual, before, tolerance)) return true;
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
  if (recursive_) return correct_velocities_by_recursion(q, v, out);
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
  Refinement r{0};
  if (!solve(r)) return fail_with(r);
  if (r.row_error > 1e-6 && std::abs(residual_[groups_[r.worst_group].chunk.first]) > 1e-6)
    return fail(
        "No velocities respect all constraints: {} `{}` is left with {:.2e} (m/s or rad/s). Likely causes: "
        "given or prescribed velocities that contradict each other, or a mechanism at its limit position",
        kind_of(groups_[r.worst_group]), name_of(groups_[r.worst_group]), r.row_error);
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    const double* x = solution_.data() + chunks_[p].first;
    velocities_[p] = {x[0], x[1], x[2]};
  }
  return true;
}

}  // namespace polyform::particles
