#include "fine_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../block_ldlt_detail.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::absolute {

namespace {

/// For a pivot, bodies without mass get this part of the masses around: the square root of the rounding.
constexpr double added_to_singular = 1e-16;
/// added_to_judge is subtracted from the zero block. A row depends on others if its pivot is at most `dependent` of its
/// usual size; if the pivot is above `more_than_rounding` of it, the row does so only nearly. All are squares of
/// lengths.
constexpr double added_to_judge = 1e-22, dependent = least_independent_square, more_than_rounding = 1e-20;
/// A step that is smaller than last_step, relative to the accelerations, is the last one. If the step after most_steps
/// is larger than `known`, the accelerations are not known.
constexpr double last_step = 1e-15, known = 1e-10;
constexpr std::size_t most_steps = 8;
/// If doubles lose more than this, twice the digits are used; that takes as long as a hundred solutions in doubles.
constexpr double from = 1e-9;
/// Factors with more numbers are not kept: those of a hub with a thousand joints would fill gigabytes.
constexpr std::size_t most_numbers = 4'000'000;
/// The same for factors that are kept for rows which may come to depend nearly on others, as in few systems.
constexpr std::size_t most_numbers_of_loops = 200'000;
/// An error is reported if more rounds in doubles would change the result by more than this, relative to the motion.
constexpr double unsaid = 1e-6;

bool has_uneven_masses(const Model& model, const Scales& scales) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < model.blocks.bodies(); ++i) {
    const double mass = model.inertia.is_rigid(i) ? model.view.bodies[i].mass : scales[i].mass;
    if (!(mass > 0)) continue;
    least = std::min(least, mass);
    most = std::max(most, mass);
  }
  return model.constraints.rows() > 0 && most > uneven_masses * least;
}

/// The least number of filled-in elements: all rows on one block are tied to each other once it is eliminated.
std::size_t least_fill(const MatrixPattern& pattern, std::size_t blocks) {
  std::vector<std::size_t> rows_on(blocks);
  for (const auto& [of_rows, block] : pattern.pairs) rows_on[block] += pattern.sizes[of_rows];
  std::size_t filled = 0;
  for (const std::size_t count : rows_on) filled += count * count;
  return filled;
}

}  // namespace

FineFactors::FineFactors(const Model& model, const Scales& scales, std::size_t most) : model_(model), scales_(scales) {
  const std::size_t blocks = model.blocks.count();
  const MatrixPattern pattern(model.blocks, model.constraints);
  if (least_fill(pattern, blocks) > most) return;
  std::vector<EliminationTurn> turns(pattern.sizes.size(), EliminationTurn::any);
  std::fill(turns.begin() + static_cast<std::ptrdiff_t>(blocks), turns.end(), EliminationTurn::last);
  matrix_.analyze(pattern.sizes, pattern.pairs, turns);
  if (matrix_.stored() > most) return;
  for (std::size_t i = 0; i < pattern.sizes.size(); ++i) diagonals_.push_back(matrix_.diagonal(i));
  places_ = places_of_entries(matrix_, model);
  usual_.resize(model.constraints.rows());
  left_out_.resize(model.constraints.rows());
}

/// The weight of the square of an unknown if all bodies have one mass, each with its own size.
double FineFactors::weight(std::size_t block, std::size_t k) const noexcept {
  const std::size_t frame = model_.blocks.frame_size(block);
  if (k >= frame) {
    const double own = scales_.own_length(block)[k - frame];
    return own * own;
  }
  return k < 3 ? scales_[block].length * scales_[block].length : 1;
}

/// Finds the rows that depend on others if all bodies have one mass, each with its own size. False if the matrix is not
/// finite.
bool FineFactors::judge_rows() noexcept {
  std::fill(left_out_.begin(), left_out_.end(), false);
  nearly_dependent_ = 0;
  if (model_.constraints.independent()) return true;
  matrix_.clear();
  const std::size_t blocks = model_.blocks.count();
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t k = 0; k < model_.blocks.size(i); ++k) diagonals_[i](k, k) = weight(i, k);
  const auto each_row = [&](const auto& visit) {
    std::size_t block = blocks;
    for (const Constraints::Constraint& constraint : model_.constraints.all()) {
      if (constraint.rows == 0) continue;
      const auto& D = diagonals_[block++];
      for (std::size_t r = 0; r < constraint.rows; ++r) visit(constraint, r, D(r, r));
    }
  };
  each_row([&](const Constraints::Constraint& constraint, std::size_t r, Number& diagonal) {
    const double sum = usual_[constraint.row + r] = enter_weighed_row(constraint, r);
    diagonal = sum > 0 ? -added_to_judge * sum : -1;
  });
  if (!matrix_.factorize()) return false;
  each_row([&](const Constraints::Constraint& constraint, std::size_t r, const Number& pivot) {
    const double of_row = usual_[constraint.row + r];
    left_out_[constraint.row + r] = !(of_row > 0 && -pivot.high > dependent * of_row);
    if (left_out_[constraint.row + r] && of_row > 0 && -pivot.high > more_than_rounding * of_row)
      nearly_dependent_ = std::max(nearly_dependent_, -pivot.high / of_row);
  });
  return true;
}

/// Enters a row and returns its A W⁻¹ Aᵀ.
double FineFactors::enter_weighed_row(const Constraints::Constraint& constraint, std::size_t r) noexcept {
  double sum = 0;
  for (std::size_t e = constraint.entry; e < constraint.entry + constraint.entries; ++e) {
    const Constraints::Entry& entry = model_.constraints.entry(e);
    enter_row(e, r);
    for (std::size_t k = 0; k < entry.frame + entry.owns; ++k) {
      const double a = places_[e](r, k).high;
      sum += a * a / weight(entry.block, k);
    }
  }
  return sum;
}

void FineFactors::enter_row(std::size_t e, std::size_t r) noexcept {
  const Constraints::Entry& entry = model_.constraints.entry(e);
  const auto& place = places_[e];
  for (std::size_t k = 0; k < entry.frame; ++k) place(r, k) = model_.rows.frame(entry, r)[k];
  for (std::size_t k = 0; k < entry.owns; ++k) place(r, entry.frame + k) = model_.rows.own(entry, r)[k];
}

bool FineFactors::factorize() noexcept {
  if (!judge_rows()) return false;
  matrix_.clear();
  const std::size_t blocks = model_.blocks.count();
  for (std::size_t i = 0; i < blocks; ++i) enter_inertia(i);
  std::size_t block = blocks;
  for (const Constraints::Constraint& constraint : model_.constraints.all()) {
    if (constraint.rows == 0) continue;
    const auto& D = diagonals_[block++];
    for (std::size_t r = 0; r < constraint.rows; ++r) {
      if (is_left_out(constraint.row + r)) {
        D(r, r) = -1;
        continue;
      }
      for (std::size_t e = constraint.entry; e < constraint.entry + constraint.entries; ++e) enter_row(e, r);
    }
  }
  return matrix_.factorize();
}

void FineFactors::enter_inertia(std::size_t i) noexcept {
  const auto& D = diagonals_[i];
  const BlockScale& scale = scales_[i];
  const double added = scale.singular ? added_to_singular : 0;
  if (model_.inertia.is_rigid(i)) {
    const Mat3 J = model_.inertia.of_body(i).full();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
      D(r, r) += Number(added * scale.inertia);
      D(3 + r, 3 + r) = Number(model_.view.bodies[i].mass) + Number(added * scale.mass);
    }
    return;
  }
  const std::span<const double> M = model_.inertia.matrix(i);
  const std::size_t size = model_.blocks.size(i), frame = model_.blocks.frame_size(i);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size + c];
    const double mass = r >= frame ? scales_.own_mass(i)[r - frame] : r < 3 ? scale.inertia : scale.mass;
    D(r, r) += Number(added * mass);
  }
}

FineSolver::FineSolver(const Model& model, const Scales& scales, LinearProblem& problem, SaddlePoint& in_doubles,
                       Failure& failure, bool is_uneven)
    : model_(model),
      problem_(problem),
      in_doubles_(in_doubles),
      failure_(failure),
      is_uneven_(is_uneven),
      factors_(model, scales, is_uneven ? most_numbers : most_numbers_of_loops),
      residual_(model, scales, problem),
      mending_(from) {
  if (!factors_.is_affordable()) return;
  for (auto* v : {&x_, &step_, &rest_}) v->resize(problem.data.size());
  for (auto* v : {&even_, &change_}) v->resize(problem.data.size());
}

std::unique_ptr<FineSolver> FineSolver::make(const Model& model, const Scales& scales, LinearProblem& problem,
                                             SaddlePoint& in_doubles, Failure& failure) {
  const bool is_uneven = has_uneven_masses(model, scales);
  if (!is_uneven && model.constraints.independent()) return nullptr;
  return std::unique_ptr<FineSolver>(new FineSolver(model, scales, problem, in_doubles, failure, is_uneven));
}

double FineSolver::nearly_dependent() noexcept {
  return factors_.is_affordable() && factors_.judge_rows() ? factors_.nearly_dependent() : 0;
}

bool FineSolver::find_accelerations(Accelerations use) noexcept {
  if (leaves_rows_out_ && solve()) {
    failure_.clear();
    return true;
  }
  if (!is_uneven_ || !factors_.is_affordable()) return find_in_doubles(use);
  const bool due = mending_.is_due(), even = !mending_.is_on() && in_doubles_.find_accelerations(use);
  if (even && !due) return true;
  if (even) even_ = problem_.solution;
  if (!solve()) {
    in_doubles_.forget_factors();
    if (mending_.is_on()) return in_doubles_.find_accelerations(use);
    if (even) problem_.solution = even_;
    return even;
  }
  failure_.clear();
  double lost = 1;
  if (even) {
    for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = even_[k] - problem_.solution[k];
    std::size_t worst = 0;
    lost = residual_.relative_step(change_, worst);
  }
  mending_.mended(lost);
  return true;
}

/// In doubles, rows that nearly depend on others are met only in part, depending on the number of rounds. A state with
/// closed loops shows this; from then on, rows that depend on others are left out.
/// Where doubles do not settle what bodies without mass take from the others, twice the digits are asked.
bool FineSolver::find_in_doubles(Accelerations use) noexcept {
  if (!in_doubles_.find_accelerations(use)) {
    if (!factors_.is_affordable() || !solve()) return false;
    failure_.clear();
    return true;
  }
  const double uncertain = in_doubles_.uncertain();
  if (use == Accelerations::of_stage || !(uncertain > from)) return true;
  if (!(uncertain > unsaid) && !mending_.is_due()) return true;
  if (factors_.is_affordable()) {
    even_ = problem_.solution;
    if (solve()) {
      for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = even_[k] - problem_.solution[k];
      std::size_t worst = 0;
      leaves_rows_out_ = residual_.relative_step(change_, worst) > from;
      if (!leaves_rows_out_) mending_.found_nothing();
      return true;
    }
    problem_.solution = even_;
  }
  if (uncertain <= unsaid) return true;
  return failure_.say(
      "A loop at {} `{}` has constraints that nearly depend on others, as rounded lengths make them, and accelerations "
      "are uncertain by {:.1e} of their size: close the loop's lengths better, or use a solver in joint coordinates",
      model_.blocks.kind(in_doubles_.uncertain_block()), model_.blocks.name(in_doubles_.uncertain_block()), uncertain);
}

/// Finds the solution of the problem's data. False if these digits are not enough either, or the inertia does not
/// determine the solution.
bool FineSolver::solve() noexcept {
  if (!factors_.factorize()) return false;
  std::fill(x_.begin(), x_.end(), DoubleDouble());
  double part = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_steps && part > last_step; ++round) {
    find_rest();
    step_ = rest_;
    factors_.solve(step_);
    for (std::size_t k = 0; k < x_.size(); ++k) {
      x_[k] += step_[k];
      change_[k] = static_cast<double>(step_[k]);
      problem_.solution[k] = static_cast<double>(x_[k]);
    }
    for (std::size_t i = 0; i < model_.blocks.count(); ++i) residual_.find_block(i);
    std::size_t worst = 0;
    part = residual_.relative_step(change_, worst);
    if (!std::isfinite(part)) return false;
  }
  return part <= known;
}

/// rest = data − K x, except in the rows that are left out.
void FineSolver::find_rest() noexcept {
  for (std::size_t k = 0; k < rest_.size(); ++k) rest_[k] = problem_.data[k];
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) subtract_inertia(i);
  for (const Constraints::Constraint& constraint : model_.constraints.all())
    for (std::size_t r = 0; r < constraint.rows; ++r) {
      if (factors_.is_left_out(constraint.row + r))
        rest_[model_.blocks.row_at(constraint.row + r)] = 0;
      else
        subtract_row(constraint, r);
    }
}

void FineSolver::subtract_inertia(std::size_t i) noexcept {
  DoubleDouble* rest = rest_.data() + model_.blocks.offset(i);
  const DoubleDouble* x = x_.data() + model_.blocks.offset(i);
  const auto subtract = [&](std::size_t r, std::size_t c, double m) { rest[r] -= DoubleDouble(m) * x[c]; };
  if (model_.inertia.is_rigid(i)) {
    const Mat3 J = model_.inertia.of_body(i).full();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) subtract(r, c, J(r, c));
      subtract(3 + r, 3 + r, model_.view.bodies[i].mass);
    }
    return;
  }
  const std::span<const double> M = model_.inertia.matrix(i);
  const std::size_t size = model_.blocks.size(i);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) subtract(r, c, M[r * size + c]);
}

void FineSolver::subtract_row(const Constraints::Constraint& constraint, std::size_t r) noexcept {
  const std::size_t row = model_.blocks.row_at(constraint.row + r);
  for (const Constraints::Entry& entry : model_.constraints.entries_of(constraint)) {
    const std::size_t first = model_.blocks.offset(entry.block);
    const auto subtract = [&](std::size_t k, double a) {
      rest_[row] -= DoubleDouble(a) * x_[first + k];
      rest_[first + k] -= DoubleDouble(a) * x_[row];
    };
    for (std::size_t k = 0; k < entry.frame; ++k) subtract(k, model_.rows.frame(entry, r)[k]);
    for (std::size_t k = 0; k < entry.owns; ++k) subtract(entry.frame + k, model_.rows.own(entry, r)[k]);
  }
}

}  // namespace polyform::absolute
