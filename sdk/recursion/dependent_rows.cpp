#include "polyform/solvers/dependent_rows.hpp"

#include <algorithm>
#include <limits>

#include "polyform/solvers/contradiction.hpp"

namespace polyform {
namespace {

bool are_masses_uneven(const SystemView& view, const LoopLayout& layout) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t b = 0; b < view.bodies.size(); ++b) {
    const double mass = view.bodies[b].mass;
    if (!layout.carries(b) || !(mass > 0)) continue;
    least = std::min(least, mass);
    most = std::max(most, mass);
  }
  return most > uneven_masses * least;
}

}  // namespace

DependentRows::DependentRows(const SystemView& view, const LoopLayout& layout, const FlexibleLinks& flexible)
    : left_out_(layout.count()),
      passed_over_(layout.count()),
      dependent_(layout.count()),
      independent_(layout.count()),
      uneven_(flexible.empty() && are_masses_uneven(view, layout)) {}

void DependentRows::forget() noexcept { std::fill(left_out_.begin(), left_out_.end(), 0u); }

void DependentRows::begin_judging(bool anew) noexcept {
  for (std::size_t i = 0; i < left_out_.size(); ++i) dependent_[i] = anew ? 0 : left_out_[i];
}

void DependentRows::judge(MultiplierMatrix& matrix) noexcept {
  for (const std::size_t i : matrix.order()) {
    if (i >= left_out_.size()) continue;  // a postponed hinge gives way like all others
    eliminate(i, matrix, dependent_[i], nullptr);
    independent_[i] = matrix.eliminated(i);
  }
  smallest_pivot_ = matrix.smallest_pivot();
}

void DependentRows::eliminate(std::size_t i, MultiplierMatrix& matrix) noexcept {
  if (uneven_) left_out_[i] = dependent_[i];
  eliminate(i, matrix, left_out_[i], uneven_ ? &independent_[i] : nullptr);
}

void DependentRows::eliminate(std::size_t i, MultiplierMatrix& matrix, unsigned& left_out,
                              const unsigned* independent) noexcept {
  const unsigned over = passed_over_[i];
  unsigned without = left_out | over;
  matrix.eliminate(i, without, independent);
  left_out |= without & ~over;
}

}  // namespace polyform
