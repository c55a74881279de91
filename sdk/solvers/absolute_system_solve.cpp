// The saddle-point system: factorization of a quasi-definite neighbour, residuals against the true matrix.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absolute_system_detail.hpp"

namespace polyform {

using detail::largest;
using detail::load;
using detail::store;

/// Factorizes [M + δ, Aᵀ; A, −ε], with δ and ε in the units of each block.
bool AbsoluteSystem::factorize(const Neighbour& neighbour) noexcept {
  matrix_.clear();
  const std::size_t n = view_.bodies.size(), blocks = own_.size();
  for (std::size_t i = 0; i < blocks; ++i) enter_inertia(i, neighbour);
  std::size_t block = blocks;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.rows == 0) continue;
    const double relative_epsilon = g < n ? least_epsilon : neighbour.loop_epsilon;
    const BlockLdlt::Block D = diagonals_[block++];
    for (std::size_t r = 0; r < group.rows; ++r) {
      double compliance = 0;  // of the row: about A M⁻¹ Aᵀ
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        if (entries_[e].frame + entries_[e].owns == 0) continue;  // a module without variables
        enter_row(entries_[e], r);
        if (entries_[e].frame != 0) {
          const Scale& s = scales_[entries_[e].block];
          const Spatial& a = coefficients_[entries_[e].first + r];
          compliance += dot(a.angular, a.angular) / s.inertia + dot(a.linear, a.linear) / s.mass;
        }
        const double* own = own_coefficients_.data() + entries_[e].own + r * entries_[e].owns;
        const double* masses = own_mass_.data() + own_[entries_[e].block].first;
        for (std::size_t k = 0; k < entries_[e].owns; ++k) compliance += own[k] * own[k] / masses[k];
      }
      D(r, r) = compliance > 0 ? -relative_epsilon * compliance : -1;  // an empty row asks for nothing
    }
  }
  factorized_ = matrix_.factorize();
  if (factorized_ || !check_finite()) return factorized_;
  const std::size_t failed = matrix_.failed_block();
  if (failed < blocks)
    return fail(
        "The equations of motion cannot be solved at {} `{}`: its mass and inertia, or the state, are not finite",
        failed < n ? "body" : "module", name_of_block(failed));
  std::size_t g = 0;
  for (block = blocks; g < groups_.size(); ++g)
    if (groups_[g].rows != 0 && block++ == failed) break;
  return fail("The equations of motion cannot be solved at {} `{}`: its directions are not finite", kind_of_tie(g),
              name_of_tie(g));
}

/// The coefficients of a row on one of its blocks, into the matrix.
void AbsoluteSystem::enter_row(const Entry& entry, std::size_t r) noexcept {
  double* row = &entry.place(r, 0);
  const std::size_t stride = entry.place.column_stride;
  for (std::size_t k = 0; k < entry.frame; ++k) row[k * stride] = coefficients_[entry.first + r][k];
  const double* own = own_coefficients_.data() + entry.own + r * entry.owns;
  for (std::size_t k = 0; k < entry.owns; ++k) row[(entry.frame + k) * stride] = own[k];
}

/// residual = data − M solution of a block, and the sizes of its terms. Moments and forces, turning and moving are
/// compared through the length of the body: what is zero by symmetry is no yardstick.
void AbsoluteSystem::find_block_residual(std::size_t i) noexcept {
  const std::size_t first = offsets_[i], frame = frame_size(i);
  const double* x = solution_.data() + first;
  const double* force = data_.data() + first;
  double* left = residual_.data() + first;
  multiply_inertia(i, x, left);
  double moving = 0, applied = 0, inertia = 0;
  if (frame != 0) {
    const double length = scales_[i].length;
    const Spatial motion = load(x), load_on_body = load(force), inertial = load(left);
    moving = length * largest(motion.angular) + largest(motion.linear);
    applied = largest(load_on_body.linear) + largest(load_on_body.angular) / length;
    inertia = largest(inertial.linear) + largest(inertial.angular) / length;
    store(load_on_body - inertial, left);
  }
  const double* lengths = own_length_.data() + own_[i].first;
  for (std::size_t k = 0; k < own_[i].count; ++k) {
    moving = std::max(moving, lengths[k] * std::abs(x[frame + k]));
    applied = std::max(applied, std::abs(force[frame + k]) / lengths[k]);
    inertia = std::max(inertia, std::abs(left[frame + k]) / lengths[k]);
    left[frame + k] = force[frame + k] - left[frame + k];
  }
  // A body that its joints hold still has no motion to compare with: what its load would do to it alone is counted too.
  const double alone = applied / scales_[i].mass;
  sizes_[i] = {moving + alone, applied + inertia};
}

/// What a module's row carries when the body holds the module's variables still: a yardstick where the body, having no
/// inertia of its own, takes nothing.
double AbsoluteSystem::held_force(std::size_t tie, std::size_t row) const noexcept {
  if (tie < module_ties()) return 0;
  const Entry& own = entries_[groups_[tie].entry + groups_[tie].entries - 1];
  double most = 0;
  for (std::size_t k = 0; k < own.owns; ++k) {
    const double a = own_coefficients_[own.own + row * own.owns + k];
    if (a != 0) most = std::max(most, std::abs(data_[offsets_[own.block] + k] / a));
  }
  return most;
}

/// a · x of a row on one of its blocks, x being all unknowns.
double AbsoluteSystem::share_of_row(const Entry& entry, std::size_t r, const double* x) const noexcept {
  const double* of_block = x + offsets_[entry.block];
  const double* own = own_coefficients_.data() + entry.own + r * entry.owns;
  const double share = std::inner_product(own, own + entry.owns, of_block + entry.frame, 0.0);
  return entry.frame == 0 ? share : share + dot(coefficients_[entry.first + r], load(of_block));
}

/// What the motion of a block of unit size makes of a row at most.
double AbsoluteSystem::row_weight(const Entry& entry, std::size_t r) const noexcept {
  double weight = 0;
  if (entry.frame != 0) {
    const Spatial& a = coefficients_[entry.first + r];
    weight = largest(a.linear) + largest(a.angular) / scales_[entry.block].length;
  }
  const double* own = own_coefficients_.data() + entry.own + r * entry.owns;
  const double* lengths = own_length_.data() + own_[entry.block].first;
  for (std::size_t k = 0; k < entry.owns; ++k) weight = std::max(weight, std::abs(own[k]) / lengths[k]);
  return weight;
}

/// residual = data − K solution, and its size relative to that of its terms, body by body and row by row.
void AbsoluteSystem::find_residual(Refinement& out) noexcept {
  const std::size_t n = view_.bodies.size(), blocks = own_.size();
  for (std::size_t i = 0; i < blocks; ++i) find_block_residual(i);
  // What stands still in a system that moves has rounding only: a small part of the largest is every body's yardstick.
  // Unknowns of modules, whose sizes are in units of the root of an inertia, compare with it times such a root.
  double motion_floor = 0, force_floor = 0, module_motion_floor = 0, module_force_floor = 0;
  for (std::size_t i = 0; i < n; ++i) {
    motion_floor = std::max(motion_floor, least_share * sizes_[i].motion);
    module_motion_floor =
        std::max(module_motion_floor, least_share * sizes_[i].motion * std::sqrt(scales_[i].mass));
  }
  out.row_error = out.body_error = 0;
  double sum = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const std::size_t row = row_at(group.row + r);
      const double multiplier = solution_[row];
      const double carried = std::max(std::abs(multiplier), least_share * held_force(g, r));
      double left = data_[row], size = std::abs(left);
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        const std::size_t b = entries_[e].block, frame = entries_[e].frame;
        double* f = residual_.data() + offsets_[b];
        const double* x = solution_.data() + offsets_[b];
        if (frame != 0) {
          const Spatial& a = coefficients_[entries_[e].first + r];
          left -= dot(a, load(x));
          store(load(f) - multiplier * a, f);
        }
        if (entries_[e].owns != 0) {
          const double* own = own_coefficients_.data() + entries_[e].own + r * entries_[e].owns;
          for (std::size_t k = 0; k < entries_[e].owns; ++k) {
            left -= own[k] * x[frame + k];
            f[frame + k] -= multiplier * own[k];
          }
        }
        const double weight = row_weight(entries_[e], r);
        size += weight * std::max(sizes_[b].motion, b < n ? motion_floor : module_motion_floor);
        sizes_[b].force += weight * carried;
      }
      residual_[row] = left;
      sum += left;
      if (std::abs(left) > out.row_error * size) {
        out.row_error = std::abs(left) / size;
        out.worst_row = group.row + r;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    force_floor = std::max(force_floor, least_share * sizes_[i].force);
    module_force_floor = std::max(module_force_floor, least_share * sizes_[i].force / std::sqrt(scales_[i].mass));
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    const double* rest = residual_.data() + offsets_[i];
    const std::size_t frame = frame_size(i);
    const double size = std::max(sizes_[i].force, i < n ? force_floor : module_force_floor);
    double worst = 0;
    if (frame != 0) {
      const Spatial left = load(rest);
      worst = std::max(largest(left.linear), largest(left.angular) / scales_[i].length);
    }
    for (std::size_t k = 0; k < own_[i].count; ++k)
      worst = std::max(worst, std::abs(rest[frame + k]) / own_length_[own_[i].first + k]);
    sum += worst;
    if (worst > out.body_error * size) {
      out.body_error = worst / size;
      out.worst_body = i;
    }
  }
  if (!std::isfinite(sum)) out.body_error = out.row_error = std::numeric_limits<double>::infinity();
}

}  // namespace polyform
