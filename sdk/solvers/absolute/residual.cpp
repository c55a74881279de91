#include "residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/scale.hpp"
#include "six.hpp"

namespace polyform::absolute {

Residual::Residual(const Model& model, const Scales& scales, const LinearProblem& problem)
    : blocks_(model.blocks),
      constraints_(model.constraints),
      inertia_(model.inertia),
      rows_(model.rows),
      scales_(scales),
      problem_(problem),
      values_(problem.data.size()),
      sizes_(model.blocks.count()) {}

/// Moments and forces, turning and moving are compared through the length of the body, because a part that is zero by
/// symmetry cannot be a scale.
void Residual::find_block(std::size_t i) noexcept {
  const std::size_t first = blocks_.offset(i), frame = blocks_.frame_size(i);
  const double* x = problem_.solution.data() + first;
  const double* force = problem_.data.data() + first;
  double* left = values_.data() + first;
  inertia_.multiply(i, x, left);
  double moving = 0, applied = 0, inertia = 0;
  if (frame != 0) {
    const double length = scales_[i].length;
    const Spatial motion = load(x), load_on_body = load(force), inertial = load(left);
    moving = length * largest(motion.angular) + largest(motion.linear);
    applied = largest(load_on_body.linear) + largest(load_on_body.angular) / length;
    inertia = largest(inertial.linear) + largest(inertial.angular) / length;
    // Where nothing has inertia and nothing acts, forces are rounding of what the made-up mass would feel.
    constexpr double nearly_nothing = 1e-12;
    inertia += nearly_nothing * scales_[i].mass * moving;
    store(load_on_body - inertial, left);
  }
  for (std::size_t k = 0; k < blocks_.own(i).count; ++k) {
    const double* lengths = scales_.own_length(i);
    moving = std::max(moving, lengths[k] * std::abs(x[frame + k]));
    applied = std::max(applied, std::abs(force[frame + k]) / lengths[k]);
    inertia = std::max(inertia, std::abs(left[frame + k]) / lengths[k]);
    left[frame + k] = force[frame + k] - left[frame + k];
  }
  // A body that its joints hold still has no motion to compare with, so the motion counts that its load would give to
  // it alone.
  const double alone = applied / scales_[i].mass;
  sizes_[i] = {moving + alone, applied + inertia};
}

/// What a module's row carries when the body holds the module's variables still: the scale where the body, having no
/// inertia of its own, takes nothing.
double Residual::held_force(std::size_t constraint, std::size_t row) const noexcept {
  if (constraint < constraints_.first_module()) return 0;
  const Constraints::Entry& own = constraints_.own_entry(constraints_[constraint]);
  double most = 0;
  for (std::size_t k = 0; k < own.owns; ++k) {
    const double a = rows_.own(own, row)[k];
    if (a != 0) most = std::max(most, std::abs(problem_.data[blocks_.offset(own.block) + k] / a));
  }
  return most;
}

double Residual::row_weight(const Constraints::Entry& entry, std::size_t r) const noexcept {
  double weight = 0;
  if (entry.frame != 0) {
    const Spatial& a = rows_.frame(entry, r);
    weight = largest(a.linear) + largest(a.angular) / scales_[entry.block].length;
  }
  if (entry.owns == 0) return weight;
  const double *own = rows_.own(entry, r), *lengths = scales_.own_length(entry.block);
  for (std::size_t k = 0; k < entry.owns; ++k) weight = std::max(weight, std::abs(own[k]) / lengths[k]);
  return weight;
}

Residual::Floors Residual::motion_floors() const noexcept {
  Floors floors;
  for (std::size_t i = 0; i < blocks_.bodies(); ++i)
    floors.of_bodies = std::max(floors.of_bodies, least_share * sizes_[i].motion);
  if (blocks_.bodies() == blocks_.count()) return floors;
  for (std::size_t i = 0; i < blocks_.bodies(); ++i)
    floors.of_modules = std::max(floors.of_modules, least_share * sizes_[i].motion * std::sqrt(scales_[i].mass));
  return floors;
}

Residual::Floors Residual::force_floors() const noexcept {
  Floors floors;
  for (std::size_t i = 0; i < blocks_.bodies(); ++i)
    floors.of_bodies = std::max(floors.of_bodies, least_share * sizes_[i].force);
  if (blocks_.bodies() == blocks_.count()) return floors;
  for (std::size_t i = 0; i < blocks_.bodies(); ++i)
    floors.of_modules = std::max(floors.of_modules, least_share * sizes_[i].force / std::sqrt(scales_[i].mass));
  return floors;
}

void Residual::note_asked(double right, double weight, bool module) noexcept {
  if (!(weight > 0)) return;
  double& most = module ? asked_.of_modules : asked_.of_bodies;
  most = std::max(most, std::abs(right) / weight);
}

void Residual::find(Remainder& out) noexcept {
  out.row_error = out.body_error = out.judged = 0;
  asked_ = {};
  double sum = 0;
  for (std::size_t i = 0; i < blocks_.count(); ++i) find_block(i);
  // A body that stands still in a system that moves has only rounding: a small part of the largest is its scale.
  const Floors motion = motion_floors();
  for (std::size_t t = 0; t < constraints_.count(); ++t) find_rows(t, motion, out, sum);
  const Floors force = force_floors();
  double asked = 0;
  for (std::size_t i = 0; i < blocks_.count(); ++i) asked = std::max(asked, asked_force(i));
  for (std::size_t i = 0; i < blocks_.count(); ++i) find_block_error(i, force, asked, out, sum);
  // Where nothing acts, what is left is rounding of these motions alone.
  constexpr double nothing = 1e-6;
  if (force.of_bodies < nothing * least_share * asked) out.body_error = std::min(out.body_error, out.judged);
  if (!std::isfinite(sum)) out.body_error = out.row_error = out.judged = std::numeric_limits<double>::infinity();
}

void Residual::find_at_zero(Remainder& out) noexcept {
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] = problem_.data[i];
    sum += values_[i];
    most = std::max(most, std::abs(values_[i]));
  }
  const double left = !std::isfinite(sum) ? std::numeric_limits<double>::infinity() : most > 0 ? 1 : 0;
  out.row_error = out.body_error = out.judged = left;
}

/// The rows of a constraint, and the loads of their multipliers on the blocks.
void Residual::find_rows(std::size_t t, const Floors& motion, Remainder& out, double& sum) noexcept {
  const Constraints::Constraint& constraint = constraints_[t];
  for (std::size_t r = 0; r < constraint.rows; ++r) {
    const std::size_t row = blocks_.row_at(constraint.row + r);
    const double multiplier = problem_.solution[row];
    const double carried = std::max(std::abs(multiplier), least_share * held_force(t, r));
    const double right = problem_.data[row];
    double left = right, size = std::abs(right), of_bodies = 0, of_modules = 0;
    for (const Constraints::Entry& entry : constraints_.entries_of(constraint)) {
      const std::size_t b = entry.block;
      double* f = values_.data() + blocks_.offset(b);
      const double* x = problem_.solution.data() + blocks_.offset(b);
      if (entry.frame != 0) {
        const Spatial& a = rows_.frame(entry, r);
        left -= dot(a, load(x));
        store(load(f) - multiplier * a, f);
      }
      for (std::size_t k = 0; k < entry.owns; ++k) {
        const double own = rows_.own(entry, r)[k];
        left -= own * x[entry.frame + k];
        f[entry.frame + k] -= multiplier * own;
      }
      const double weight = row_weight(entry, r);
      size += weight * std::max(sizes_[b].motion, motion.of(blocks_.is_module(b)));
      sizes_[b].force += weight * carried;
      double& largest_weight = blocks_.is_module(b) ? of_modules : of_bodies;
      largest_weight = std::max(largest_weight, weight);
    }
    note_asked(right, of_bodies, false);
    note_asked(right, of_modules, true);
    values_[row] = left;
    sum += left;
    if (std::abs(left) > out.row_error * size) {
      out.row_error = std::abs(left) / size;
      out.worst_row = constraint.row + r;
    }
  }
}

double Residual::asked_force(std::size_t i) const noexcept {
  return scales_[i].singular ? scales_[i].mass * asked_.of(blocks_.is_module(i)) : 0;
}

/// asked: the largest asked_force().
void Residual::find_block_error(std::size_t i, const Floors& force, double asked, Remainder& out,
                                double& sum) const noexcept {
  const double size = std::max(sizes_[i].force, force.of(blocks_.is_module(i)));
  const double worst = largest_force(i);
  sum += worst;
  const double judged_size = size + std::max(asked_force(i), least_share * asked);
  if (worst > out.judged * judged_size) out.judged = worst / judged_size;
  if (worst > out.body_error * size) {
    out.body_error = worst / size;
    out.worst_body = i;
  }
}

/// The largest force in the residual of a block, N.
double Residual::largest_force(std::size_t i) const noexcept {
  const double* rest = values_.data() + blocks_.offset(i);
  const std::size_t frame = blocks_.frame_size(i);
  double most = 0;
  if (frame != 0) {
    const Spatial left = load(rest);
    most = std::max(largest(left.linear), largest(left.angular) / scales_[i].length);
  }
  for (std::size_t k = 0; k < blocks_.own(i).count; ++k)
    most = std::max(most, std::abs(rest[frame + k]) / scales_.own_length(i)[k]);
  return most;
}

double Residual::relative_step(std::span<const double> step, std::size_t& worst_block) const noexcept {
  const Floors floors = motion_floors();
  double most = 0;
  for (std::size_t i = 0; i < blocks_.count(); ++i) {
    const double* x = step.data() + blocks_.offset(i);
    const std::size_t frame = blocks_.frame_size(i);
    const Spatial a = frame != 0 ? load(x) : Spatial{};
    double moved = scales_[i].length * largest(a.angular) + largest(a.linear);
    for (std::size_t k = 0; k < blocks_.own(i).count; ++k)
      moved = std::max(moved, scales_.own_length(i)[k] * std::abs(x[frame + k]));
    const double motion = std::max(sizes_[i].motion, floors.of(blocks_.is_module(i)));
    if (moved > most * motion) {
      most = moved / motion;
      worst_block = i;
    }
  }
  return most;
}

}  // namespace polyform::absolute
