// The saddle-point system of masses that differ by orders of magnitude.
//
// What is subtracted from the zero block to make the matrix quasi-definite is small beside the compliance of a row, which
// the lightest body on it gives it; beside that of what is left of the row once the light bodies have given way, when only
// heavy ones are to follow it, it may be large, and no refinement comes that far. So the matrix itself is factorized, with
// 32 digits, without the rows that depend on others; which these are is told by the coefficients alone, as if all bodies
// were of one mass.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absolute_system_detail.hpp"
#include "block_ldlt_detail.hpp"
#include "polyform/solvers/double_double.hpp"
#include "polyform/solvers/mending.hpp"

namespace polyform {

namespace {

/// Masses that differ by more are looked at with twice the digits.
constexpr double uneven_masses = 1e4;
/// Bodies without mass get this part of those around, for a pivot: the square root of the digits that there are.
constexpr double added_to_singular = 1e-16;
/// What rows are judged by: subtracted from the zero block, and from which part of its usual size on a pivot is of a row that
/// depends on others. In a stage that goes for rows that depend up to 1e-5 of the size of a loop (Accelerations).
constexpr double added_to_judge = 1e-15, dependent = 1e-12, dependent_in_stage = 1e-10;
/// A step that is smaller relative to the accelerations is the last one; with a larger one after most_steps they are not
/// known.
constexpr double last_step = 1e-15, known = 1e-10;
constexpr std::size_t most_steps = 8;
/// Doubles that lose more than this give way: a solution with twice the digits takes as long as a hundred.
constexpr double from = 1e-9;
/// Of factors that are kept: a hub with a thousand joints would fill gigabytes.
constexpr std::size_t most_numbers = 4'000'000;

}  // namespace

struct AbsoluteSystem::Fine {
  BasicBlockLdlt<DoubleDouble> matrix;   ///< bodies first: then pivots of rows tell which depend on others
  std::vector<BasicBlockLdlt<DoubleDouble>::Block> diagonals, places;   ///< as diagonals_; of the entries
  std::vector<DoubleDouble> x, step, rest;
  std::vector<bool> left_out;   ///< per row
  std::vector<double> even;     ///< the solution in doubles
  Mending mending{from};
};

void AbsoluteSystem::DeleteFine::operator()(Fine* fine) const noexcept { delete fine; }

bool AbsoluteSystem::has_uneven_masses() const {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const double mass = flexible_data(i) != nullptr ? scales_[i].mass : view_.bodies[i].mass;
    if (!(mass > 0)) continue;
    least = std::min(least, mass);
    most = std::max(most, mass);
  }
  return rows_ > 0 && most > uneven_masses * least;
}

void AbsoluteSystem::make_fine(std::span<const std::size_t> sizes,
                               std::span<const std::pair<std::size_t, std::size_t>> pairs) {
  // Rows on one body are all tied to each other once it is eliminated.
  std::vector<std::size_t> rows_on(own_.size());
  for (const auto& [of_rows, body] : pairs) rows_on[body] += sizes[of_rows];
  std::size_t filled = 0;
  for (const std::size_t count : rows_on) filled += count * count;
  if (filled > most_numbers) return;
  fine_.reset(new Fine);
  Fine& fine = *fine_;
  std::vector<EliminationTurn> turns(sizes.size(), EliminationTurn::any);
  std::fill(turns.begin() + static_cast<std::ptrdiff_t>(own_.size()), turns.end(), EliminationTurn::last);
  fine.matrix.analyze(sizes, pairs, turns);
  if (fine.matrix.stored() > most_numbers) {
    fine_.reset();
    return;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) fine.diagonals.push_back(fine.matrix.diagonal(i));
  fine.places.resize(entries_.size());
  std::size_t block = own_.size();
  for (const Group& group : groups_) {
    if (group.rows == 0) continue;
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e)
      if (entries_[e].frame + entries_[e].owns != 0) fine.places[e] = fine.matrix.block(block, entries_[e].block);
    ++block;
  }
  for (auto* v : {&fine.x, &fine.step, &fine.rest}) v->resize(data_.size());
  fine.left_out.resize(rows_);
  fine.even.resize(data_.size());
}

/// The next accelerations are of a state that has nothing to do with the ones before.
void AbsoluteSystem::look_finely() noexcept { fine_->mending.look(); }

/// In doubles where these are known to be enough: a look is taken now and then.
bool AbsoluteSystem::solve_unevenly(Accelerations use) noexcept {
  Mending& mending = fine_->mending;
  const bool due = mending.is_due(), even = !mending.is_on() && solve_evenly(use);
  if (even && !due) return true;
  if (even) fine_->even = solution_;
  if (!solve_finely(use)) {
    factorized_ = false;
    if (mending.is_on()) return solve_evenly(use);
    if (even) solution_ = fine_->even;
    return even;
  }
  failure_size_ = 0;
  double lost = 1;
  if (even) {
    for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = fine_->even[k] - solution_[k];
    std::size_t worst = 0;
    lost = relative_step(worst);
  }
  mending.mended(lost);
  return true;
}

/// Which rows depend on others: as of bodies of one mass, each with its own size. False when the matrix is not finite.
bool AbsoluteSystem::judge_rows(Accelerations use) noexcept {
  std::vector<bool>& left_out = fine_->left_out;
  std::fill(left_out.begin(), left_out.end(), false);
  if (rows_independent_) return true;
  Fine& fine = *fine_;
  fine.matrix.clear();
  const std::size_t blocks = own_.size();
  const auto weight = [&](std::size_t block, std::size_t k) {
    if (k >= frame_size(block)) {
      const double own = own_length_[own_[block].first + k - frame_size(block)];
      return own * own;
    }
    return k < 3 ? scales_[block].length * scales_[block].length : 1;
  };
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t k = 0; k < size(i); ++k) fine.diagonals[i](k, k) = weight(i, k);
  std::vector<double>& usual = residual_;   // of a row: A W⁻¹ Aᵀ
  const auto each_row = [&](const auto& visit) {
    std::size_t block = blocks;
    for (const Group& group : groups_) {
      if (group.rows == 0) continue;
      const auto& D = fine.diagonals[block++];
      for (std::size_t r = 0; r < group.rows; ++r) visit(group, r, D(r, r));
    }
  };
  each_row([&](const Group& group, std::size_t r, DoubleDouble& diagonal) {
    double sum = 0;
    for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
      enter_fine_row(e, r);
      for (std::size_t k = 0; k < entries_[e].frame + entries_[e].owns; ++k) {
        const double a = fine.places[e](r, k).high;
        sum += a * a / weight(entries_[e].block, k);
      }
    }
    usual[row_at(group.row + r)] = sum;
    diagonal = sum > 0 ? -added_to_judge * sum : -1;
  });
  if (!fine.matrix.factorize()) return false;
  const double least = use == Accelerations::of_stage ? dependent_in_stage : dependent;
  each_row([&](const Group& group, std::size_t r, const DoubleDouble& pivot) {
    const double of_row = usual[row_at(group.row + r)];
    left_out[group.row + r] = !(of_row > 0 && -pivot.high > least * of_row);
  });
  return true;
}

void AbsoluteSystem::enter_fine_row(std::size_t e, std::size_t r) noexcept {
  const Entry& entry = entries_[e];
  const auto& place = fine_->places[e];
  for (std::size_t k = 0; k < entry.frame; ++k) place(r, k) = coefficients_[entry.first + r][k];
  for (std::size_t k = 0; k < entry.owns; ++k) place(r, entry.frame + k) = own_coefficients_[entry.own + r * entry.owns + k];
}

bool AbsoluteSystem::factorize_finely() noexcept {
  Fine& fine = *fine_;
  fine.matrix.clear();
  const std::size_t n = view_.bodies.size(), blocks = own_.size();
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto& D = fine.diagonals[i];
    const double added = scales_[i].singular ? added_to_singular : 0;
    if (i < n && flexible_data(i) == nullptr) {
      const Mat3 J = inertias_[i].full();
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
        D(r, r) += DoubleDouble(added * scales_[i].inertia);
        D(3 + r, 3 + r) = DoubleDouble(view_.bodies[i].mass) + DoubleDouble(added * scales_[i].mass);
      }
      continue;
    }
    const std::span<const double> M = mass_matrix(i);
    for (std::size_t r = 0; r < size(i); ++r) {
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size(i) + c];
      const double mass = r >= frame_size(i) ? own_mass_[own_[i].first + r - frame_size(i)]
                          : r < 3            ? scales_[i].inertia
                                             : scales_[i].mass;
      D(r, r) += DoubleDouble(added * mass);
    }
  }
  std::size_t block = blocks;
  for (const Group& group : groups_) {
    if (group.rows == 0) continue;
    const auto& D = fine.diagonals[block++];
    for (std::size_t r = 0; r < group.rows; ++r) {
      if (fine.left_out[group.row + r]) {
        D(r, r) = -1;
        continue;
      }
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) enter_fine_row(e, r);
    }
  }
  return fine.matrix.factorize();
}

/// rest = data − K x, but for the rows that are left out.
void AbsoluteSystem::find_fine_rest() noexcept {
  Fine& fine = *fine_;
  for (std::size_t k = 0; k < data_.size(); ++k) fine.rest[k] = data_[k];
  for (std::size_t i = 0; i < own_.size(); ++i) {
    DoubleDouble* rest = fine.rest.data() + offsets_[i];
    const DoubleDouble* x = fine.x.data() + offsets_[i];
    const auto subtract = [&](std::size_t r, std::size_t c, double m) { rest[r] -= DoubleDouble(m) * x[c]; };
    if (i < view_.bodies.size() && flexible_data(i) == nullptr) {
      const Mat3 J = inertias_[i].full();
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) subtract(r, c, J(r, c));
        subtract(3 + r, 3 + r, view_.bodies[i].mass);
      }
      continue;
    }
    const std::span<const double> M = mass_matrix(i);
    for (std::size_t r = 0; r < size(i); ++r)
      for (std::size_t c = 0; c < size(i); ++c) subtract(r, c, M[r * size(i) + c]);
  }
  for (const Group& group : groups_)
    for (std::size_t r = 0; r < group.rows; ++r) {
      const std::size_t row = row_at(group.row + r);
      if (fine.left_out[group.row + r]) {
        fine.rest[row] = 0;
        continue;
      }
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        const Entry& entry = entries_[e];
        const std::size_t first = offsets_[entry.block];
        const auto subtract = [&](std::size_t k, double a) {
          fine.rest[row] -= DoubleDouble(a) * fine.x[first + k];
          fine.rest[first + k] -= DoubleDouble(a) * fine.x[row];
        };
        for (std::size_t k = 0; k < entry.frame; ++k) subtract(k, coefficients_[entry.first + r][k]);
        for (std::size_t k = 0; k < entry.owns; ++k)
          subtract(entry.frame + k, own_coefficients_[entry.own + r * entry.owns + k]);
      }
    }
}

/// From data_ into solution_. False where these digits are not enough either, or the inertia does not determine it.
bool AbsoluteSystem::solve_finely(Accelerations use) noexcept {
  Fine& fine = *fine_;
  if (!judge_rows(use) || !factorize_finely()) return false;
  std::fill(fine.x.begin(), fine.x.end(), DoubleDouble());
  double part = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_steps && part > last_step; ++round) {
    find_fine_rest();
    fine.step = fine.rest;
    fine.matrix.solve(fine.step);
    for (std::size_t k = 0; k < data_.size(); ++k) {
      fine.x[k] += fine.step[k];
      step_[k] = static_cast<double>(fine.step[k]);
      solution_[k] = static_cast<double>(fine.x[k]);
    }
    for (std::size_t i = 0; i < own_.size(); ++i) find_block_residual(i);
    std::size_t worst = 0;
    part = relative_step(worst);
    if (!std::isfinite(part)) return false;
  }
  return part <= known;
}

}  // namespace polyform
