// The sparse system: factorization from tips to roots, and refinement.
#include <algorithm>
#include <cmath>
#include <limits>

#include "particle_system_detail.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::particles {

using detail::add;
using detail::load;

namespace {

/// Relative size of what is subtracted from the zero block of rows that may be redundant. Refinement removes it; its
/// error shrinks by about this factor per round, less in nearly dependent rows, which want a small one. But a row that
/// is eliminated before what resists it is as stiff as 1/ε, and light bodies lose their digits beside it: where the
/// residual does not fall with the small one, the large one is taken.
constexpr double small_epsilon = 1e-10, large_epsilon = 1e-7;
/// The residual has not fallen when it ends above this.
constexpr double fallen = 1e-10;
/// Part of the least that its neighbours have which a body without mass or inertia gets in the factors, and loses in
/// the refinement.
constexpr double delta_of_singular = 1e-4;
/// A residual of this size relative to the terms it is made of is round-off.
constexpr double round_off = 2e-15;
/// Part of what a load would do to a particle alone that is rounding still, beside what is told as a contradiction.
constexpr double held_share = 1e-7;

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

void add_block(const BlockLdlt::Block& place, bool lower, const Mat3& m) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < (lower ? r + 1 : 3); ++c) place(r, c) += m(r, c);
}

}  // namespace

/// Factorizes [M + Cᵀ D C, Cᵀ; C, 0] for the rows of the tree: the penalty D, of the size of the body's mass, changes
/// nothing in the solution but makes the mass of a body positive where it has none against its constraints. Rows of
/// loops have no penalty and a small negative diagonal instead of zero.
bool ParticleSystem::factorize(double epsilon) noexcept {
  matrix_.clear();
  for (const Mass& mass : masses_) {
    for (std::size_t k = 0; k < 6; ++k)
      if (mass.place[k].block.data != nullptr) add_block(mass.place[k].block, mass.place[k].lower, mass.block[k]);
    if (!mass.singular) continue;
    for (const std::size_t k : {0u, 2u, 5u})
      if (mass.place[k].block.data != nullptr)
        add_block(mass.place[k].block, true, delta_of_singular * mass.added * Mat3::identity());
  }
  for (const Group& g : groups_) {
    for (std::size_t row = 0; row < g.rows; ++row) {
      double square = 0;
      for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
        const Vec3& c = coefficients_[entries_[e].first + row];
        square += dot(c, c);
        double* to = &entries_[e].place(row, 0);
        const std::size_t stride = entries_[e].place.column_stride;
        to[0] = c.x;
        to[stride] = c.y;
        to[2 * stride] = c.z;
      }
      const double size = row_size_[g.chunk.first + row];
      penalty_[g.chunk.first + row] = g.loop || !(square > 0) ? 0 : g.mass / square;
      // A row without coefficients asks for nothing.
      g.diagonal(row, row) = g.loop && size > 0 ? -epsilon * size / g.mass : square > 0 ? 0 : -1;
    }
    if (g.loop) continue;
    const Place* pair = pairs_.data() + g.pair;
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
      for (std::size_t f = g.entry; f <= e; ++f, ++pair) {
        Mat3 sum;
        for (std::size_t row = 0; row < g.rows; ++row) {
          const double d = penalty_[g.chunk.first + row];
          const Vec3 &a = coefficients_[entries_[e].first + row], &b = coefficients_[entries_[f].first + row];
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) sum(i, j) += d * a[i] * b[j];
        }
        add_block(pair->block, pair->lower, sum);
      }
  }
  factorized_ = matrix_.factorize();
  if (factorized_) return true;
  for (const Group& g : groups_)
    if (g.chunk.block == matrix_.failed_block())
      return fail(
          "The equations of motion cannot be solved at {} `{}`: its mass or the state is not finite, or nothing "
          "determines its motion",
          kind_of(g), name_of(g));
  return fail("The equations of motion cannot be solved: the state is not finite");
}

/// residual = data − K solution, and its size relative to that of its terms, particle by particle and row by row.
void ParticleSystem::find_residual(Refinement& out) noexcept {
  std::copy(data_.begin(), data_.end(), residual_.begin());
  double motion_floor = 0, force_floor = 0;
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    const double force = largest(load(data_.data() + chunks_[p].first));
    // What is held still has no motion to compare with: what its load would do to it alone is counted too.
    motion_size_[p] = largest(load(solution_.data() + chunks_[p].first)) + force / heaviest_[p];
    force_size_[p] = force;
    motion_floor = std::max(motion_floor, least_share * motion_size_[p]);
  }
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const auto& particle = layout_.bodies[i].particle;
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const Chunk &ca = chunks_[particle[a]], &cb = chunks_[particle[b]];
        if (ca.block == none || cb.block == none) continue;
        const Vec3 fa = masses_[i].block[k] * load(solution_.data() + cb.first);
        add(-fa, residual_.data() + ca.first);
        force_size_[particle[a]] += largest(fa);
        if (a == b) continue;
        const Vec3 fb = transpose_times(masses_[i].block[k], load(solution_.data() + ca.first));
        add(-fb, residual_.data() + cb.first);
        force_size_[particle[b]] += largest(fb);
      }
  }
  out.row_error = out.particle_error = 0;
  double sum = 0;
  for (const Group& g : groups_) {
    for (std::size_t row = 0; row < g.rows; ++row) {
      const std::size_t x = g.chunk.first + row;
      // What bodies with common particles have in common cancels in a row; its size is that of the shares.
      double left = data_[x], size = std::abs(left), motion = 0;
      for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
        const Entry& entry = entries_[e];
        const Chunk& chunk = chunks_[entry.particle];
        const Vec3& c = coefficients_[entry.first + row];
        left -= dot(c, load(solution_.data() + chunk.first));
        add(-solution_[x] * c, residual_.data() + chunk.first);
        motion = std::max({motion, motion_size_[entry.particle], motion_floor});
        size += largest(c) * std::max(motion_size_[entry.particle], motion_floor);
        force_size_[entry.particle] += largest(c) * std::abs(solution_[x]);
      }
      size += std::sqrt(row_size_[x]) * motion;
      residual_[x] = left;
      sum += left;
      if (std::abs(left) > out.row_error * size) {
        out.row_error = std::abs(left) / size;
        out.worst_group = static_cast<std::size_t>(&g - groups_.data());
      }
    }
  }
  for (std::size_t p = 0; p < chunks_.size(); ++p)
    if (chunks_[p].block != none) force_floor = std::max(force_floor, least_share * force_size_[p]);
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    const double left = largest(load(residual_.data() + chunks_[p].first));
    sum += left;
    if (left > out.particle_error * std::max(force_size_[p], force_floor)) {
      out.particle_error = left / std::max(force_size_[p], force_floor);
      out.worst_particle = p;
    }
  }
  if (!std::isfinite(sum)) out.particle_error = out.row_error = std::numeric_limits<double>::infinity();
}

/// The right-hand side that goes with the penalties: f + Cᵀ D γ.
void ParticleSystem::penalize_residual() noexcept {
  std::copy(residual_.begin(), residual_.end(), step_.begin());
  for (const Group& g : groups_) {
    if (g.loop) continue;
    for (std::size_t row = 0; row < g.rows; ++row) {
      const double d = penalty_[g.chunk.first + row] * residual_[g.chunk.first + row];
      for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
        add(d * coefficients_[entries_[e].first + row], step_.data() + chunks_[entries_[e].particle].first);
    }
  }
}

/// Solves from the value that the solution has on entry; factorizes when that is not done. False when anything is not
/// finite.
bool ParticleSystem::solve(Refinement& r) noexcept {
  std::copy(solution_.begin(), solution_.end(), start_.begin());
  const double accepted = std::max(fallen, r.tolerance);
  if (refine(r, small_epsilon) && std::max(r.particle_error, r.row_error) <= accepted) return true;
  failure_size_ = 0;
  factorized_ = false;
  std::copy(start_.begin(), start_.end(), solution_.begin());
  return refine(r, large_epsilon);
}

/// Refines the solution until its residual is below the tolerance, at round-off or no longer falling.
bool ParticleSystem::refine(Refinement& r, double epsilon) noexcept {
  find_residual(r);
  double error = std::max(r.particle_error, r.row_error), best = error;
  for (std::size_t stale = 0; stale < 3 && error > std::max(r.tolerance, round_off);) {
    if (!factorized_ && !factorize(epsilon)) return false;
    penalize_residual();
    matrix_.solve(step_);
    for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += step_[i];
    find_residual(r);
    const double before = error;
    error = std::max(r.particle_error, r.row_error);
    if (error > 0.5 * before && error < 1e-12) break;
    stale = error < 0.9 * best ? 0 : stale + 1;
    best = std::min(best, error);
  }
  return std::isfinite(error);
}

bool ParticleSystem::fail_with(const Refinement& r) noexcept {
  if (failure_size_ != 0) return false;
  for (std::size_t p = 0; p < chunks_.size(); ++p)
    if (chunks_[p].block != none && !std::isfinite(largest(load(data_.data() + chunks_[p].first))))
      return fail_load(layout_.particles[p].body);
  return fail("The accelerations of body `{}` are not finite",
              view_.bodies[layout_.particles[r.worst_particle].body].name);
}

bool ParticleSystem::check_solution(const Refinement& r) noexcept {
  if (r.particle_error > 1e-6) {
    const std::size_t body = layout_.particles[r.worst_particle].body;
    if (masses_[body].singular)
      return fail(
          "Body `{}` has no mass or inertia, or hardly any, for a motion that the joints leave free: give it some, or "
          "a joint that holds it",
          view_.bodies[body].name);
    return fail(
        "The accelerations of body `{}` cannot be found: the system of equations is nearly singular. Likely causes: a "
        "mechanism at a singular position, too large a time step, or a neighbour with hardly any mass or inertia",
        view_.bodies[body].name);
  }
  return check_rows();
}

/// As find_residual, with the motions that there are: of what loads would do to particles alone only rounding counts
/// here, or a large load on a light body would hide a row that is not met.
bool ParticleSystem::check_rows() noexcept {
  double floor = 0, error = 0;
  for (std::size_t p = 0; p < chunks_.size(); ++p) {
    if (chunks_[p].block == none) continue;
    motion_size_[p] = largest(load(solution_.data() + chunks_[p].first)) +
                      held_share * largest(load(data_.data() + chunks_[p].first)) / heaviest_[p];
    floor = std::max(floor, least_share * motion_size_[p]);
  }
  const Group* worst = nullptr;
  for (const Group& g : groups_)
    for (std::size_t row = 0; row < g.rows; ++row) {
      const std::size_t x = g.chunk.first + row;
      double size = std::abs(data_[x]), motion = 0;
      for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
        const double here = std::max(motion_size_[entries_[e].particle], floor);
        size += largest(coefficients_[entries_[e].first + row]) * here;
        motion = std::max(motion, here);
      }
      size += std::sqrt(row_size_[x]) * motion;
      if (!(std::abs(residual_[x]) > error * size)) continue;
      error = std::abs(residual_[x]) / size;
      worst = &g;
    }
  if (!is_contradiction(error, least_contradiction, position_violation_, velocity_violation_)) return true;
  return contradict(kind_of(*worst), name_of(*worst), error);
}

bool ParticleSystem::contradict(const char* kind, std::string_view name, double error) noexcept {
  return fail(
      "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative error {:.1e}). {}",
      kind, name, error, causes_of_contradiction(view_));
}

}  // namespace polyform::particles
