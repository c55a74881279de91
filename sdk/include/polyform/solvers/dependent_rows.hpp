// Which rows of cut joints and constraint elements depend on others and are left out.
//
// The compliance matrix G of the loops is positive semidefinite. Rows that depend on others (planar loops in space,
// overconstrained mechanisms, a singular position) meet a vanishing pivot and are left out: the motion is the same
// without them, and their multipliers are zero. Which rows depend on others shows only where the constraints hold: a
// stage of an integrator lies off them, dependent rows get small pivots of their own there, and what they ask
// contradicts the others. So these rows are found when positions (close to the loops) and velocities are corrected, and
// accelerations use what was found.
//
// If the masses on the loops differ by orders of magnitude, a row that only heavy bodies can give way to has a pivot as
// small as that of a row that depends on others. Then the directions of the hinges alone decide which rows are
// independent: all hinges are given the same compliance, 1 rad or the size of the bodies for a unit load. A small pivot
// then belongs to a row that depends on others, or is about to in a position nearby.
#pragma once

#include <cstddef>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/loop_layout.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"

namespace polyform {

/// Rows are a bit each, per loop of the layout.
class DependentRows {
 public:
  DependentRows(const SystemView&, const LoopLayout&, const FlexibleLinks&);

  unsigned left_out(std::size_t i) const { return left_out_[i]; }
  void leave_out(std::size_t i, unsigned rows) { left_out_[i] = rows; }
  /// Rows that the present solution does not need and that are not judged: those of a loop that ask nothing of
  /// positions.
  void pass_over(std::size_t i, unsigned rows) { passed_over_[i] = rows; }
  /// All rows count until they are found to depend on others.
  void forget() noexcept;

  /// Whether the masses on the loops are so uneven that rows are judged before they are eliminated.
  bool is_uneven() const { return uneven_; }
  /// Begins to judge rows. anew: rows that were left out are judged, too.
  void begin_judging(bool anew) noexcept;
  /// Judges the rows by their matrix, after the columns have passed hinges of equal compliance.
  void judge(MultiplierMatrix&) noexcept;

  /// Eliminates a loop from the matrix; rows that are found to depend on others are added.
  void eliminate(std::size_t i, MultiplierMatrix&) noexcept;
  /// How far the rows that were not left out are from depending on each other or on nothing, squared; 1 if nothing is
  /// aligned. matrix: eliminated.
  double smallest_pivot(const MultiplierMatrix& matrix) const {
    return uneven_ ? smallest_pivot_ : matrix.smallest_pivot();
  }

 private:
  void eliminate(std::size_t i, MultiplierMatrix&, unsigned& left_out, const unsigned* independent) noexcept;

  std::vector<unsigned> left_out_, passed_over_;
  std::vector<unsigned> dependent_, independent_;  ///< as judged: rows to be left out, and rows to be kept
  double smallest_pivot_ = 1;                      ///< as judged
  bool uneven_ = false;
};

}  // namespace polyform
