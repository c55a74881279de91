// Refinement of a solution of the saddle-point system against the true matrix.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absolute_system_detail.hpp"

namespace polyform {

using detail::largest;
using detail::load;

namespace {

/// A residual of this size relative to the terms it is made of is round-off.
constexpr double round_off = 2e-15;
/// Relative changes of accelerations at which rounds end, and from which on an error is refused.
constexpr double accurate = 1e-11, wanted_accuracy = 1e-9;
/// Times the factors' step that a conjugate one may be. What has still less inertia has none but by rounding.
constexpr double longest_step = 1e10;
/// A round that leaves more than this of the error works on rows that depend on others up to 3e-5 (squared: ten times
/// least_epsilon): cube root of the rounding in the position of a loop.
constexpr double slow = 0.1;
/// Rounds that nearly all systems need at most, and those that conjugate gradients may take.
constexpr std::size_t usual_rounds = 3, most_rounds = 1000;

}  // namespace

/// Whether it is the equations of motion, rather than the rows, that the step is to mend: by the work of what is left.
bool AbsoluteSystem::step_is_inertial(const Refinement& r) const noexcept {
  if (r.row_error < round_off) return true;
  const auto rows = static_cast<std::ptrdiff_t>(row_at(0));
  const double inertial = std::inner_product(step_.begin(), step_.begin() + rows, residual_.begin(), 0.0);
  const double constrained = std::inner_product(step_.begin() + rows, step_.end(), residual_.begin() + rows, 0.0);
  return std::abs(inertial) > std::abs(constrained);
}

/// The largest share that the step has in the motion of a block, which it names. A body's motion counts as at least a
/// small part of the largest.
double AbsoluteSystem::relative_step(std::size_t& worst_block) const noexcept {
  const std::size_t n = view_.bodies.size();
  double body_floor = 0, module_floor = 0, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    body_floor = std::max(body_floor, least_share * sizes_[i].motion);
    module_floor = std::max(module_floor, least_share * sizes_[i].motion * std::sqrt(scales_[i].mass));
  }
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const double* x = step_.data() + offsets_[i];
    const std::size_t frame = frame_size(i);
    const Spatial a = frame != 0 ? load(x) : Spatial{};
    double step = scales_[i].length * largest(a.angular) + largest(a.linear);
    for (std::size_t k = 0; k < own_[i].count; ++k)
      step = std::max(step, own_length_[own_[i].first + k] * std::abs(x[frame + k]));
    const double motion = std::max(sizes_[i].motion, i < n ? body_floor : module_floor);
    if (step > most * motion) {
      most = step / motion;
      worst_block = i;
    }
  }
  return most;
}

/// What the factors make of the residual; of that of the equations of motion alone where rows do not count. Of
/// redundant rows they would blow up rounding to multipliers that spoil those of motions with little inertia.
bool AbsoluteSystem::find_refinement(const Refinement& r, bool rows_count) noexcept {
  if (!factorized_ && !factorize(r.neighbour)) return false;
  std::copy(residual_.begin(), residual_.end(), step_.begin());
  if (!rows_count) std::fill(step_.begin() + static_cast<std::ptrdiff_t>(row_at(0)), step_.end(), 0.0);
  matrix_.solve(step_);
  return true;
}

/// pᵀ K p of a direction p: pₓᵀ M pₓ + 2 pᵣᵀ A pₓ, the second part without effect on motions that the rows allow.
double AbsoluteSystem::work_along_direction() noexcept {
  double work = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const double* p = direction_.data() + offsets_[i];
    multiply_inertia(i, p, step_.data() + offsets_[i]);
    work = std::inner_product(p, p + size(i), step_.data() + offsets_[i], work);
  }
  for (const Group& group : groups_)
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
      const Entry& entry = entries_[e];
      for (std::size_t r = 0; r < group.rows; ++r)
        work += 2 * direction_[row_at(group.row + r)] * share_of_row(entry, r, direction_.data());
    }
  return work;
}

/// One step of the method of conjugate gradients, with the factors as preconditioner. These keep the rows, and on the
/// motions that rows allow the matrix is definite; directions that have little inertia beside what is added to M in the
/// factors, or rows beside what is added to the zero block, take one step each, however little it is. Where such rows
/// are not followed, rows are left as they are: what contradicts itself in them is not to be drawn out.
void AbsoluteSystem::take_conjugate_step(Refinement& r) noexcept {
  const auto counted = static_cast<std::ptrdiff_t>(r.follow == Follow::all ? step_.size() : row_at(0));
  const auto product = [counted](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.begin() + counted, b.begin(), 0.0);
  };
  if (r.follow != Follow::all) find_refinement(r, false);
  // With the change of the residual in place of the new one alone, rounding of the last step does no harm (Polak and
  // Ribiere).
  const double work = product(residual_, step_);
  const double turned = r.conjugate ? (work - product(previous_residual_, step_)) / r.work : 0;
  for (std::size_t i = 0; i < step_.size(); ++i) direction_[i] = step_[i] + turned * direction_[i];
  r.work = work;
  previous_residual_ = residual_;
  double length = product(direction_, residual_) / work_along_direction();
  r.conjugate = length > 0 && length < longest_step;
  if (!r.conjugate) length = 1;  // not definite in this direction, or without inertia: a step like any other
  for (std::size_t i = 0; i < step_.size(); ++i) {
    step_[i] = length * direction_[i];
    solution_[i] += step_[i];
  }
  find_residual(r);
}

/// Refines the solution, from the value it has on entry, until its residual is below the tolerance, at round-off or no
/// longer shrinking; factorizes when needed and not done. False when anything is not finite.
bool AbsoluteSystem::solve(Refinement& r) noexcept {
  find_residual(r);
  double error = std::max(r.body_error, r.row_error), before = error;
  std::size_t stalled = 0;
  bool conjugate = false;
  // A residual says little of motions with little inertia: these are right when steps no longer change them.
  const auto done = [&] {
    return conjugate ? r.last_step < accurate && error < 1e-10 : error <= std::max(r.tolerance, round_off);
  };
  for (std::size_t round = 0; stalled < 3 && !done(); ++round) {
    if (!find_refinement(r)) return false;
    conjugate = round >= usual_rounds && round < most_rounds &&
                (r.follow == Follow::all || (r.follow == Follow::inertia && step_is_inertial(r)));
    if (!conjugate && round >= r.rounds) break;
    const double step_before = r.last_step;
    if (conjugate) {
      take_conjugate_step(r);
      r.last_step = relative_step(r.worst_step);
    } else {
      r.conjugate = false;
      for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += step_[i];
      find_residual(r);
    }
    before = error;
    error = std::max(r.body_error, r.row_error);
    if (!conjugate && error > 0.5 * before && error < 1e-12) break;
    if (!conjugate && r.leaves_nearly_dependent && round + 1 >= usual_rounds && error > slow * before) break;
    stalled = error > 0.95 * before && !(conjugate && r.last_step < 0.5 * step_before) ? stalled + 1 : 0;
  }
  if (!conjugate && error > 0) r.last_step = error / before * relative_step(r.worst_step);
  if (std::isfinite(error)) return true;
  if (!check_finite()) return false;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    double sum = 0;
    for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) sum += data_[k];
    if (!std::isfinite(sum))
      return fail("The load on {} `{}` is not finite: a force, the state or the time step has gone astray",
                  i < view_.bodies.size() ? "body" : "module", name_of_block(i));
  }
  return fail("The accelerations of {} `{}` are not finite", r.worst_body < view_.bodies.size() ? "body" : "module",
              name_of_block(r.worst_body));
}

/// Whether the motions just found are as accurate as they are to be. Rows that nearly depend on others do not count,
/// but where they are followed to the end: near a singular position of a loop no step of an integrator gets that far.
bool AbsoluteSystem::check_accuracy(const Refinement& r) noexcept {
  if (r.last_step <= wanted_accuracy) return true;
  if (!find_refinement(r)) return false;
  if (r.follow != Follow::all && !step_is_inertial(r)) return true;
  return fail(
      "The equations of motion in absolute coordinates are too badly conditioned for this system: the acceleration of "
      "{} `{}` is uncertain by {:.1e} of its size. It has very little mass or inertia beside others or for a motion "
      "that the "
      "joints leave free, or is part of a long chain that bends like a beam: give it more, or use a solver in joint "
      "coordinates",
      r.worst_step < view_.bodies.size() ? "body" : "module", name_of_block(r.worst_step), r.last_step);
}

}  // namespace polyform
