#include "saddle_point.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../refined_solutions.hpp"
#include "checks.hpp"

namespace polyform::absolute {

namespace {

/// If steps change nothing, a residual below this is good enough.
constexpr double balanced = 1e-10;
/// Relative changes of accelerations at which rounds end, and from which on an error is refused.
constexpr double accurate = 1e-11, wanted_accuracy = 1e-9;
/// The change that another round would make is rounding below this, relative to the motion of a block.
constexpr double settled = 1e-16;
/// A conjugate step is at most this multiple of the factors' step. A motion with still less inertia has it only by
/// rounding.
constexpr double longest_step = 1e10;
/// A round that leaves more than this of the error works on rows that depend on others up to 3e-5 (squared: ten times
/// least_epsilon): cube root of the rounding in the position of a loop.
constexpr double slow = 0.1;
/// Rounds that nearly all systems need at most, and those that conjugate gradients may take.
constexpr std::size_t usual_rounds = 3, most_rounds = 1000;

/// A residual of the equations of motion, relative to their terms, from which on there is no solution.
constexpr double largest_error = 1e-6;

}  // namespace

SaddlePoint::SaddlePoint(const Model& model, const Scales& scales, LinearProblem& problem, Failure& failure)
    : model_(model),
      scales_(scales),
      problem_(problem),
      failure_(failure),
      factors_(model, scales),
      residual_(model, scales, problem) {
  for (auto* v : {&step_, &direction_, &previous_residual_, &kept_}) v->resize(problem.data.size());
}

bool SaddlePoint::factorize(const Neighbour& neighbour) noexcept {
  if (factors_.factorize(neighbour)) return true;
  if (!check_finite(model_, failure_)) return false;
  const std::size_t failed = factors_.failed_block();
  std::size_t block = model_.blocks.count();
  if (failed < block)
    return failure_.say(
        "The equations of motion cannot be solved at {} `{}`: its mass and inertia, or the state, are not finite",
        model_.blocks.kind(failed), model_.blocks.name(failed));
  std::size_t constraint = 0;
  for (; constraint < model_.constraints.count(); ++constraint)
    if (model_.constraints[constraint].rows != 0 && block++ == failed) break;
  return failure_.say("The equations of motion cannot be solved at {} `{}`: its directions are not finite",
                      model_.constraints.kind(constraint), model_.constraints.name(constraint));
}

/// Whether the step has to mend the equations of motion rather than the rows: by the work of the residual.
bool SaddlePoint::step_is_inertial(const Refinement& r) const noexcept {
  if (r.left.row_error < round_off) return true;
  const auto rows = static_cast<std::ptrdiff_t>(model_.blocks.row_at(0));
  const std::vector<double>& left = residual_.values();
  const double inertial = std::inner_product(step_.begin(), step_.begin() + rows, left.begin(), 0.0);
  const double constrained = std::inner_product(step_.begin() + rows, step_.end(), left.begin() + rows, 0.0);
  return std::abs(inertial) > std::abs(constrained);
}

/// Solves for the residual with the factors; if rows do not count, for that of the equations of motion alone. With
/// redundant rows the factors would blow up rounding to multipliers that spoil motions with little inertia.
bool SaddlePoint::find_refinement(const Refinement& r, bool rows_count) noexcept {
  if (!factors_.made() && !factorize(r.neighbour)) return false;
  std::copy(residual_.values().begin(), residual_.values().end(), step_.begin());
  if (!rows_count) std::fill(step_.begin() + static_cast<std::ptrdiff_t>(model_.blocks.row_at(0)), step_.end(), 0.0);
  factors_.solve(step_);
  return true;
}

/// pᵀ K p of a direction p: pₓᵀ M pₓ + 2 pᵣᵀ A pₓ, the second part without effect on motions that the rows allow.
double SaddlePoint::work_along_direction() noexcept {
  double work = 0;
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) {
    const double* p = direction_.data() + model_.blocks.offset(i);
    double* product = step_.data() + model_.blocks.offset(i);
    model_.inertia.multiply(i, p, product);
    work = std::inner_product(p, p + model_.blocks.size(i), product, work);
  }
  for (const Constraints::Constraint& constraint : model_.constraints.all())
    for (const Constraints::Entry& entry : model_.constraints.entries_of(constraint))
      for (std::size_t r = 0; r < constraint.rows; ++r)
        work +=
            2 * direction_[model_.blocks.row_at(constraint.row + r)] * model_.rows.share(entry, r, direction_.data());
  return work;
}

/// One step of the method of conjugate gradients, with the factors as preconditioner. These keep the rows, and on the
/// motions that rows allow the matrix is definite. A direction whose inertia is little compared with what is added to M
/// in the factors takes one step, however little it is; so does a row that is small compared with what is added to the
/// zero block. If such rows are not followed, rows are left as they are, so that contradictions in them are not
/// amplified.
void SaddlePoint::take_conjugate_step(Refinement& r) noexcept {
  const auto counted = static_cast<std::ptrdiff_t>(r.follow == Follow::all ? step_.size() : model_.blocks.row_at(0));
  const auto product = [counted](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.begin() + counted, b.begin(), 0.0);
  };
  if (r.follow != Follow::all) find_refinement(r, false);
  // With the change of the residual in place of the new residual alone, rounding of the last step does no harm (Polak
  // and Ribiere).
  const double work = product(residual_.values(), step_);
  const double turned = r.conjugate ? (work - product(previous_residual_, step_)) / r.work : 0;
  for (std::size_t i = 0; i < step_.size(); ++i) direction_[i] = step_[i] + turned * direction_[i];
  r.work = work;
  previous_residual_ = residual_.values();
  double length = product(direction_, residual_.values()) / work_along_direction();
  r.conjugate = length > 0 && length < longest_step;
  if (!r.conjugate) length = 1;  // not definite in this direction, or without inertia: a step like any other
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = length * direction_[i];
  take_step(r);
}

void SaddlePoint::take_step(Refinement& r) noexcept {
  for (std::size_t i = 0; i < step_.size(); ++i) problem_.solution[i] += step_[i];
  residual_.find(r.left);
}

bool SaddlePoint::solve(Refinement& r) noexcept {
  residual_.find(r.left);
  return refine(r);
}

bool SaddlePoint::solve_from_zero(Refinement& r) noexcept {
  std::fill(problem_.solution.begin(), problem_.solution.end(), 0.0);
  residual_.find_at_zero(r.left);
  return refine(r);
}

/// Makes the rounds, with the residual of the value on entry in r.
bool SaddlePoint::refine(Refinement& r) noexcept {
  double error = std::max(r.left.body_error, r.left.row_error), before = error;
  double moved = 0, moved_before = 0;  // by the last rounds, relative to the motion of a block
  std::size_t stalled = 0;
  bool conjugate = false;
  double kept_error = -1, kept_step = 0;  // of kept_, as judged; negative: there is none
  const auto judged = [&] { return std::max(r.left.judged, r.left.row_error); };
  // A residual says little of motions with little inertia: these are right when steps no longer change them.
  const auto done = [&] {
    return conjugate ? r.last_step < accurate && error < balanced : error <= std::max(r.tolerance, round_off);
  };
  for (std::size_t round = 0; stalled < 3 && !done(); ++round) {
    if (!find_refinement(r)) return false;
    conjugate = round >= usual_rounds && round < most_rounds &&
                (r.follow == Follow::all || (r.follow == Follow::inertia && step_is_inertial(r)));
    if (!conjugate && round >= r.rounds) break;
    const double step_before = r.last_step;
    if (conjugate && kept_error < 0) {
      kept_ = problem_.solution;
      kept_error = judged();
      kept_step = residual_.relative_step(step_, r.worst_step);
    }
    if (conjugate) {
      take_conjugate_step(r);
      r.last_step = residual_.relative_step(step_, r.worst_step);
    } else {
      r.conjugate = false;
      take_step(r);
    }
    if (round > 0 && !conjugate) moved_before = std::exchange(moved, residual_.relative_step(step_, r.worst_step));
    before = error;
    error = std::max(r.left.body_error, r.left.row_error);
    if (!conjugate && error > 0.5 * before && error < nearly_round_off) break;
    if (!conjugate && r.leaves_nearly_dependent && round + 1 >= usual_rounds && error > slow * before) break;
    stalled = error > 0.95 * before && !(conjugate && r.last_step < 0.5 * step_before) ? stalled + 1 : 0;
  }
  if (!conjugate && error > 0)
    r.last_step = error / before * (moved > 0 ? moved : residual_.relative_step(step_, r.worst_step));
  // Loads that balance each other make a residual small beside them, however much small motions are still wrong.
  const double shrinks = moved_before > 0 && !conjugate && r.tolerance == 0 ? moved / moved_before : 0;
  for (double next = shrinks * moved; next > settled && shrinks < slow && done(); next *= shrinks) {
    if (!find_refinement(r)) return false;
    take_step(r);
    error = std::max(r.left.body_error, r.left.row_error);
  }
  // Along motions that have inertia by rounding alone conjugate steps run away: what was balanced before them stands.
  if (kept_error >= 0 && kept_error < balanced && !(judged() <= kept_error)) {
    problem_.solution = kept_;
    residual_.find(r.left);
    error = kept_error;
    r.last_step = kept_step;
  }
  return std::isfinite(error) || fail_infinite(r);
}

/// Says which part of the problem is not finite.
bool SaddlePoint::fail_infinite(const Refinement& r) noexcept {
  if (!check_finite(model_, failure_)) return false;
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) {
    double sum = 0;
    for (std::size_t k = model_.blocks.offset(i); k < model_.blocks.offset(i + 1); ++k) sum += problem_.data[k];
    if (!std::isfinite(sum))
      return failure_.say("The load on {} `{}` is not finite: a force, the state or the time step has gone astray",
                          model_.blocks.kind(i), model_.blocks.name(i));
  }
  return failure_.say("The accelerations of {} `{}` are not finite", model_.blocks.kind(r.left.worst_body),
                      model_.blocks.name(r.left.worst_body));
}

bool SaddlePoint::find_accelerations(Accelerations use) noexcept {
  // Most systems take two or three rounds. In a long chain that bends like a beam across its pins the added compliance
  // of the rows sums up, and rounds have to follow it. Near a singular position of a loop they would follow nearly
  // dependent rows ever further, and an integrator out of its way.
  const bool independent = model_.constraints.independent();
  Refinement r{10, 0, independent ? Follow::all : Follow::inertia};
  r.leaves_nearly_dependent = use == Accelerations::of_stage && !independent;
  if (!solve_from_zero(r)) return false;
  if (std::size_t block = 0; r.left.judged > largest_error) return find_free(r, block) && fail_free(r, block);
  return check_accuracy(r);
}

bool SaddlePoint::check_accuracy(const Refinement& r) noexcept {
  uncertain_ = r.last_step;
  uncertain_block_ = r.worst_step;
  if (r.last_step <= wanted_accuracy) return true;
  if (!find_refinement(r)) return false;
  if (r.follow != Follow::all && !step_is_inertial(r)) return true;
  return failure_.say(
      "The equations of motion in absolute coordinates are too badly conditioned for this system: the acceleration of "
      "{} `{}` is uncertain by {:.1e} of its size. It has very little mass or inertia beside others or for a motion "
      "that the joints leave free, or is part of a long chain that bends like a beam: give it more, or use a solver in "
      "joint coordinates",
      model_.blocks.kind(r.worst_step), model_.blocks.name(r.worst_step), r.last_step);
}

bool SaddlePoint::find_free(const Refinement& r, std::size_t& block) noexcept {
  if (!find_refinement(r)) return false;
  block = r.left.worst_body;
  double most = 0;
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) {
    double work = 0;
    for (std::size_t k = model_.blocks.offset(i); k < model_.blocks.offset(i + 1); ++k)
      work += residual_.values()[k] * step_[k];
    if (!(work > most)) continue;
    most = work;
    block = i;
  }
  return true;
}

bool SaddlePoint::fail_free(const Refinement& r, std::size_t block) noexcept {
  const char* kind = model_.blocks.is_module(block) ? "Module" : "Body";
  if (scales_[block].lacking)
    return failure_.say(
        "{} `{}` has no mass or inertia for a motion that the joints leave free: give it some, or a joint that holds "
        "it",
        kind, model_.blocks.name(model_.blocks.heaviest(block)));
  return failure_.say(
      "The equations of motion are not met at {} `{}` (relative error {:.1e}): rounding has taken the digits. It has "
      "very little mass or inertia beside others: give it more, or use a solver in joint coordinates",
      model_.blocks.kind(block), model_.blocks.name(block), r.left.body_error);
}

}  // namespace polyform::absolute
